"""`storisende leds find`: the serial ports, and what answers on them."""

import click


@click.command("find")
@click.option("--led-baud", type=click.IntRange(300, 4_000_000), default=115200, show_default=True)
@click.argument("ports", nargs=-1, metavar="[PORT]…")
def command(led_baud: int, ports: tuple[str, ...]) -> None:
    """List the serial ports (or the PORTs given) and say which protocol answered on each; about 3 seconds a port."""
    from hardware.finding import ask_device
    from hardware.ports import PortInfo, present_ports

    asked = [PortInfo(port) for port in ports] or present_ports()
    if not asked:
        click.echo("no serial ports; is the device plugged in with a cable that carries data?")
    for port in asked:
        found = ask_device(port, led_baud)
        name = f"{port.device} ({port.description})" if port.description else port.device
        if found.protocol:
            click.echo(f"{name}: {found.answer}; use --leds {found.protocol}:{port.device}")
        else:
            click.echo(f"{name}: {found.trouble.removeprefix(port.device + ': ')}")
