"""Rules of the games: outside games, rule sentences, laws, playthroughs, perft."""
