"""`python -m companion` is the command `storisende`."""

from companion.main import main

main()
