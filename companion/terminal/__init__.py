"""What the terminal shows, and what is typed there."""
