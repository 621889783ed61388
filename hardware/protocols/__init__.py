"""LED protocols, one file each, pure encode and decode."""
