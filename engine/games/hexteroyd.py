"""Hexteroyd (Remo Conzadori, Emiliano Venturini): pawns that turn two-sided disks and score the groups they touch.

Readings and options: docs/games/hexteroyd.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from engine.bits import bits_of, cells_of, components, neighbour_bits
from engine.board import DIRECTIONS, Board, Cell
from engine.errors import BoardError, EngineError, IllegalActionError
from engine.game import PASS, Action, Option, Outcome
from engine.games._hexteroyd_moves import FILL, Fill, HexteroydAction, Place, TakeBack, Turn, parse_actions
from engine.games._hexteroyd_reasons import why_not
from engine.games._options import chosen_options
from engine.games._turns import BARE, Tile, check_rules, check_tiles, check_whole_turn, unknown_tile
from engine.look import NEUTRAL, BoardLook, CellLook, Surface

DISKS = 60
HAND = (1, 1, 1, 2, 2, 3)
WHITE, BLACK = 1, 2

_RING = tuple(Cell(0, 0).step(d) for d in range(len(DIRECTIONS)))
_LIGHT, _DARK = CellLook(Surface.LIGHT), CellLook(Surface.DARK)
_PAWNS = tuple(CellLook(Surface.BARE, NEUTRAL, value) for value in range(1, max(HAND) + 1))


@dataclass(frozen=True)
class HexteroydPosition:
    """A state of Hexteroyd; `turn` holds the pawn just placed while filling or turning may follow.

    `light` (player 1, White) and `dark` are sets of cells as bits; `pawns` has the value of the pawn on every cell,
    0 for none; `hands` are the values that each player holds, in rising order. A position never comes up twice for
    the same player but by two passes, which end the game: each placement fills a free cell and each pawn taken back
    becomes a disk. So there is no repetition to count.
    """

    board: Board = field(hash=False)
    turn_all: bool
    light: int
    dark: int
    pawns: tuple[int, ...]
    hands: tuple[tuple[int, ...], tuple[int, ...]] = (HAND, HAND)
    player: int = WHITE
    passes: int = 0
    ended: str = ""
    turn: tuple[Place, ...] = ()

    @property
    def stage(self) -> str:
        """`play` or `over`; the six disks of the start lie there from the beginning."""
        return "over" if self.ended else "play"

    @property
    def outcome(self) -> Outcome | None:
        """The end by two passes; the score decides."""
        if not self.ended:
            return None
        white, black = self.score()
        return Outcome(self.ended, 0 if white == black else 1 if white > black else 2)

    @property
    def own(self) -> int:
        """The disks of the player to move."""
        return self.light if self.player == WHITE else self.dark

    @property
    def others(self) -> int:
        """The disks of the player who is not to move."""
        return self.dark if self.player == WHITE else self.light

    @cached_property
    def free(self) -> int:
        """The cells without disk and pawn."""
        pawns = bits_of(i for i, value in enumerate(self.pawns) if value)
        return ((1 << len(self.board)) - 1) & ~(self.light | self.dark | pawns)

    @property
    def disks_left(self) -> int:
        """The disks that are not on the board."""
        return DISKS - (self.light | self.dark).bit_count()

    def beside(self, cell: int, cells: int) -> list[int]:
        """The neighbours of a cell that belong to a set, in the board's order."""
        return list(cells_of(neighbour_bits(self.board)[cell] & cells))

    # -- actions -----------------------------------------------------------------------------------------------

    @cached_property
    def legal(self) -> frozenset[HexteroydAction]:
        """The legal actions as a set."""
        return frozenset(self.actions())

    def actions(self) -> Sequence[HexteroydAction]:
        """Every legal action: pawns to place or take back, and the pass; after a placement filling and turning."""
        if self.ended:
            return ()
        if self.turn:
            return list(self._follow_ups())
        return [PASS, *self._takings(), *self._placings()]

    def _placings(self) -> Iterator[Place]:
        names, values = self.board.names, sorted(set(self.hands[self.player - 1]))
        for cell in cells_of(self.free):
            own = [names[i] for i in self.beside(cell, self.own)]
            for value in values:
                for turned in combinations(own, value):
                    yield Place(value, names[cell], turned)

    def _takings(self) -> Iterator[TakeBack]:
        for cell, value in enumerate(self.pawns):
            if value and self.disks_left:
                own, others = self.beside(cell, self.own), self.beside(cell, self.others)
                if len(own) >= len(others) + value:
                    yield TakeBack(self.board.names[cell])

    def _follow_ups(self) -> Iterator[HexteroydAction]:
        """What may follow the pawn just placed."""
        names, placed = self.board.names, self.turn[0]
        cell = self.board.parse(placed.cell)
        if 0 < len(self.beside(cell, self.free)) <= self.disks_left:
            yield FILL
        opposing = [names[i] for i in self.beside(cell, self.others) if names[i] not in placed.turned]
        most = len(opposing) if self.turn_all else placed.value
        for count in range(1, most + 1):
            yield from map(Turn, combinations(opposing, count))

    # -- what an action does -----------------------------------------------------------------------------------

    def after(self, action: Action) -> "HexteroydPosition":
        """The position after an action; the turn ends when nothing can follow. Raises `IllegalActionError`."""
        changed = self._acted(action)
        return changed.end_turn() if changed.may_end and not changed.legal else changed

    def _acted(self, action: Action) -> "HexteroydPosition":
        """The position after an action, the turn left open after a placement. Raises `IllegalActionError`."""
        if action not in self.legal:
            raise IllegalActionError(why_not(self, action))
        if isinstance(action, Place):
            return self._placed(action)
        if isinstance(action, TakeBack):
            return self._taken_back(self.board.parse(action.cell))._next_turn()
        if isinstance(action, Turn):
            return self._turned(bits_of(map(self.board.parse, action.cells)))._next_turn()
        if isinstance(action, Fill):
            return self._filled()._next_turn()
        passes = self.passes + 1
        return replace(self, player=3 - self.player, passes=passes, ended="passes" if passes == 2 else "")

    def _placed(self, action: Place) -> "HexteroydPosition":
        hand = list(self.hands[self.player - 1])
        hand.remove(action.value)
        changed = self._turned(bits_of(map(self.board.parse, action.turned)))
        pawns = _with(self.pawns, self.board.parse(action.cell), action.value)
        return replace(changed, pawns=pawns, hands=self._hands(hand), turn=(action,))

    def _taken_back(self, cell: int) -> "HexteroydPosition":
        hand = sorted((*self.hands[self.player - 1], self.pawns[cell]))
        return replace(self._with_own(1 << cell), pawns=_with(self.pawns, cell, 0), hands=self._hands(hand))

    def _filled(self) -> "HexteroydPosition":
        cell = self.board.parse(self.turn[0].cell)
        return self._with_own(neighbour_bits(self.board)[cell] & self.free)

    def _turned(self, cells: int) -> "HexteroydPosition":
        """Disks turned over, whoever's they are."""
        return replace(self, light=self.light ^ cells, dark=self.dark ^ cells)

    def _with_own(self, cells: int) -> "HexteroydPosition":
        """Disks of the player to move laid on these cells."""
        return (
            replace(self, light=self.light | cells) if self.player == WHITE else replace(self, dark=self.dark | cells)
        )

    def _hands(self, hand: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The hands with another one for the player to move."""
        return (tuple(hand), self.hands[1]) if self.player == WHITE else (self.hands[0], tuple(hand))

    def _next_turn(self) -> "HexteroydPosition":
        return replace(self, player=3 - self.player, passes=0, turn=())

    @property
    def may_end(self) -> bool:
        """Filling and turning are optional."""
        return bool(self.turn)

    def end_turn(self) -> "HexteroydPosition":
        """The other player's turn. Raises `IllegalActionError` where the turn may not end."""
        if not self.turn:
            raise IllegalActionError("the turn may not end here: a turn without an action is a pass")
        return self._next_turn()

    def played_on(self) -> "HexteroydPosition":
        """The same table with the end overlooked: people play on after two passes that nobody noticed."""
        return replace(self, ended="", passes=0)

    # -- score and looks ---------------------------------------------------------------------------------------

    def _best_group(self, disks: int) -> tuple[int, int]:
        """(value, cells) of the group of the highest value; (0, no cells) where there is none."""
        neighbours = neighbour_bits(self.board)
        pawns = [(neighbours[i], value) for i, value in enumerate(self.pawns) if value]
        best = 0, 0
        for group in components(neighbours, disks):
            value = sum(v for beside, v in pawns if beside & group)
            if value > best[0] or not best[1]:
                best = value, group
        return best

    def score(self) -> tuple[int, int]:
        """The value of each player's best group less the values in his hand."""
        return (
            self._best_group(self.light)[0] - sum(self.hands[0]),
            self._best_group(self.dark)[0] - sum(self.hands[1]),
        )

    def areas(self) -> Sequence[tuple[int, frozenset[int]]]:
        """The best group of each player."""
        groups = (WHITE, self._best_group(self.light)[1]), (BLACK, self._best_group(self.dark)[1])
        return [(player, frozenset(cells_of(group))) for player, group in groups]

    def tiles(self) -> tuple[tuple[str, int, int], ...]:
        """`light`, `dark` or `open`; a pawn belongs to owner 3 and is as high as its value."""
        return tuple(
            (
                "light" if self.light >> i & 1 else "dark" if self.dark >> i & 1 else "open",
                NEUTRAL if value else 0,
                value,
            )
            for i, value in enumerate(self.pawns)
        )

    def with_tiles(self, tiles: Sequence[Tile], player: int) -> "HexteroydPosition":
        """The same game with these tiles on the table instead and this player to move.

        Pawns that appear come from the hand of the player whose turn it was, if he has them, else from the other's;
        pawns that vanish go to his. Raises `EngineError` for tiles and pawns that the game does not have.
        """
        check_tiles(self.board, tiles, player)
        sets, pawns = {"light": 0, "dark": 0, "open": 0}, []
        for i, (word, owner, value) in enumerate(tiles):
            pawn = word == "open" and owner == NEUTRAL and value in HAND
            if word not in sets or (not pawn and (owner or value)):
                raise unknown_tile("Hexteroyd", self.board.names[i], tiles[i])
            sets[word] |= 1 << i
            pawns.append(value)
        if (sets["light"] | sets["dark"]).bit_count() > DISKS:
            raise EngineError(f"there are only {DISKS} disks in Hexteroyd")
        table = replace(self, light=sets["light"], dark=sets["dark"], pawns=tuple(pawns))
        return replace(table, hands=self._hands_for(pawns), player=player, passes=0, ended="", turn=())

    def _hands_for(self, pawns: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The hands when these pawns stand on the board. Raises `EngineError` where there are not so many."""
        mine, others = [*self.hands[self.player - 1], *filter(None, self.pawns)], list(self.hands[2 - self.player])
        for value in filter(None, pawns):
            hand = mine if value in mine else others
            if value not in hand:
                raise EngineError(f"there are only {2 * HAND.count(value)} pawns of value {value} in Hexteroyd")
            hand.remove(value)
        first, second = tuple(sorted(mine)), tuple(sorted(others))
        return (first, second) if self.player == WHITE else (second, first)

    def look(self) -> BoardLook:
        """Light and dark faces of the disks; a pawn of value n is a stack of n neutral men on the bare cell."""
        looks = [_PAWNS[value - 1] if value else BARE for value in self.pawns]
        for disk, cells in ((_LIGHT, self.light), (_DARK, self.dark)):
            for cell in cells_of(cells):
                looks[cell] = disk
        return tuple(looks)

    def material(self, action: Action) -> Mapping[int, tuple[CellLook, ...]]:
        """The looks of every cell that the action changes: disks lifted to be turned, pawns built man by man."""
        looks = zip(self.look(), self.after(action).look(), strict=True)
        return {cell: _stages(before, after) for cell, (before, after) in enumerate(looks) if before != after}

    # -- notation ----------------------------------------------------------------------------------------------

    def parse_turn(self, text: str) -> tuple[HexteroydAction, ...]:
        """A turn as text: `2@d4(c4,d5)`, the same with `*` or `[e4,e5]` behind it, `-d4`, `pass`."""
        actions = parse_actions(self.board, text.lower().replace(" ", ""))
        check_whole_turn(self, actions, text, HexteroydPosition._acted)
        return actions

    def legal_texts(self) -> list[str]:
        """All legal turns, sorted."""
        texts = []
        for action in self.actions():
            texts.append(str(action))
            if isinstance(action, Place):
                texts += [f"{action}{then}" for then in self._acted(action).actions()]
        return sorted(texts)


def _with(pawns: tuple[int, ...], cell: int, value: int) -> tuple[int, ...]:
    """The pawns with another value on one cell."""
    return (*pawns[:cell], value, *pawns[cell + 1 :])


def _stages(before: CellLook, after: CellLook) -> tuple[CellLook, ...]:
    """The looks of a cell on the way from one to the other: disks lifted off, stacks taken down or built up."""
    between = () if BARE in (before, after) else (BARE,)
    return (*(_PAWNS[: before.height][::-1] or (before,)), *between, *(_PAWNS[: after.height] or (after,)))


class Hexteroyd:
    """The game as `engine.game.Game` asks for it."""

    name = "hexteroyd"
    title = "Hexteroyd"
    rule_sets = ("mindsports",)
    default_board = "hexhex-5"
    needs_disks = True
    tile_words: Mapping[Surface, str] = {Surface.BARE: "open", Surface.LIGHT: "light", Surface.DARK: "dark"}
    neutral_men = True
    options: Mapping[str, Option] = {
        "start": Option(
            ("d5", "d6"),
            "which of the six disks round the centre are white: d5, e6 and f5 (upper left, right and lower left of the "
            "centre), or the other three",
        ),
        "turn": Option(
            ("value", "all"),
            "how many opposing disks a placed pawn may turn in the second part: up to its value, or all next to it",
        ),
    }

    def start(self, board: Board, rules: str = "", options: Mapping[str, str] | None = None) -> HexteroydPosition:
        """Six disks round the centre. Raises `EngineError` for unknown rules or options, or an unfit board."""
        check_rules(self.title, self.rule_sets, rules)
        chosen = chosen_options(self.title, {name: o.values for name, o in self.options.items()}, options)
        if missing := [cell for cell in _RING if cell not in board.index]:
            q, r = missing[0]
            raise BoardError(f"Hexteroyd starts round the cell (0, 0), but {board.name} lacks the cell ({q}, {r})")
        ring = [board.index[cell] for cell in _RING]
        even, odd = bits_of(ring[0::2]), bits_of(ring[1::2])
        light, dark = (even, odd) if chosen["start"] == "d5" else (odd, even)
        return HexteroydPosition(board, chosen["turn"] == "all", light, dark, (0,) * len(board))

    def format_turn(self, actions: Sequence[Action]) -> str:
        """A whole turn in the notation."""
        return "".join(map(str, actions))


GAME = Hexteroyd()
