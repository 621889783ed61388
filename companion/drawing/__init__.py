"""Pictures of positions, of whole games, and of what the eye sees."""
