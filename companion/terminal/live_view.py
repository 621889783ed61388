"""The game in the terminal while it is watched: the board in colour, moves, score, what is missing, progress."""

from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from companion.game.session import SessionState
from companion.terminal.board import RGB, board_text, ground_of

_REFRESH_HZ = 6
_MOVES_SHOWN = 12


def score_text(state: SessionState, men_rgb: dict[int, RGB]) -> Text:
    """`red 12 – 9 purple`, each side in its colour, the side to move underlined."""
    text = Text()
    for player, joint in ((1, " – "), (2, "")):
        mark = "underline bold" if player == state.player and state.phase != "over" else "bold"
        name, points = state.side_name(player), str(state.score[player - 1])
        rgb = "#" + "".join(f"{max(110, v):02x}" for v in men_rgb[player])
        words = f"{name} {points}" if player == 1 else f"{points} {name}"
        text.append(words, f"{mark} {rgb}").append(joint)
    return text


def status_text(state: SessionState) -> Text:
    """What the table lacks now, or what the eye is doing: alarms first."""
    if state.lost and not state.outcome:
        return Text(f"the board is out of sight: {state.lost}", "bold red")
    if state.unkept:
        return Text(f"{state.unkept}; the game goes on", "bold red")
    if state.alarm:
        steps = "; ".join(step.text for step in state.alarm.repair)
        return Text(f"ILLEGAL: {state.alarm.why}" + (f" To put it right: {steps}" if steps else ""), "bold red")
    if state.ambiguous:
        choices = ", ".join(f"{i + 1}: {text}" for i, text in enumerate(state.ambiguous.candidates))
        return Text(f"which was it? {choices} (type: accept 1)", "bold yellow")
    hint = " (if so, type under-way and who moves next)" if state.doubt else ""
    if state.pending and state.pending.steps:
        turn = f"{state.pending.turn}: " if state.pending.turn else ""
        return Text(turn + "; ".join(step.text for step in state.pending.steps) + hint, "yellow")
    if state.doubt:
        return Text(state.doubt + hint, "bold yellow")
    if state.reminders:
        return Text("; ".join(reminder.text for reminder in state.reminders), "yellow")
    if state.outcome:
        winner = f"{state.side_name(state.outcome.winner)} wins" if state.outcome.winner else "drawn"
        return Text(f"over ({state.outcome.end}): {winner}", "bold green")
    return Text("looking for the board …" if state.eye == "searching" else "")


def moves_table(state: SessionState) -> Table:
    """The last plies with their times and scores."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for ply in state.history[-_MOVES_SHOWN:]:
        how = "" if ply.how == "seen" else f"({ply.how})"
        minutes, seconds = divmod(ply.t_s, 60)
        score = f"{ply.score[0]}–{ply.score[1]}"
        table.add_row(
            f"{ply.ply:3d}", state.side_name(ply.player), ply.text, score, f"{minutes:.0f}:{seconds:04.1f}", how
        )
    return table


def game_view(state: SessionState, men_rgb: dict[int, RGB]) -> RenderableType:
    """The whole picture of one state."""
    ground = ground_of(state.position.tiles())
    board = board_text(state.setup.board, state.expected, men_rgb, frozenset(state.last_move), ground)
    both = Table.grid(padding=(0, 4))
    both.add_row(board, Group(score_text(state, men_rgb), Text(), moves_table(state)))
    return Group(Padding(both, (1, 0)), status_text(state))


class LiveView:
    """Draws the newest state a few times a second; a context manager around the watching."""

    def __init__(self, men_rgb: dict[int, RGB], frames: int | None) -> None:
        console = Console()
        columns = (TextColumn("{task.description}"), BarColumn(None), TaskProgressColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console) if frames else None
        self._task = self._progress.add_task("film", total=frames) if self._progress else None
        self._men_rgb = men_rgb
        self._live = Live(console=console, refresh_per_second=_REFRESH_HZ, transient=False)
        self.typed = ""

    def __enter__(self) -> "LiveView":
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def show(self, state: SessionState, frame: int) -> None:
        """Take a state and the number of the frame it belongs to; drawing happens in the view's own time."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=frame)
        foot = [self._progress] if self._progress else []
        typed = [Text(f"> {self.typed}")] if self.typed else []
        self._live.update(Group(game_view(state, self._men_rgb), *foot, *typed))
