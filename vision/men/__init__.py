"""Men by physics and colour: how high their stacks are, and whose they are."""
