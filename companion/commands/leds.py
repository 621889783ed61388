"""`storisende leds`: try, find and lay out the lights of a smart board."""

import click

from companion.commands import FoundCommands


@click.group("leds", cls=FoundCommands, of_group="leds")
def command() -> None:
    """Try, find and lay out the lights of a smart board."""
