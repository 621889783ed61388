"""`storisende print` and the pictures of `storisende show`, as a user types them."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.commands.print_ import command as print_command
from companion.commands.show import command as show_command
from companion.errors import InputError
from engine.layout import parse_layout
from vision.errors import ColourError


def run(words: list[str], folder: Path) -> str:
    """What the command prints. Raises what it raises."""
    result = CliRunner().invoke(print_command, [*words, "--out", str(folder / "out.pdf")], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize(
    "words",
    [
        ["board", "--board", "hexhex-4"],
        ["board", "--board", "modular-3", "--paper", "a3", "--outline", "--no-names", "--no-markers"],
        ["markers", "--board", "hexhex-6", "--marker-mm", "50"],
        ["disks", "--count", "12"],
        ["charuco"],
        ["charuco", "--charuco", "5x7", "--square-mm", "54", "--marker-mm", "40.5", "--paper", "A3", "--inverted"],
        ["sheet", "--rules", "phalanx", "--paper", "Letter"],
    ],
    ids=" ".join,
)
def test_everything_prints(words: list[str], tmp_path: Path) -> None:
    """A PDF is written, and the user is told to measure the ruler."""
    assert "100 mm" in run(words, tmp_path)
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF-")


def test_the_board_file_goes_with_the_print(tmp_path: Path) -> None:
    """The board file has the pitch that was printed, and can be read."""
    path = tmp_path / "board.toml"
    run(["board", "--board", "hexhex-4", "--pitch-mm", "37.5", "--board-file", str(path)], tmp_path)
    layout = parse_layout(path.read_text(encoding="utf-8"), "board.toml")
    assert (layout.pitch_mm, layout.pitch_known, layout.marker_size_mm) == (37.5, True, 36.0)
    assert len(layout.markers_mm) == 4


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        (["charuco", "--charuco", "four"], InputError, "4x5"),
        (["charuco", "--marker-mm", "60"], InputError, "60"),
        (["sheet", "--rules", "go"], InputError, "go"),
        (["disks", "--count", "0"], InputError, "0 of 34"),
        (["disks", "--disks", "beige,puce"], ColourError, "puce"),
    ],
)
def test_what_cannot_be_printed(words: list[str], error: type[Exception], says: str, tmp_path: Path) -> None:
    """The word that is wrong is in the message, and no file is left."""
    with pytest.raises(error, match=says):
        run(words, tmp_path)
    assert not (tmp_path / "out.pdf").exists()


def test_show_writes_pictures_of_the_whole_game(tmp_path: Path) -> None:
    """Moving picture, sheet and curve of the documentation's example, in one command."""
    record = Path(__file__).resolve().parents[3] / "docs" / "games" / "storisende.txt"
    outputs = {
        kind: str(tmp_path / f"game.{ending}") for kind, ending in (("gif", "gif"), ("sheet", "png"), ("curve", "svg"))
    }
    words = [str(record), *(word for kind, path in outputs.items() for word in (f"--{kind}", path))]
    result = CliRunner().invoke(show_command, words, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.output.splitlines() == [f"wrote {path}" for path in outputs.values()]
    assert all(Path(path).stat().st_size > 1000 for path in outputs.values())
