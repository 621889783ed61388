"""What a player may do from the page: requests as typed values, checked on arrival, and what each of them does."""

from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from companion.errors import InputError
from companion.game.session import Session

T = TypeVar("T")
Text = Annotated[str, Meta(min_length=1, max_length=400)]
Word = Annotated[str, Meta(max_length=40)]
PlayerNumber = Annotated[int, Meta(ge=1, le=2)]


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", kw_only=True):
    """A request to change the game. `after`: how many plies the page showed; a page that is behind is told so."""

    after: Annotated[int, Meta(ge=0, le=100_000)] | None = None


class Accept(Act, tag="accept", frozen=True):
    """Take one of the candidates of an ambiguous table."""

    candidate: Annotated[int, Meta(ge=0, le=100)]


class Enter(Act, tag="enter", frozen=True):
    """Play a turn written in the game's notation."""

    text: Text


class TakeBack(Act, tag="take-back", frozen=True):
    """Take back the last turns."""

    plies: Annotated[int, Meta(ge=1, le=1000)] = 1


class SetCell(Act, tag="set-cell", frozen=True):
    """Say what a cell is, in the words of `storisende replay`."""

    cell: Annotated[int, Meta(ge=0, le=400)]
    tile: Word
    owner: Annotated[int, Meta(ge=0, le=3)]
    height: Annotated[int, Meta(ge=0, le=60)]


class Pass(Act, tag="pass", frozen=True):
    """The player to move passes."""


class Resign(Act, tag="resign", frozen=True):
    """A player gives up."""

    player: PlayerNumber


class Agree(Act, tag="agree", frozen=True):
    """Both agree on a result; 0 is a draw."""

    winner: Annotated[int, Meta(ge=0, le=2)]


class Pause(Act, tag="pause", frozen=True):
    """The eye rests."""


class GoOn(Act, tag="go-on", frozen=True):
    """The eye watches again."""


class AcceptIrregular(Act, tag="accept-irregular", frozen=True):
    """The illegal move on the table stands."""


class TakeUp(Act, tag="take-up", frozen=True):
    """The game was under way before: go on from the table as it stands, this player to move."""

    player: PlayerNumber


AnyAct = Accept | Enter | TakeBack | SetCell | Pass | Resign | Agree | Pause | GoOn | AcceptIrregular | TakeUp


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A new game: `board` is a name or the text of a board file; `source` the number of one of the offered sources.

    `neutral`: the colour of men who belong to nobody, for games that have such men. Clock times in seconds, 0 for a
    game without a clock. `resume`: go on with the journal's last game, which knows what was played with what and by
    what clock; then only `source` counts. `under_way`: the game has begun before, and this player moves next; 0 for
    another one.
    """

    game: Word = "storisende"
    rules: Word = ""
    options: Annotated[dict[Word, Word], Meta(max_length=20)] = {}
    board: Annotated[str, Meta(min_length=1, max_length=12_000)] = "hexhex-5"
    colours: tuple[Word, Word] = ("red", "purple")
    names: tuple[Word, Word] = ("", "")
    disks: Word = "beige,dark"
    neutral: Word = ""
    source: Annotated[int, Meta(ge=0, le=100)] = 0
    resume: bool = False
    under_way: Annotated[int, Meta(ge=0, le=2)] = 0
    clock_s: Annotated[float, Meta(ge=0, le=86_400)] = 0.0
    increment_s: Annotated[float, Meta(ge=0, le=3_600)] = 0.0


class Calibrate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A calibration to begin, or (`kind` empty) the running one to end; `board` is one of the names on offer."""

    kind: Literal["", "lens", "board", "colours", "leds"]
    source: Annotated[int, Meta(ge=0, le=100)] = 0
    board: Word = "hexhex-5"
    colours: tuple[Word, Word] = ("red", "purple")
    disks: Word = "beige,dark"


def read_calibrate(body: bytes) -> Calibrate:
    """The calibration in a body. Raises `InputError` that says what is wrong with it."""
    return _decode(body, _CALIBRATIONS)


def read_act(body: bytes) -> AnyAct:
    """The request in a body. Raises `InputError` that says what is wrong with it."""
    return _decode(body, _ACTS)


def read_start(body: bytes) -> Start:
    """The new game in a body. Raises `InputError` that says what is wrong with it."""
    return _decode(body, _STARTS)


_ACTS: msgspec.json.Decoder[AnyAct] = msgspec.json.Decoder(AnyAct)
_CALIBRATIONS: msgspec.json.Decoder[Calibrate] = msgspec.json.Decoder(Calibrate)
_STARTS: msgspec.json.Decoder[Start] = msgspec.json.Decoder(Start)


def _decode(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the request cannot be read: {error}") from None


def perform(session: Session, act: AnyAct) -> None:
    """Do it. Raises `EngineError` or `InputError` with a plain sentence when it cannot be done."""
    if act.after is not None and act.after != len(session.state.history):
        raise InputError("the game has gone on meanwhile; look again and repeat it if you still want it")
    match act:
        case Accept():
            session.accept(act.candidate)
        case Enter():
            session.enter(act.text)
        case TakeBack():
            session.take_back(act.plies)
        case SetCell():
            session.set_cell(act.cell, act.tile, act.owner, act.height)
        case Pass():
            session.pass_turn()
        case Resign():
            session.resign(act.player)
        case Agree():
            session.agree(act.winner)
        case Pause():
            session.pause()
        case GoOn():
            session.go_on()
        case AcceptIrregular():
            session.accept_irregular()
        case TakeUp():
            session.take_up(act.player)
