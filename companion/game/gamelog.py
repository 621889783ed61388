"""The book of one game: plies as they were told, rulings, the end; and the same rebuilt from the journal's events."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.game.events import Event
from companion.game.setups import setup_record
from companion.game.state import PlyInfo, Setup
from engine.errors import EngineError
from engine.game import PASS, Game, Outcome, PlaysOn, Position, play_turn, tile_seen
from engine.look import CellLook, Surface
from engine.records.record import DECLARED_ENDS, Record, Turn, replay, start_position
from engine.records.words import Tile, parse_ruling, ruling_words
from engine.referee.patience import Patience
from engine.referee.reconcile import Reconciler
from engine.referee.verdict import How, Ply, Started

_NOTES = {How.SEEN: "", How.INFERRED: "inferred", How.TYPED: "typed", How.IRREGULAR: "irregular"}


class GameLog:
    """Owns the referee of a game and what is told of it. Raises `EngineError` for a setup that fits no game."""

    def __init__(self, game: Game, setup: Setup, patience: Patience) -> None:
        self.game, self.setup = game, setup
        self.declared: Outcome | None = None
        self.started = self.alarmed = False
        self._told: list[PlyInfo] = []
        self._placed, self._doubt = 0, ""
        begin = setup_record(setup)
        start = start_position(begin)
        if setup.disks is None and any(look.surface is Surface.LIGHT for look in start.look()):
            raise EngineError(f"the pieces of {game.title} are disks: it cannot be followed on a board without them")
        self.referee = Reconciler(game, start, setup.colours, patience)
        if begin.turns:
            for step in list(replay(begin))[1:]:
                ply = Ply(step.mover, step.text, (), step.position)
                self.referee.put(ply)
                self._tell(ply)

    # -- the end -----------------------------------------------------------------------------------------------

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended: by the rules, or as people declared."""
        return self.declared or self.referee.position.outcome

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    # -- verdicts as events ------------------------------------------------------------------------------------

    def start_event(self, started: Started | None = None) -> tuple[str, dict[str, Any]]:
        """The event that begins a game, with the placements found on the table."""
        plies = started.plies if started else ()
        for ply in plies:
            self._tell(ply)
        self._placed, self._doubt = len(plies), started.doubt if started else ""
        setup = self.setup
        fields: dict[str, Any] = {
            "board": setup.board.name,
            "game": setup.game,
            "rules": setup.rules or self.game.rule_sets[0],
            "players": [name or colour for name, colour in zip(setup.names, setup.colours, strict=True)],
            "placements": [ply.text for ply in plies],
        }
        if setup.begin is not None and setup.begin.start is not None:
            fields["to_move"] = self.referee.position.player
        if self._doubt:
            fields["doubt"] = self._doubt
        return "start", fields

    @property
    def played(self) -> bool:
        """Whether anything is recorded besides placements found on the table."""
        return len(self._told) > self._placed

    @property
    def doubt(self) -> str:
        """Why the game may have begun before it was watched, until it is played with the disks in order; empty where
        nothing says so."""
        return self.referee.doubt or ("" if self.played and not self.referee.deviations else self._doubt)

    def ply_events(self, plies: Sequence[Ply]) -> list[tuple[str, dict[str, Any]]]:
        """The events of plies that are now part of the game, and the end if they bring it."""
        events: list[tuple[str, dict[str, Any]]] = []
        for ply in plies:
            self._tell(ply)
            fields = {
                "ply": len(self._told),
                "player": ply.player,
                "score": list(ply.after.score()),
                "how": ply.how.value,
            }
            if ply.text == PASS:
                events.append(("pass", fields))
            else:
                events.append(("move", {**fields, "move": ply.text}))
        return [*events, *self.end_events()]

    def taken_back(self, count: int) -> tuple[str, dict[str, Any]]:
        """The event of plies taken back."""
        del self._told[-count:]
        self.declared = None
        return "takeback", {"plies": count}

    def corrected(self, first: int, plies: Sequence[Ply]) -> tuple[str, dict[str, Any]]:
        """The event of earlier plies that turned out to be others."""
        del self._told[first - 1 :]
        for ply in plies:
            self._tell(ply)
        return "corrected", {"ply": first, "moves": [p.text for p in plies], "hows": [p.how.value for p in plies]}

    def end_events(self) -> list[tuple[str, dict[str, Any]]]:
        """The end by the rules, if the last ply brought it."""
        outcome, position = self.referee.position.outcome, self.referee.position
        if outcome is None:
            return []
        return [("end", {"score": list(position.score()), "winner": outcome.winner, "reason": outcome.end})]

    def note(self, event: Event) -> None:
        """Keep in mind what an event means for those after it."""
        if event.kind == "start":
            self.started = True
        elif event.kind == "illegal":
            self.alarmed = True
        elif event.kind in ("put-right", "move", "pass", "corrected", "takeback", "set"):
            self.alarmed = False
        elif event.kind == "end" and event.fields["reason"] in DECLARED_ENDS:
            self.declared = Outcome(event.fields["reason"], event.fields["winner"])

    def _tell(self, ply: Ply) -> None:
        score = ply.after.score()
        self._told.append(PlyInfo(len(self._told) + 1, ply.player, ply.text, ply.how, ply.t_s, score))

    # -- rulings -----------------------------------------------------------------------------------------------

    def ruling(self, cells: Mapping[int, Tile], player: int) -> str:
        """The ruling that these cells are so, as text; `player` moves next."""
        before = list(self.referee.position.tiles())
        after = [cells.get(c, tile) for c, tile in enumerate(before)]
        return ruling_words(self.setup.board, before, after, player)

    def rule(self, text: str, how: How, t_s: float = 0.0) -> Ply:
        """Carry a ruling out. Raises `EngineError` for tiles that the game does not know."""
        position = self.referee.position
        ply = Ply(position.player, text, (), self._ruled(position, text), how, t_s)
        self.referee.put(ply)
        return ply

    def _ruled(self, position: Position, text: str) -> Position:
        tiles = list(position.tiles())
        changes, player = parse_ruling(text, self.setup.board)
        for cell, tile in changes:
            tiles[cell] = tile
        return position.with_tiles(tiles, player)

    def tile_of(self, cell: int, look: CellLook) -> Tile:
        """What a cell is when it looks like that: men as seen; a tile as the surface says, as far as it is known."""
        own = self.referee.position.tiles()[cell][0]
        return tile_seen(self.game, look, own)

    # -- the journal -------------------------------------------------------------------------------------------

    def replay(self, event: Event) -> None:
        """Do what an event of the journal tells. Raises `EngineError` for one that does not fit."""
        fields = event.fields
        match event.kind:
            case "start":
                for text in fields["placements"]:
                    self._replay_ply(text, How.SEEN, event)
                self._placed = len(self._told)
            case "move" | "pass":
                self._replay_ply(fields.get("move", PASS), How(fields["how"]), event)
            case "takeback":
                self.referee.take_back(fields["plies"])
                self.taken_back(fields["plies"])
            case "corrected":
                self.referee.take_back(len(self._told) - fields["ply"] + 1)
                del self._told[fields["ply"] - 1 :]
                for text, how in zip(fields["moves"], fields["hows"], strict=True):
                    self._replay_ply(text, How(how), event)
            case "set":
                self._tell(self.rule(fields["move"], How.TYPED, event.t_s))
            case "reminder" | "resolved":
                self._replay_reminder(event)
            case _:
                pass
        self.note(event)

    def _replay_ply(self, text: str, how: How, event: Event) -> None:
        if text.startswith("!"):
            self._tell(self.rule(text, how, event.t_s))
            return
        position = self.referee.position
        if position.outcome is not None and isinstance(position, PlaysOn):
            position = position.played_on()
        actions = position.parse_turn(text)
        ply = Ply(position.player, text, actions, play_turn(position, text), how, event.t_s, event.frame)
        self.referee.put(ply)
        self._tell(ply)

    def _replay_reminder(self, event: Event) -> None:
        cell = self.setup.board.parse(event.fields["cell"])
        if event.kind == "resolved":
            self.referee.deviations.pop(cell, None)
            return
        now = event.fields.get("now")
        if now is not None:
            self.referee.deviations[cell] = CellLook(Surface(now["surface"]), now["men"], now["height"])

    # -- what is shown -----------------------------------------------------------------------------------------

    def tell_set(self, ply: Ply) -> None:
        """Note a ruling that was told by its own event."""
        self._tell(ply)

    def history(self) -> tuple[PlyInfo, ...]:
        """The move list."""
        return tuple(self._told)

    def last_move(self) -> tuple[int, ...]:
        """The cells that the last ply changed."""
        plies = self.referee.plies
        if not plies:
            return ()
        before = plies[-2].after if len(plies) > 1 else self.referee.start
        pairs = zip(before.look(), plies[-1].after.look(), strict=True)
        return tuple(c for c, (a, b) in enumerate(pairs) if a != b)

    def record(self, started: str, ended: str) -> Record:
        """The record so far."""
        begin = setup_record(self.setup, started)
        known = len(begin.turns)
        turns = tuple(Turn(told.text, time_s=round(told.t_s, 1), note=_note(told)) for told in self._told[known:])
        position = self.referee.position
        return replace(
            begin,
            ended=ended,
            turns=(*begin.turns, *turns),
            outcome=self.outcome,
            score=None if position.stage == "placement" else position.score(),
        )


def _note(told: PlyInfo) -> str:
    if told.text == PASS and told.how is How.INFERRED:
        return "inferred pass"
    return _NOTES[told.how]
