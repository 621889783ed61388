"""The reference firmware for a small microcontroller."""
