"""The commands, one file each: a module `name.py` defines `command`, and `storisende name` finds it.

A trailing underscore keeps a name clear of a Python word (`print_.py` is `storisende print`). A module `group_sub.py`
beside a `group.py` is a subcommand of that group and is not listed here.
"""

import importlib
import pkgutil

import click


def command_modules(group: str | None = None) -> dict[str, str]:
    """Command name → module name, of the top level or of a group (the modules `group_*.py`)."""
    modules = [m.name for m in pkgutil.iter_modules(__path__)]
    if group is not None:
        return {m.removeprefix(f"{group}_"): m for m in modules if m.startswith(f"{group}_") and m != f"{group}_"}
    nested = {m for m in modules for g in modules if m != g and m.startswith(f"{g}_") and m != f"{g}_"}
    return {m.rstrip("_").replace("_", "-"): m for m in modules if m not in nested}


class FoundCommands(click.Group):
    """A group whose commands are the modules here, imported when they are called."""

    def __init__(self, *args: object, of_group: str | None = None, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.of_group = of_group

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *command_modules(self.of_group)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = command_modules(self.of_group).get(cmd_name)
        if module is None:
            return super().get_command(ctx, cmd_name)
        command: click.Command = importlib.import_module(f"{__name__}.{module}").command
        return command
