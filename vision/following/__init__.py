"""What changes from frame to frame: hands, the light, a camera that moves."""
