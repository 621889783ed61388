"""Storisende (Christian Freeling, 2018): rule sets `mindsports` (the designer's site) and `ersatz` (Peter S.).

Both share the idea: a piece moves as many cells as it is high, the cell it leaves becomes pasture (`territory`) or,
where it would join two territories, wall; a virgin cell left by exactly two men sprouts a new one.
Readings and options: docs/games/storisende.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from engine.bits import cells_of, component, components
from engine.board import Board
from engine.errors import IllegalActionError, NotationError
from engine.game import PASS, Option, Outcome
from engine.games._options import chosen_options
from engine.games._storisende_moves import (
    CHOICES,
    PASSING,
    Action,
    Choice,
    Move,
    Pass,
    Place,
    Setup,
    make_setup,
)
from engine.games._storisende_reasons import why_no_move, why_no_place
from engine.games._turns import check_rules, check_tiles, unknown_tile
from engine.look import BoardLook, CellLook, Surface

#: The phases of a game, in their order.
FIRST, CHOOSE, SECOND, PLAY = range(4)

_SURFACES = (Surface.BEIGE, Surface.BARE, Surface.DARK)


@dataclass(frozen=True, slots=True)
class StorisendePosition:
    """A state of the game. Player 1 owns the first placement and moves first.

    `stacks` has the height of every cell, positive for player 1, negative for player 2. `territory` and `wall` are
    sets of cells as bits; every other cell is virgin. `seen` are the stacks and players to move since the last
    move that cannot be undone, this one included: what threefold repetition is counted in.
    """

    setup: Setup = field(hash=False)
    stacks: tuple[int, ...]
    territory: int = 0
    wall: int = 0
    player: int = 1
    phase: int = FIRST
    passes: int = 0
    swapped: bool = False
    ended: str = ""
    turn: tuple[Action, ...] = field(default=(), compare=False)
    seen: tuple[tuple[tuple[int, ...], int], ...] = field(default=(), compare=False, repr=False)

    @property
    def board(self) -> Board:
        return self.setup.board

    @property
    def stage(self) -> str:
        """`placement` until both sides have set their men, `play`, or `over`."""
        return "over" if self.ended else "play" if self.phase == PLAY else "placement"

    @property
    def outcome(self) -> Outcome | None:
        """The end by two passes or threefold repetition; the score decides."""
        if not self.ended:
            return None
        first, second = self.score()
        return Outcome(self.ended, 0 if first == second else 1 if first > second else 2)

    def men(self, player: int) -> int:
        """How many men of a player are on the board."""
        return sum(h for h in self.stacks if h > 0) if player == 1 else -sum(h for h in self.stacks if h < 0)

    # -- placement ---------------------------------------------------------------------------------------------

    def placement_limits(self) -> tuple[int, int]:
        """Least and greatest number of men of the placement under way."""
        if self.phase == SECOND:
            return self.men(1), self.men(1)
        if self.setup.rules == "ersatz":
            return 2, 2
        least, _, greatest = self.setup.men.partition("-")
        return int(least), int(greatest or least)

    def _may_place(self, cell: int) -> bool:
        height = self.stacks[cell] if self.player == 1 else -self.stacks[cell]
        if height < 0:
            return False
        if self.setup.rules == "ersatz":
            return not self.turn or height > 0
        return not (height and self.phase == SECOND and self.setup.second == "singles")

    def _place(self, place: Place) -> "StorisendePosition":
        if self.ended or self.phase not in (FIRST, SECOND) or not self._may_place(place.cell):
            raise IllegalActionError(why_no_place(self, place))
        stacks = list(self.stacks)
        stacks[place.cell] += 1 if self.player == 1 else -1
        after = replace(self, stacks=tuple(stacks), turn=(*self.turn, place))
        return after.end_turn() if len(after.turn) == self.placement_limits()[1] else after

    def _choose(self, choice: Choice) -> "StorisendePosition":
        if self.ended or self.phase != CHOOSE:
            raise IllegalActionError(f"{choice}: there is no side to choose now")
        return replace(self, phase=SECOND, swapped=choice.take)

    @property
    def may_end(self) -> bool:
        """Whether the placement under way has enough men; a move ends its turn by itself."""
        return bool(self.turn) and len(self.turn) >= self.placement_limits()[0]

    def end_turn(self) -> "StorisendePosition":
        """Hand over after a placement. Raises `IllegalActionError` where it may not end."""
        if not self.may_end:
            if not self.turn:
                raise IllegalActionError("no turn is under way that could end here; a turn without a move is a pass")
            least = self.placement_limits()[0]
            placed = "1 man is" if len(self.turn) == 1 else f"{len(self.turn)} men are"
            raise IllegalActionError(f"{placed} placed but the placement needs {least}")
        if self.phase == FIRST:
            phase = CHOOSE if self.setup.choice == "turn" else SECOND
            return replace(self, phase=phase, player=2, turn=())
        return replace(self, phase=PLAY, player=1, turn=(), seen=((self.stacks, 1),))

    # -- play --------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """Every legal action: in the placement single men, then the chooser's decision, then moves and the pass."""
        if self.ended:
            return ()
        if self.phase == PLAY:
            return self._moves()
        if self.phase == CHOOSE:
            return CHOICES
        return [place for place in self.setup.places if self._may_place(place.cell)]

    def _moves(self) -> list[Action]:
        if self.player == 1:
            own = [(i, h) for i, h in enumerate(self.stacks) if h > 0]
        else:
            own = [(i, -h) for i, h in enumerate(self.stacks) if h < 0]
        wall, setup = self.wall, self.setup
        bars = wall
        if wall:
            for i, _ in own:
                bars &= ~(1 << i)
        ersatz = setup.rules == "ersatz"
        moves: list[Action] = [PASSING]
        for i, h in own:
            climbed = bool(wall >> i & 1)
            reach = setup.reach(i, h, climbed)
            if not reach.touched & wall or (climbed and not ersatz):
                moves += reach.moves
            elif climbed:
                moves += [move for move, target, _ in reach.tests if not target & wall]
            else:
                moves += [move for move, target, jumped in reach.tests if not (target & wall or jumped & bars)]
        return moves

    def allows(self, move: Move) -> bool:
        """Whether a move is legal here."""
        if self.ended or self.phase != PLAY:
            return False
        source, target, part = move.source, move.target, move.part
        height = self.stacks[source] if self.player == 1 else -self.stacks[source]
        line = self.setup.lines[source].get(target)
        if height <= part or line is None:
            return False
        distance, between = line
        ersatz = self.setup.rules == "ersatz"
        climbed = self.wall >> source & 1
        if distance != (part or height) and not (climbed and ersatz):
            return False
        if climbed:
            return not (ersatz and self.wall >> target & 1)
        jumped = between & self.wall
        if self.wall >> target & 1:
            return False
        return not jumped or all(self.stacks[i] * self.stacks[source] > 0 for i in cells_of(jumped))

    def after(self, action: Any) -> "StorisendePosition":
        """The position after an action. Raises `IllegalActionError` with the rule that forbids it."""
        if isinstance(action, Move):
            if not self.allows(action):
                raise IllegalActionError(why_no_move(self, action))
            return self._moved(action)
        if isinstance(action, Place):
            return self._place(action)
        if isinstance(action, Choice):
            return self._choose(action)
        if isinstance(action, Pass):
            return self._passed()
        raise NotationError(f"{action!r} is no action of Storisende")

    def becomes(self, cell: int) -> str:
        """What a virgin cell turns into when it is vacated now: `territory`, or `wall` between two territories."""
        beside = self.setup.neighbours[cell] & self.territory
        if not beside & (beside - 1):
            return "territory"
        joined = component(self.setup.neighbours, beside & -beside, self.territory)
        return "wall" if beside & ~joined else "territory"

    def _moved(self, move: Move) -> "StorisendePosition":
        source, target, part = move.source, move.target, move.part
        stacks = list(self.stacks)
        height, met = stacks[source], stacks[target]
        sign = 1 if height > 0 else -1
        count = part * sign or height
        stacks[source] = height - count
        stacks[target] = count if met * sign < 0 else met + count
        territory, wall = self.territory, self.wall
        lasting = met * sign < 0
        if not part and not (territory | wall) >> source & 1:
            lasting = True
            if self.becomes(source) == "wall":
                wall |= 1 << source
            else:
                territory |= 1 << source
            if height == 2 * sign:
                stacks[source] = sign
        table, player = tuple(stacks), 3 - self.player
        seen = ((table, player),) if lasting else (*self.seen, (table, player))
        ended = "threefold" if not lasting and seen.count((table, player)) >= 3 else ""
        return StorisendePosition(self.setup, table, territory, wall, player, PLAY, 0, self.swapped, ended, (), seen)

    def _passed(self) -> "StorisendePosition":
        if self.ended:
            raise IllegalActionError(f"pass: the game is over ({self.ended})")
        if self.phase != PLAY:
            raise IllegalActionError("pass: nobody passes during the placement")
        player = 3 - self.player
        seen = (*self.seen, (self.stacks, player))
        repeated = seen.count((self.stacks, player)) >= 3
        ended = "passes" if self.passes else "threefold" if repeated else ""
        return replace(self, player=player, passes=self.passes + 1, ended=ended, seen=seen)

    def played_on(self) -> "StorisendePosition":
        """The same table with the end overlooked: people play on after a repetition that nobody noticed."""
        return replace(self, ended="", passes=0, seen=((self.stacks, self.player),))

    def with_tiles(self, tiles: Sequence[tuple[str, int, int]], player: int) -> "StorisendePosition":
        """The play with these tiles on the table instead and this player to move. Raises `EngineError`."""
        check_tiles(self.board, tiles, player)
        sets, stacks = {"virgin": 0, "territory": 0, "wall": 0}, []
        for i, (tile, owner, height) in enumerate(tiles):
            if tile not in sets or owner not in (0, 1, 2) or height < 0 or (owner == 0) != (height == 0):
                raise unknown_tile("Storisende", self.board.names[i], tiles[i])
            sets[tile] |= 1 << i
            stacks.append(height if owner == 1 else -height)
        table, seen = tuple(stacks), ((tuple(stacks), player),)
        return StorisendePosition(
            self.setup, table, sets["territory"], sets["wall"], player, PLAY, swapped=self.swapped, seen=seen
        )

    # -- score and looks ---------------------------------------------------------------------------------------

    def areas(self) -> list[tuple[int, frozenset[int]]]:
        """Territories with the virgin cells that touch them: (the one colour standing in it or 0, its cells)."""
        found = []
        ground = ((1 << len(self.stacks)) - 1) & ~self.wall
        for part in components(self.setup.neighbours, ground):
            cells = frozenset(cells_of(part))
            colours = {1 if self.stacks[i] > 0 else 2 for i in cells if self.stacks[i]}
            found.append((colours.pop() if len(colours) == 1 else 0, cells))
        return found

    def score(self) -> tuple[int, int]:
        """Cells of the areas that only one player's men stand in; men on the wall control nothing."""
        areas = self.areas()
        return sum(len(a) for owner, a in areas if owner == 1), sum(len(a) for owner, a in areas if owner == 2)

    def tile(self, cell: int) -> str:
        """`virgin`, `territory` or `wall`."""
        if self.territory >> cell & 1:
            return "territory"
        return "wall" if self.wall >> cell & 1 else "virgin"

    def tiles(self) -> tuple[tuple[str, int, int], ...]:
        """For every cell (tile, owner, height)."""
        return tuple((self.tile(i), 1 if h > 0 else 2 if h else 0, abs(h)) for i, h in enumerate(self.stacks))

    def look(self) -> BoardLook:
        """Virgin cells carry the beige disk, the wall the dark one, territory none."""
        return tuple(map(self.look_of, range(len(self.stacks))))

    def look_of(self, cell: int) -> CellLook:
        """What one cell looks like."""
        surface = 1 if self.territory >> cell & 1 else 2 if self.wall >> cell & 1 else 0
        return _cell_look(surface, self.stacks[cell])

    def material(self, action: Action) -> Mapping[int, tuple[CellLook, ...]]:
        """The looks of source and target while a move is carried out.

        Source: the piece taken up, then the disk lifted or turned, then the new man. Target: the captured piece
        taken off, then the moving one set down.
        """
        if isinstance(action, Choice | Pass):
            return {}
        after = self.after(action)
        if isinstance(action, Place):
            return {action.cell: (self.look_of(action.cell), after.look_of(action.cell))}
        source, target = action.source, action.target
        start, end = self.look_of(source), after.look_of(source)
        steps = [start]
        if not action.part:
            steps += [CellLook(start.surface), CellLook(end.surface)]
        steps.append(end)
        reached, final = self.look_of(target), after.look_of(target)
        cleared = [CellLook(reached.surface)] if reached.men not in (0, start.men) else []
        return {source: _distinct(steps), target: _distinct([reached, *cleared, final])}

    # -- notation ----------------------------------------------------------------------------------------------

    def parse_turn(self, text: str) -> tuple[Action, ...]:
        """A turn as text: `c6,e6,e6` (placement), `take` or `leave`, `a5-c4`, `d3:1-d4`, `pass`.

        A whole piece may also be written with its number of men, `a5:2-c4`.
        """
        word = text.strip().lower()
        if word == PASS:
            self.after(PASSING)
            return (PASSING,)
        for choice in CHOICES:
            if word == str(choice):
                self.after(choice)
                return (choice,)
        if "-" not in word:
            return self._parse_placement(word)
        move = self.setup.parse_move(word)
        if move.part and move.part == abs(self.stacks[move.source]):
            move = self.setup.move(move.source, move.target)
        if not self.allows(move):
            raise IllegalActionError(why_no_move(self, move))
        return (move,)

    def _parse_placement(self, word: str) -> tuple[Action, ...]:
        names = [name.strip() for name in word.split(",")]
        if not all(names):
            raise NotationError(f"'{word}' is no turn; a placement is a list of cells like c6,e6,e6,b3")
        places = tuple(self.setup.places[self.board.parse(name)] for name in names)
        position = self
        for place in places:
            if position.player != self.player or position.phase != self.phase:
                most = self.placement_limits()[1]
                raise IllegalActionError(f"{word} places {len(places)} men but {most} are to be placed")
            position = position.after(place)
        if position.phase == self.phase and not position.may_end:
            position.end_turn()
        return places

    def legal_texts(self) -> list[str]:
        """Whole turns, sorted by code point; in a placement the cells a single man may be set on."""
        return sorted(map(str, self.actions()))


@cache
def _cell_look(surface: int, stack: int) -> CellLook:
    """A cell by its place in `_SURFACES` and its stack, positive for the first player: there are few, and all recur."""
    return CellLook(_SURFACES[surface], 0 if not stack else 1 if stack > 0 else 2, abs(stack))


def _distinct(looks: Sequence[CellLook]) -> tuple[CellLook, ...]:
    """The sequence without repetitions that follow each other."""
    return tuple(look for i, look in enumerate(looks) if not i or looks[i - 1] != look)


class Storisende:
    """The game as `engine.game.Game` asks for it."""

    name = "storisende"
    title = "Storisende"
    rule_sets = ("mindsports", "ersatz")
    default_board = "hexhex-5"
    needs_disks = True
    tile_words: Mapping[Surface, str] = dict(zip(_SURFACES, ("virgin", "territory", "wall"), strict=True))
    neutral_men = False
    options: Mapping[str, Option] = {
        "men": Option(
            ("2-5", "2", "3", "4", "5"),
            "men of the first placement: left to the placer, or agreed beforehand (mindsports; ersatz always has 2)",
        ),
        "second_placement": Option(
            ("any", "singles"), "whether the men of the second placement may be stacked (mindsports)"
        ),
        "choice": Option(
            ("table", "turn"),
            "the chooser speaks at the table and the sides are given by the players' names, "
            "or the choice is a turn of the record: take or leave",
        ),
    }

    def start(self, board: Board, rules: str = "", options: Mapping[str, str] | None = None) -> StorisendePosition:
        """The empty board before the first placement. Raises `EngineError` for unknown rules, options or values."""
        return StorisendePosition(self._setup(board, rules, options), (0,) * len(board))

    def from_tiles(
        self,
        board: Board,
        tiles: Sequence[tuple[str, int, int]],
        player: int,
        rules: str = "",
        options: Mapping[str, str] | None = None,
    ) -> StorisendePosition:
        """A game taken up in the middle: these tiles on the table, this player to move. Raises `EngineError`."""
        return self.start(board, rules, options).with_tiles(tiles, player)

    def _setup(self, board: Board, rules: str, options: Mapping[str, str] | None) -> Setup:
        check_rules(self.title, self.rule_sets, rules)
        chosen = chosen_options(self.title, {name: o.values for name, o in self.options.items()}, options)
        return make_setup(
            board, rules or self.rule_sets[0], chosen["men"], chosen["second_placement"], chosen["choice"]
        )

    def format_turn(self, actions: Sequence[Any]) -> str:
        """A turn as text; the inverse of `StorisendePosition.parse_turn`."""
        if not actions:
            raise NotationError("a turn has at least one action")
        return ",".join(map(str, actions))


GAME = Storisende()
