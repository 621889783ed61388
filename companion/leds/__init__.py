"""The lights of a board: what they show of a game, and the commands that set them up."""
