"""Rules, reconciling and records of the games. Standard library only: no picture, no device, no clock, no file."""
