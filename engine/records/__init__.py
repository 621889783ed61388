"""Game records: one form for every game, read and written in two formats."""
