"""The application: command line, session, journal, lights, page."""

import vision as _vision  # before anything imports NumPy: it settles how many threads NumPy's library uses

__all__: list[str] = []
del _vision
