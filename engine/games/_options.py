"""The options of a game: defaults filled in, unknown names and values refused."""

from collections.abc import Mapping

from engine.errors import EngineError


def chosen_options(
    game: str, known: Mapping[str, tuple[str, ...]], options: Mapping[str, str] | None
) -> dict[str, str]:
    """Every option with its chosen or default value. Raises `EngineError` for an unknown option or value."""
    chosen = {name: values[0] for name, values in known.items()}
    for name, value in (options or {}).items():
        if name not in known:
            raise EngineError(f"{game} has no option '{name}'; known are {', '.join(known)}")
        if value not in known[name]:
            raise EngineError(f"option {name} of {game} is {' or '.join(known[name])}, not '{value}'")
        chosen[name] = value
    return chosen
