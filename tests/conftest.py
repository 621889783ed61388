"""For all tests: programs that are started can be interrupted, however the tests themselves were started."""

import signal

# A shell has what it runs in the background ignore Ctrl-C, and what is ignored is inherited; a handler is not.
signal.signal(signal.SIGINT, signal.default_int_handler)
