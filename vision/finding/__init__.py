"""Where the board is in a picture: from the lattice of its disks and cells, or from printed markers."""
