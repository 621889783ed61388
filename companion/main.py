"""The command `storisende`: finds the commands, and turns every known error into one line and an exit status."""

import re
import sys
from typing import NoReturn

import click

from companion.commands import FoundCommands
from companion.errors import KNOWN_ERRORS, CompanionError
from hardware.errors import HardwareError
from vision.errors import CameraError

_LIBRARY_HELP = "on Debian and Ubuntu: apt install libgl1 libglib2.0-0"


@click.group(cls=FoundCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="storisende", prog_name="storisende")
def cli() -> None:
    """Watch, referee and record Storisende and its siblings on a real table."""


def _fail(message: str, status: int) -> NoReturn:
    """One line on standard error, then the end."""
    click.echo("storisende: " + re.sub(r"\s*\n\s*", " ", str(message).strip()), err=True)
    sys.exit(status)


def _exit_status(error: Exception) -> int:
    """The contract's exit status of a known error: 4 for a device, 2 for whatever cannot be used."""
    if isinstance(error, CompanionError):
        return error.exit_status
    device = isinstance(error, CameraError) or (isinstance(error, HardwareError) and not isinstance(error, ValueError))
    return 4 if device else 2


def main() -> None:
    """Run the command line; the entry point of the package."""
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.UsageError as error:
        where = f" (see '{error.ctx.command_path} --help')" if error.ctx else ""
        _fail(error.format_message() + where, 2)
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        _fail("stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except ImportError as error:
        if ".so" not in str(error):
            raise
        _fail(f"a system library is missing: {error}; {_LIBRARY_HELP}", 1)
    except KNOWN_ERRORS as error:
        _fail(str(error), _exit_status(error))
    sys.exit(status if isinstance(status, int) else 0)
