"""For all tests: the same every time, on slow machines too, however they were started."""

import signal

from hypothesis import settings

import vision  # noqa: F401  before NumPy, which reads how many threads it may use when it is first imported

# A shell has what it runs in the background ignore Ctrl-C, and what is ignored is inherited; a handler is not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Randomness is seeded, and no time is a test.
settings.register_profile("seeded", derandomize=True, deadline=None)
settings.load_profile("seeded")
