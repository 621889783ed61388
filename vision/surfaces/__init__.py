"""What a table's cells and disks look like."""
