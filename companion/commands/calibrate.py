"""`storisende calibrate`: measure lens, board, colours and lights once; the profile file keeps them.

The group's commands are the modules `calibrate_*.py` beside this one, found by name.
"""

import click

from companion.commands import FoundCommands
from hardware.signals import end_on_sigterm


@click.group("calibrate", cls=FoundCommands, of_group="calibrate")
def command() -> None:
    """Measure lens, board, colours and lights once and keep them in a profile file."""
    end_on_sigterm()
