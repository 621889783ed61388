"""The page that a browser shows: its server, what it tells, and what may be done from it."""
