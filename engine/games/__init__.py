"""The games, one file each; found by discovery (engine.game.game_names), not by a list."""
