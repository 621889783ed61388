"""LED frames in, bytes out. Knows no games."""
