"""Write docs/commands.md from the program's own help; a test checks that the two agree.

Run it as `.venv/bin/python docs/make_commands.py` after changing a command.
"""

from pathlib import Path

import click

from companion.main import cli

TARGET = Path(__file__).with_name("commands.md")
_WIDTH = 110
_HELP = cli.context_settings["help_option_names"]


def commands_page() -> str:
    """The page: every command and subcommand with its help text."""
    parts = ["# Commands", "", "What `storisende … --help` prints. This page is made by `docs/make_commands.py`.", ""]
    _describe(cli, click.Context(cli, info_name="storisende", terminal_width=_WIDTH, help_option_names=_HELP), parts)
    return "\n".join(parts).rstrip() + "\n"


def _describe(command: click.Command, ctx: click.Context, parts: list[str]) -> None:
    """Add one command and everything below it."""
    parts += [f"## {ctx.command_path}", "", "```text", command.get_help(ctx).rstrip(), "```", ""]
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            if below is not None and not below.hidden:
                _describe(below, click.Context(below, parent=ctx, info_name=name, terminal_width=_WIDTH), parts)


if __name__ == "__main__":
    TARGET.write_text(commands_page(), encoding="utf-8")
    print(f"wrote {TARGET}")
