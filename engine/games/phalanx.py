"""Phalanx: groups grow or move along their own lines; who runs over opposing men turns into the wall.

Readings and options: docs/games/phalanx.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from engine.bits import bits_of, cells_of, components, neighbour_bits
from engine.board import Board
from engine.errors import EngineError, IllegalActionError
from engine.game import PASS, Action, Option, Outcome
from engine.games._moves import LineMove
from engine.games._options import chosen_options
from engine.games._phalanx_moves import (
    CHOICES,
    RED,
    YELLOW,
    Choice,
    Extra,
    Grow,
    PhalanxAction,
    Place,
    open_lines,
    parse_action,
)
from engine.games._phalanx_reasons import why_not
from engine.games._turns import BARE, Tile, check_rules, check_tiles, check_whole_turn, repeated, unknown_tile
from engine.look import BoardLook, CellLook, Surface

#: The phases of a game, in their order.
PLACE, CHOOSE, EXTRA, PLAY = "place", "choose", "extra", "play"

#: Tiles and looks of a cell: vacant, red man, yellow man, wall.
_TILES = (("open", 0, 0), ("open", RED, 1), ("open", YELLOW, 1), ("wall", 0, 0))
_LOOKS = (BARE, CellLook(Surface.BARE, RED, 1), CellLook(Surface.BARE, YELLOW, 1), CellLook(Surface.DARK))
_WALL = 3


@dataclass(frozen=True)
class PhalanxPosition:
    """A state of Phalanx, possibly inside a turn.

    Player 1 is the placer and from the extra man on red, player 2 the chooser and then yellow; `swapped` says whether
    the chooser took red.
    `red`, `yellow` and `wall` are sets of cells as bits. `opening` is how many red and yellow men the placer sets.
    `lost` are the men of each side taken prisoner. Inside a turn `unchanged` are the mover's groups, as they stood at
    its start, that have neither grown nor moved nor been joined by a moving group; `grown` and `joined` are the men of
    the groups that have grown or been joined. `seen` are the positions since the last turn that cannot be undone.
    """

    board: Board = field(hash=False)
    opening: tuple[int, int]
    red: int = 0
    yellow: int = 0
    wall: int = 0
    player: int = 1
    phase: str = PLACE
    lost: tuple[int, int] = (0, 0)
    passes: int = 0
    swapped: bool = False
    ended: str = ""
    turn: tuple[PhalanxAction, ...] = ()
    unchanged: tuple[int, ...] = ()
    grown: int = 0
    joined: int = 0
    seen: tuple[tuple[int, int, int, int], ...] = field(default=(), compare=False, repr=False)

    @property
    def stage(self) -> str:
        """`placement` until the extra red man stands, `play`, or `over`."""
        return "over" if self.ended else "play" if self.phase == PLAY else "placement"

    @property
    def outcome(self) -> Outcome | None:
        """The end by two passes or threefold repetition; the score decides."""
        if not self.ended:
            return None
        red, yellow = self.score()
        return Outcome(self.ended, 0 if red == yellow else 1 if red > yellow else 2)

    @property
    def own(self) -> int:
        """The cells of the men of the player to move."""
        return self.red if self.player == RED else self.yellow

    @property
    def others(self) -> int:
        """The cells of the men of the player who is not to move."""
        return self.yellow if self.player == RED else self.red

    @property
    def vacant(self) -> int:
        """The cells without man and wall."""
        return ((1 << len(self.board)) - 1) & ~(self.red | self.yellow | self.wall)

    @property
    def moving(self) -> bool:
        """Whether the turn under way has come to its movements; growth is over then."""
        return any(isinstance(action, LineMove) for action in self.turn)

    def men_left(self) -> tuple[int, int]:
        """The red and yellow men that the placer has still to set."""
        colours = [action.colour for action in self.turn if isinstance(action, Place)]
        return self.opening[0] - colours.count(RED), self.opening[1] - colours.count(YELLOW)

    # -- actions -----------------------------------------------------------------------------------------------

    @cached_property
    def legal(self) -> frozenset[PhalanxAction]:
        """The legal actions as a set."""
        return frozenset(self.actions())

    def actions(self) -> Sequence[PhalanxAction]:
        """Every legal action: growth, movement and, at a turn's start, the pass; before play men or the choice."""
        if self.ended:
            return ()
        names = self.board.names
        if self.phase == CHOOSE:
            return CHOICES
        if self.phase == EXTRA:
            return [Extra(names[i]) for i in cells_of(self.vacant)]
        if self.phase == PLACE:
            colours = [colour for colour, left in zip((RED, YELLOW), self.men_left(), strict=True) if left]
            return [Place(colour, names[i]) for colour in colours for i in cells_of(self.vacant)]
        return [*([] if self.turn else [PASS]), *self._growths_and_movements()]

    def _growths_and_movements(self) -> Iterator[PhalanxAction]:
        """What is open in the play proper but the pass."""
        names = self.board.names
        if not self.moving:
            yield from (Grow(names[i]) for i in self._growths())
        yield from (LineMove(names[t], names[h], names[g]) for t, h, g in self._movements())

    def _growths(self) -> Iterator[int]:
        """The cells where a new man joins groups of which none has grown."""
        neighbours = neighbour_bits(self.board)
        free = 0
        for group in self.unchanged:
            free |= group
        return cells_of(_beside(neighbours, free) & ~_beside(neighbours, self.grown) & self.vacant)

    def _movements(self) -> Iterator[tuple[int, int, int]]:
        """Tail, head and goal of every movement of an unchanged group."""
        lines, own = open_lines(self.board), self.own
        for group in self.unchanged:
            for head in cells_of(group):
                for d, ahead in enumerate(lines[head]):
                    if not ahead or (own | self.wall) >> ahead[0] & 1:
                        continue
                    for length, tail in enumerate(lines[head][(d + 3) % 6], start=2):
                        if not own >> tail & 1:
                            break
                        for goal in self.goals(ahead, length):
                            yield tail, head, goal

    def goals(self, ahead: Sequence[int], length: int) -> Iterator[int]:
        """Where the head of a phalanx of that length may halt on the line ahead of it."""
        own, others = self.own, self.others
        barred, beaten = own | self.wall, 0
        for cell in ahead[: length - 1]:
            if barred >> cell & 1:
                return
            if others >> cell & 1 and not beaten >> cell & 1:
                row = self.row(ahead[ahead.index(cell) :], others)
                if row.bit_count() >= length:
                    return
                beaten |= row
            yield cell

    def row(self, line: Sequence[int], men: int) -> int:
        """The unbroken row of these men that a line begins with."""
        row = 0
        for cell in line:
            if not men >> cell & 1:
                break
            row |= 1 << cell
        return row

    # -- what an action does -----------------------------------------------------------------------------------

    def after(self, action: Action) -> "PhalanxPosition":
        """The position after an action; the turn ends when nothing can follow. Raises `IllegalActionError`."""
        changed = self.acted(action)
        if changed.may_end and next(changed._growths_and_movements(), None) is None:
            return changed.end_turn()
        return changed

    def acted(self, action: Action) -> "PhalanxPosition":
        """The position after an action, a turn of the play proper left open. Raises `IllegalActionError`."""
        if action not in self.legal:
            raise IllegalActionError(why_not(self, action))
        if isinstance(action, Place):
            placed = self._with_man(action.colour, self.board.parse(action.cell))
            placed = replace(placed, turn=(*self.turn, action))
            return placed if any(placed.men_left()) else replace(placed, phase=CHOOSE, player=2, turn=())
        if isinstance(action, Choice):
            return replace(self, phase=EXTRA, player=RED, swapped=action.colour == RED)
        if isinstance(action, Extra):
            return self._with_man(RED, self.board.parse(action.cell))._next_turn(lasting=True)
        if isinstance(action, Grow):
            changed = self._grown(action)
        elif isinstance(action, LineMove):
            changed = self._moved(action)
        else:
            return replace(self, passes=self.passes + 1)._next_turn(lasting=False)
        return replace(changed, turn=(*self.turn, action), passes=0)

    def _with_man(self, colour: int, cell: int) -> "PhalanxPosition":
        """One more man on the board."""
        if colour == RED:
            return replace(self, red=self.red | 1 << cell)
        return replace(self, yellow=self.yellow | 1 << cell)

    def _grown(self, action: Grow) -> "PhalanxPosition":
        """A new man set: all groups it touches have grown."""
        cell = self.board.parse(action.cell)
        beside = neighbour_bits(self.board)[cell]
        return replace(
            self._with_man(self.player, cell),
            unchanged=tuple(group for group in self.unchanged if not group & beside),
            grown=self.grown | sum(group for group in self.unchanged if group & beside),
        )

    def footprint(self, action: LineMove) -> tuple[list[int], list[int]]:
        """The cells that a phalanx leaves or passes over, from tail to goal, in two parts: its men, and the way."""
        tail, head, goal = map(self.board.parse, (action.tail, action.head, action.goal))
        line = next(line for line in open_lines(self.board)[tail] if head in line and goal in line)
        return [tail, *line[: line.index(head) + 1]], list(line[line.index(head) + 1 : line.index(goal) + 1])

    def _moved(self, action: LineMove) -> "PhalanxPosition":
        """A phalanx moved, what it covers captured; groups that it touches afterwards lose the right to move."""
        phalanx, way = self.footprint(action)
        captured = bits_of(way) & self.others
        landed = bits_of((phalanx + way)[len(way) :]) & ~captured
        group = next(group for group in self.unchanged if group >> phalanx[0] & 1)
        stays = group & ~bits_of(phalanx) | landed
        own, others = self.own & ~group | stays, self.others & ~captured
        reach = _beside(neighbour_bits(self.board), stays)
        joined = sum(g for g in self.unchanged if g != group and g & reach)
        lost = list(self.lost)
        lost[2 - self.player] += captured.bit_count()
        return replace(
            self,
            red=own if self.player == RED else others,
            yellow=others if self.player == RED else own,
            wall=self.wall | captured,
            lost=(lost[0], lost[1]),
            unchanged=tuple(g for g in self.unchanged if g != group and not g & joined),
            joined=self.joined | joined,
        )

    @property
    def may_end(self) -> bool:
        """Any turn of the play proper may stop after any action; the placer sets all the men."""
        return bool(self.turn) and self.phase == PLAY

    def end_turn(self) -> "PhalanxPosition":
        """The other player's turn. Raises `IllegalActionError` where the turn may not end."""
        if not self.may_end:
            what = "the placer has not set all the men" if self.turn else "a turn without an action is a pass"
            raise IllegalActionError(f"the turn may not end here: {what}")
        lasting = any(isinstance(a, Grow) for a in self.turn) or not self.seen or self.seen[-1][2] != self.wall
        return self._next_turn(lasting)

    def _next_turn(self, lasting: bool) -> "PhalanxPosition":
        """The other player's turn begins; `lasting`: no earlier position can come up again."""
        player = 3 - self.player
        key = (self.red, self.yellow, self.wall, player)
        seen = () if lasting else self.seen
        ended = "passes" if self.passes >= 2 else "threefold" if repeated(seen, key) else ""
        own = self.red if player == RED else self.yellow
        return replace(
            self,
            player=player,
            phase=PLAY,
            ended=ended,
            turn=(),
            unchanged=tuple(components(neighbour_bits(self.board), own)),
            grown=0,
            joined=0,
            seen=(*seen, key),
        )

    def played_on(self) -> "PhalanxPosition":
        """The same table with the end overlooked: people play on after a repetition or passes that nobody noticed."""
        key = (self.red, self.yellow, self.wall, self.player)
        return replace(self, ended="", passes=0, seen=(key,))

    # -- score and looks ---------------------------------------------------------------------------------------

    def areas(self) -> Sequence[tuple[int, frozenset[int]]]:
        """The regions of vacant cells: (the one colour that touches them or 0, their cells)."""
        neighbours, found = neighbour_bits(self.board), []
        for region in components(neighbours, self.vacant):
            cells = frozenset(cells_of(region))
            beside = _beside(neighbours, region)
            red, yellow = beside & self.red, beside & self.yellow
            found.append((0 if bool(red) == bool(yellow) else RED if red else YELLOW, cells))
        return found

    def score(self) -> tuple[int, int]:
        """Vacant cells that only one colour can reach, less the men of that colour taken prisoner."""
        areas = self.areas()
        red, yellow = (sum(len(cells) for owner, cells in areas if owner == side) for side in (RED, YELLOW))
        return red - self.lost[0], yellow - self.lost[1]

    def tiles(self) -> tuple[tuple[str, int, int], ...]:
        """(`open` or `wall`, owner, 1 where a man stands) for every cell."""
        return tuple(map(_TILES.__getitem__, self._contents()))

    def with_tiles(self, tiles: Sequence[Tile], player: int) -> "PhalanxPosition":
        """The play with these tiles on the table instead and this player to move; the prisoners stay.

        Raises `EngineError` for tiles that the game does not know.
        """
        check_tiles(self.board, tiles, player)
        sets = [0] * len(_TILES)
        for i, tile in enumerate(tiles):
            if tile not in _TILES:
                raise unknown_tile("Phalanx", self.board.names[i], tile)
            sets[_TILES.index(tile)] |= 1 << i
        _, red, yellow, wall = sets
        changed = replace(self, red=red, yellow=yellow, wall=wall, player=3 - player, passes=0)
        return changed._next_turn(lasting=True)

    def _contents(self) -> list[int]:
        """For every cell 0, the owner of its man, or 3 for the wall."""
        contents = [0] * len(self.board)
        for what, cells in ((RED, self.red), (YELLOW, self.yellow), (_WALL, self.wall)):
            for cell in cells_of(cells):
                contents[cell] = what
        return contents

    def look(self) -> BoardLook:
        """Single men on bare cells; a dark disk on every cell of the wall."""
        return tuple(map(_LOOKS.__getitem__, self._contents()))

    def material(self, action: Action) -> Mapping[int, tuple[CellLook, ...]]:
        """The looks of every cell that the action changes.

        A captured man goes first or is covered by the attacker; both leave before the dark disk is laid.
        """
        after = self.after(action)
        covering = CellLook(Surface.BARE, self.player, 2), BARE, _LOOKS[self.player], BARE
        old, new = self._contents(), after._contents()
        changed = (self.red ^ after.red) | (self.yellow ^ after.yellow) | (self.wall ^ after.wall)
        return {i: (_LOOKS[old[i]], *(covering if new[i] == _WALL else ()), _LOOKS[new[i]]) for i in cells_of(changed)}

    # -- notation ----------------------------------------------------------------------------------------------

    def parse_turn(self, text: str) -> tuple[PhalanxAction, ...]:
        """A turn as text: its actions joined by commas, as in `+c4,d5..d6-d7`, or `pass`.

        Before play: `r:c4,y:d5,y:f3`, then `red` or `yellow`, then `e5`.
        """
        actions = tuple(parse_action(self.board, part) for part in text.lower().replace(" ", "").split(","))
        check_whole_turn(self, actions, text, PhalanxPosition.acted)
        return actions

    def legal_texts(self) -> list[str]:
        """The actions open now without the pass, sorted; at the very start every whole first placement of three men.

        With the larger opening these would be hundreds of millions; then the single men are listed.
        """
        if self.phase == PLACE and not self.turn and self.opening == (1, 2):
            return self._placements()
        return sorted(str(action) for action in self.actions() if action != PASS)

    def _placements(self) -> list[str]:
        """Every placement of one red and two yellow men."""
        names = self.board.names
        pairs = [(a, b, f",y:{a},y:{b}") for i, a in enumerate(names) for b in names[i + 1 :]]
        return sorted(f"r:{red}{text}" for red in names for a, b, text in pairs if red not in (a, b))


def _beside(neighbours: Sequence[int], men: int) -> int:
    """The set of the cells that touch any of these."""
    beside = 0
    for cell in cells_of(men):
        beside |= neighbours[cell]
    return beside


class Phalanx:
    """The game as `engine.game.Game` asks for it."""

    name = "phalanx"
    title = "Phalanx"
    rule_sets = ("mindsports",)
    default_board = "hexhex-6"
    needs_disks = True
    tile_words: Mapping[Surface, str] = {Surface.BARE: "open", Surface.DARK: "wall"}
    neutral_men = False
    options: Mapping[str, Option] = {
        "opening": Option(("1-2", "2-3"), "how many red and yellow men the placer sets: one and two, or two and three"),
    }

    def start(self, board: Board, rules: str = "", options: Mapping[str, str] | None = None) -> PhalanxPosition:
        """The empty board. Raises `EngineError` for an unknown rule set or option."""
        check_rules(self.title, self.rule_sets, rules)
        chosen = chosen_options(self.title, {name: o.values for name, o in self.options.items()}, options)
        red, yellow = map(int, chosen["opening"].split("-"))
        if len(board) <= red + yellow:
            raise EngineError(f"{board.name} has {len(board)} cells, too few for the opening of Phalanx")
        return PhalanxPosition(board, (red, yellow))

    def format_turn(self, actions: Sequence[Action]) -> str:
        """A turn as text; the men of a placement red first, then by cell."""
        placed = [action for action in actions if isinstance(action, Place)]
        if len(placed) == len(actions):
            placed.sort(key=lambda place: (place.colour, place.cell[0], int(place.cell[1:])))
            return ",".join(map(str, placed))
        return ",".join(map(str, actions))


GAME = Phalanx()
