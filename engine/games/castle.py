"""The castle game (the older Storisende): bound and free men, switching, phalanxes, and the Throne.

Readings and options: docs/games/castle.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from engine.board import DIRECTIONS, Board, Cell
from engine.errors import BoardError, EngineError, IllegalActionError
from engine.game import PASS, Action, Option, Outcome
from engine.games._castle_moves import CastleAction, Ground, ManMove, Place, parse_action
from engine.games._castle_reasons import why_not
from engine.games._moves import LineMove
from engine.games._options import chosen_options
from engine.games._turns import Tile, changes, check_rules, check_tiles, check_whole_turn, repeated, unknown_tile
from engine.look import BoardLook, CellLook, Surface

_STAR = (Cell(0, 0), *(Cell(0, 0).step(d, k) for k in (1, 2) for d in range(len(DIRECTIONS))))
_LOOKS = (CellLook(Surface.BARE), CellLook(Surface.BARE, 1, 1), CellLook(Surface.BARE, 2, 1))


def _with(men: tuple[int, ...], change: Mapping[int, int]) -> tuple[int, ...]:
    """The men with some cells changed."""
    new = list(men)
    for cell, owner in change.items():
        new[cell] = owner
    return tuple(new)


@dataclass(frozen=True)
class CastlePosition:
    """A state of the castle game.

    `men` has the owner of every cell, 0 where it is vacant. `last` is the man placed last; `banned` are start and goal
    of the switch back that is not allowed now. `history` has the earlier positions of the play proper.
    """

    ground: Ground = field(hash=False)
    men: tuple[int, ...]
    player: int = 1
    placing: bool = True
    last: int | None = None
    banned: tuple[int, int] | None = None
    turn: tuple[CastleAction, ...] = ()
    outcome: Outcome | None = None
    history: tuple[tuple[int, ...], ...] = field(default=(), compare=False, repr=False)

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self.ground.board

    @property
    def stage(self) -> str:
        """`placement`, `play` or `over`."""
        return "over" if self.outcome else "placement" if self.placing else "play"

    @property
    def may_end(self) -> bool:
        """No turn of this game stops half-way by choice."""
        return False

    def end_turn(self) -> "CastlePosition":
        """Always refused: a turn ends by itself."""
        raise IllegalActionError("a turn of the castle game ends by itself: both placements are compulsory")

    @cached_property
    def legal(self) -> frozenset[CastleAction]:
        """The legal actions as a set."""
        return frozenset(self.actions())

    def actions(self) -> Sequence[CastleAction]:
        """Every legal action: the cells for the next man, or the moves; a pass only where nothing else is legal."""
        names = self.board.names
        if self.outcome:
            return ()
        if self.placing:
            found: list[CastleAction] = [Place(names[i]) for i in self._open_cells(self.men, len(self.turn))]
        else:
            found = [ManMove(names[i], names[j]) for i, j in self._man_moves()]
            found += [LineMove(names[t], names[h], names[g]) for t, h, g in self._line_moves()]
        return found or (PASS,)

    def _open_cells(self, men: tuple[int, ...], placed: int) -> list[int]:
        """Where the first (bound) or the second (free) man of a placement turn may stand."""
        neighbours = self.board.neighbours
        empty = [i for i in self.ground.outside if not men[i]]
        if placed:
            return [i for i in empty if not any(men[n] for n in neighbours[i])]
        return empty if self.last is None else [i for i in empty if i in neighbours[self.last]]

    def _man_moves(self) -> Iterator[tuple[int, int]]:
        """Start and goal of every move of a single man."""
        inside, throne, lines = self.ground.inside, self.ground.throne, self.ground.lines
        for start, owner in enumerate(self.men):
            if owner != self.player:
                continue
            for line in lines[start]:
                outside, before = not inside[start], start
                for cell in line:
                    if inside[cell] and outside:
                        break
                    outside = not inside[cell]
                    if self.men[cell]:
                        if self.men[cell] != self.player and before != throne and (start, cell) != self.banned:
                            yield start, cell
                        break
                    if cell != throne:
                        yield start, cell
                    before = cell

    def _line_moves(self) -> Iterator[tuple[int, int, int]]:
        """Tail, head and goal of every move of a phalanx."""
        inside, lines = self.ground.inside, self.ground.lines
        for head, owner in enumerate(self.men):
            if owner != self.player:
                continue
            for d in range(6):
                ahead = lines[head][d]
                if not ahead or self.men[ahead[0]] == self.player:
                    continue
                all_inside = inside[head]
                for length, tail in enumerate(lines[head][(d + 3) % 6], start=2):
                    if self.men[tail] != self.player:
                        break
                    all_inside = all_inside and inside[tail]
                    for goal in self._line_goals(ahead, length, all_inside):
                        yield tail, head, goal

    def _line_goals(self, ahead: Sequence[int], length: int, all_inside: bool) -> Iterator[int]:
        """Where the head of a phalanx of that length may halt on the open line ahead of it."""
        for steps, cell in enumerate(ahead[: length - 1], start=1):
            owner = self.men[cell]
            if owner == self.player or (cell == self.ground.throne and not (steps <= 2 and self.throne_open)):
                return
            if owner:
                run = self.run(ahead[steps - 1 :], owner)
                if steps + len(run) <= length and (all_inside or not any(self.ground.inside[i] for i in run)):
                    yield run[-1]
                return
            yield cell

    def run(self, line: Sequence[int], owner: int) -> list[int]:
        """The unbroken row of one owner's men that a line begins with."""
        run: list[int] = []
        for cell in line:
            if self.men[cell] != owner:
                break
            run.append(cell)
        return run

    @cached_property
    def throne_open(self) -> bool:
        """Whether the player to move has the men inside the castle that the Throne asks for."""
        mine, others, vacant = self.inside_counts()
        return mine >= others and mine > vacant

    def inside_counts(self) -> tuple[int, int, int]:
        """The mover's men, the other's men and the vacant cells inside the castle, the Throne among them."""
        owners = [self.men[i] for i in self.ground.castle]
        return owners.count(self.player), owners.count(3 - self.player), owners.count(0)

    def after(self, action: Action) -> "CastlePosition":
        """The position after an action; raises `IllegalActionError` with the rule that forbids it."""
        if isinstance(action, Place) and action in self.legal:
            return self._placed(self.board.parse(action.cell))
        if isinstance(action, ManMove) and action in self.legal:
            return self._man_moved(self.board.parse(action.start), self.board.parse(action.goal))
        if isinstance(action, LineMove) and action in self.legal:
            return self._line_moved(*map(self.board.parse, (action.tail, action.head, action.goal)))
        if action == PASS and PASS in self.legal:
            return self._handed_over(self.men, None) if not self.placing else self._play_begins(self.men)
        raise IllegalActionError(why_not(self, action))

    def _placed(self, cell: int) -> "CastlePosition":
        """A man set; the turn ends with the second one, the placement where no second one fits."""
        men = _with(self.men, {cell: self.player})
        if self.last is not None and not self.turn:
            if self._open_cells(men, 1):
                return replace(self, men=men, last=cell, turn=(Place(self.board.names[cell]),))
            return self._play_begins(men)
        return replace(self, men=men, last=cell, player=3 - self.player, turn=())

    def _play_begins(self, men: tuple[int, ...]) -> "CastlePosition":
        """The other player begins the play proper: this one could not set his second man."""
        return replace(self, men=men, placing=False, last=None, turn=(), player=3 - self.player)

    def _man_moved(self, start: int, goal: int) -> "CastlePosition":
        """A man moved, an adverse man on the goal put on the last vacant cell before it."""
        change = {start: 0, goal: self.player}
        if not self.men[goal]:
            return self._handed_over(_with(self.men, change), None)
        line = (start, *self.ground.lines[start][self.ground.toward(start, goal)])
        switched = line[line.index(goal) - 1]
        change[switched] = 3 - self.player
        return self._handed_over(_with(self.men, change), (switched, goal))

    def _line_moved(self, tail: int, head: int, goal: int) -> "CastlePosition":
        """A phalanx moved, the men run over put behind it, its men left outside taken off where the head is inside."""
        back = self.ground.lines[goal][self.ground.toward(goal, head)]
        path = (goal, *back[: back.index(tail) + 1])
        length = path.index(tail) - path.index(head) + 1
        run = sum(self.men[i] != 0 for i in path) - length
        change = dict.fromkeys(path, 0)
        change |= dict.fromkeys(path[:length], self.player)
        change |= dict.fromkeys(path[length : length + run], 3 - self.player)
        if self.ground.inside[goal]:
            change |= {i: 0 for i in path[:length] if not self.ground.inside[i]}
        men = _with(self.men, change)
        if men[self.ground.throne]:
            return replace(self, men=men, player=3 - self.player, banned=None, outcome=Outcome("throne", self.player))
        return self._handed_over(men, None)

    def _handed_over(self, men: tuple[int, ...], banned: tuple[int, int] | None) -> "CastlePosition":
        """The next turn of the play proper; a position that comes up for the third time is a draw."""
        key = (*men, 3 - self.player)
        history = self.history or ((*self.men, self.player),)
        return replace(
            self,
            men=men,
            player=3 - self.player,
            banned=banned,
            outcome=Outcome("threefold", 0) if repeated(history, key) else None,
            history=(*history, key),
        )

    def score(self) -> tuple[int, int]:
        """The men of each player inside the castle."""
        owners = [self.men[i] for i in self.ground.castle]
        return owners.count(1), owners.count(2)

    def areas(self) -> Sequence[tuple[int, frozenset[int]]]:
        """The castle cells that each player's men stand on."""
        return [(p, frozenset(i for i in self.ground.castle if self.men[i] == p)) for p in (1, 2)]

    def tiles(self) -> tuple[tuple[str, int, int], ...]:
        """(`open`, `castle` or `throne`; owner; 1 where a man stands) for every cell."""
        words = ["castle" if inside else "open" for inside in self.ground.inside]
        words[self.ground.throne] = "throne"
        return tuple((word, owner, int(owner > 0)) for word, owner in zip(words, self.men, strict=True))

    def with_tiles(self, tiles: Sequence[Tile], player: int) -> "CastlePosition":
        """The play proper with these tiles on the table instead and this player to move. Raises `EngineError`."""
        check_tiles(self.board, tiles, player)
        for i, (tile, (word, _, _)) in enumerate(zip(tiles, self.tiles(), strict=True)):
            if tile not in ((word, 0, 0), (word, 1, 1), (word, 2, 1)) or (word == "throne" and tile[1]):
                raise unknown_tile("castle", self.board.names[i], tile)
        return CastlePosition(self.ground, tuple(owner for _, owner, _ in tiles), player, placing=False)

    def look(self) -> BoardLook:
        """Single men on bare cells; the castle is drawn on the board, no disks are used."""
        return tuple(_LOOKS[owner] for owner in self.men)

    def material(self, action: Action) -> Mapping[int, tuple[CellLook, ...]]:
        """The looks of every cell that the action changes; men that change places leave it empty for a moment."""
        return changes(self.look(), self.after(action).look())

    def parse_turn(self, text: str) -> tuple[CastleAction, ...]:
        """The actions of a whole turn: `c4`, `c4,g7`, `c4-c8`, `c3..c6-c8` or `pass`."""
        actions = tuple(parse_action(self.board, part) for part in text.replace(" ", "").split(","))
        check_whole_turn(self, actions, text, CastlePosition.after)
        return actions

    def legal_texts(self) -> list[str]:
        """All legal turns, sorted."""
        texts: list[str] = []
        for action in self.actions():
            then = self.after(action) if isinstance(action, Place) else self
            texts += [f"{action},{second}" for second in then.actions()] if then.turn else [str(action)]
        return sorted(texts)


class Castle:
    """The castle game with its options."""

    name = "castle"
    title = "Castle"
    rule_sets = ("mindsports",)
    default_board = "hexhex-6"
    needs_disks = False
    tile_words: Mapping[Surface, str] = {}
    neutral_men = False
    options: Mapping[str, Option] = {
        "castle": Option(
            ("star",),
            "the cells of the castle: the Throne in the middle, the six round it and the six two steps away in a "
            "straight line; or a list of cells, the Throne first, as in 'f6 e6 e7 f5 f7 g6 g7'",
        ),
        "doors": Option(
            ("open", "tips"),
            "where men pass between the castle and the outside: anywhere, or only over castle cells that do not touch "
            "the Throne",
        ),
    }

    def start(self, board: Board, rules: str = "", options: Mapping[str, str] | None = None) -> CastlePosition:
        """The empty board. Raises `EngineError` for an unknown rule set or option, or a board without the castle."""
        check_rules(self.title, self.rule_sets, rules)
        known = {name: option.values for name, option in self.options.items()}
        known["castle"] = ("star", (options or {}).get("castle", "star"))
        chosen = chosen_options(self.title, known, options)
        ground = Ground(board, self._castle(board, chosen["castle"]), chosen["doors"])
        return CastlePosition(ground, (0,) * len(board))

    def _castle(self, board: Board, value: str) -> tuple[int, ...]:
        """The cells of the castle, the Throne first."""
        if value == "star":
            if missing := [c for c in _STAR if c not in board.index]:
                q, r = missing[0]
                raise BoardError(f"the castle star needs the cell ({q}, {r}), which {board.name} lacks")
            cells = [board.index[c] for c in _STAR]
        else:
            cells = [board.parse(name) for name in value.replace(",", " ").split()]
            if len(set(cells)) != len(cells):
                raise EngineError(f"castle: option castle names a cell twice: '{value}'")
        if not cells or len(cells) == len(board):
            raise EngineError(f"castle: the castle '{value}' must have a Throne and leave cells outside")
        return tuple(cells)

    def from_tiles(
        self,
        board: Board,
        tiles: Sequence[Tile],
        player: int,
        rules: str = "",
        options: Mapping[str, str] | None = None,
    ) -> CastlePosition:
        """A game taken up in the middle, nobody just switched. Raises `EngineError`."""
        return self.start(board, rules, options).with_tiles(tiles, player)

    def format_turn(self, actions: Sequence[Action]) -> str:
        """A whole turn in the notation."""
        return ",".join(map(str, actions))


GAME = Castle()
