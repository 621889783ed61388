"""For all tests: programs that are started can be interrupted, however the tests themselves were started."""

import signal

# A shell that runs something in the background has it ignore Ctrl-C, and what is ignored is inherited. A handler is not.
signal.signal(signal.SIGINT, signal.default_int_handler)
