"""One game as it is watched: what was played, what is kept of it, who hears of it."""
