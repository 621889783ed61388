"""The eye: frames in, readings out. Knows no rules."""
