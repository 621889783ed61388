"""What can be printed to scale: boards, disks, markers, targets, sheets of rules."""
