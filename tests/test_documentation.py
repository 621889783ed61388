"""The documentation says what the program does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent
_PAGES = sorted([_ROOT / "README.md", *(_ROOT / "docs").rglob("*.md")])


def test_the_commands_page_is_the_programs_own_help() -> None:
    """docs/commands.md is made from the help texts (afresh); run docs/make_commands.py after a change."""
    code = "import runpy; print(runpy.run_path('docs/make_commands.py')['commands_page'](), end='')"
    made = subprocess.run([sys.executable, "-c", code], cwd=_ROOT, capture_output=True, encoding="utf-8", check=True)
    assert (_ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == made.stdout


@pytest.mark.parametrize("page", _PAGES, ids=lambda p: str(p.relative_to(_ROOT)))
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file that is there."""
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert not missing


def _anchors(page: Path) -> set[str]:
    """What the headings of a page are linked by."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", _PAGES, ids=lambda p: str(p.relative_to(_ROOT)))
def test_links_into_pages_lead_to_their_headings(page: Path) -> None:
    """Every link to a place in a page names one of its headings."""
    links = re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    targets = [(page.parent / file if file else page, anchor) for file, anchor in links]
    assert [f"{file}#{anchor}" for file, anchor in targets if anchor not in _anchors(file)] == []


@pytest.mark.parametrize("page", _PAGES, ids=lambda p: str(p.relative_to(_ROOT)))
def test_documented_commands_exist(page: Path) -> None:
    """Every `storisende NAME` in a page's code is a command, and its long options are known to it."""
    from companion.main import cli

    for line in re.findall(
        r"^\s*(?:\$ )?storisende ([a-z].*)$|`storisende ([a-z][^`]*)`", page.read_text("utf-8"), re.M
    ):
        words = (line[0] or line[1]).split("#")[0].split()
        name = words[0].split("|")[0]
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None, f"{page.name}: storisende {name}"
        for word in words[1:]:
            if not word.startswith("-") and hasattr(command, "get_command"):
                below = command.get_command(None, word.split("|")[0])
                command = below if below is not None else command
        known = {opt for param in command.params for opt in (*param.opts, *param.secondary_opts)} | {"--help"}
        used = {w.split("=")[0].rstrip(",;.)]") for w in words if re.match(r"--[a-z]", w)}
        assert used <= known, f"{page.name}: storisende {' '.join(words)}"
