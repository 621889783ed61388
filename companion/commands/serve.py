"""`storisende serve`: the page beside the board, where games are set up, followed and corrected."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.leds.options import LedChoice, led_options
from companion.options import FILE, profile_option, read_layout

if TYPE_CHECKING:
    from calibration.profile import Profile
    from companion.page.server import PageServer


@click.command("serve")
@click.argument("sources", nargs=-1, metavar="[SOURCE]…")
@profile_option
@click.option("--board", "boards", multiple=True, metavar="FILE", help="A board file to offer; may be given again.")
@click.option("--port", type=click.IntRange(0, 65535), default=8377, show_default=True)
@click.option("--open", "open_it", is_flag=True, help="Open the page in this computer's browser.")
@click.option("--lan", is_flag=True, help="Let tablets and spectators in the network come in, by links with a key.")
@click.option(
    "--out",
    type=FILE,
    help="Profile that calibrations on the page are written into, and that games then use: that of --profile, or "
    "storisende-profile.toml, unless given.",
)
@led_options
@click.option(
    "--journal",
    type=FILE,
    default=Path("storisende-games.journal"),
    show_default=True,
    help="Keep the games in this file; a game that was broken off can be gone on with.",
)
def command(
    sources: tuple[str, ...],
    profile: "Profile | None",
    boards: tuple[str, ...],
    port: int,
    open_it: bool,
    lan: bool,
    out: Path | None,
    journal: Path,
    **lights: object,
) -> None:
    """Serve the page; games are started on it.

    SOURCE is a camera number, a film, a folder of pictures or a stream's URL that may be chosen on the page; without
    any the cameras of this computer are offered. Ctrl-C ends it.
    """
    from companion.game.journal import Journal
    from companion.page.opening import Equipment, Source, TableOpener, find_cameras
    from companion.page.server import PageServer
    from companion.page.table import Table
    from hardware.signals import end_on_sigterm
    from vision.sources._snapshots import without_password

    end_on_sigterm()
    titles = [without_password(text) if "://" in text else Path(text).name or text for text in sources]
    offered = [Source(title, text) for title, text in zip(titles, sources, strict=True)] or find_cameras()
    named = {read_layout(text).name: Path(text) for text in boards}
    made = out or Path(profile.source if profile is not None else "storisende-profile.toml")
    equipment = Equipment(named, profile, made, LedChoice(**lights))  # type: ignore[arg-type]
    with Journal(journal) as kept:
        table = Table(opener=TableOpener(offered, kept, equipment))
        server = PageServer(table, "0.0.0.0" if lan else "127.0.0.1", port, lan)
        server.start()
        try:
            announce(server)
            if open_it:
                click.launch(server.url)
            while not server.wait(1.0):
                pass
        except KeyboardInterrupt:
            click.echo("The page is closed.")
        finally:
            table.close()
            server.stop()


def announce(server: "PageServer") -> None:
    """Say where the page is; with links and a QR code for the network."""
    if not server.lan:
        click.echo(f"The page: {server.url}")
        return
    import segno

    segno.make(server.url, error="m").terminal(compact=True)
    click.echo(f"Players:    {server.url}")
    click.echo(f"Spectators: {server.spectator_link}")
    click.echo("Whoever has the players' link can change the game. Nothing is encrypted: only in a network you trust.")
