"""The engine's exceptions: one root, each message carries the input that broke."""


class EngineError(Exception):
    """Root of everything the engine raises for broken input."""


class BoardError(EngineError, ValueError):
    """A board that cannot be: unknown name, not contiguous, a cell named twice."""


class NotationError(EngineError, ValueError):
    """A text that is no move, cell or option at all."""


class IllegalActionError(EngineError, ValueError):
    """A well-formed action that a rule forbids here; the message is a sentence a referee can read aloud."""


class RecordError(EngineError, ValueError):
    """A game record that cannot be read or replayed; the message says at which ply and why."""
