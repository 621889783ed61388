"""Make the pictures of the documentation from the real program: `.venv/bin/python docs/make_pictures.py`.

Needs Chromium (or STORISENDE_CHROMIUM), Playwright, and poppler for the printed sheets.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Browser, sync_playwright

from calibration.targets import CHARUCO
from companion.drawing.game_film import write_sheet
from companion.game.clock import ClockSettings
from companion.game.session import Session, Setup
from companion.page.opening import Source, TableOpener
from companion.page.server import PageServer
from companion.page.table import Game, Table
from companion.printing.pages import pdf_of
from companion.printing.parts import board_drawing, charuco_drawing, marker_drawing, printed_layout, scaled
from companion.printing.rules import rules_drawing
from companion.record_files import load_record
from engine.layout import named_layout
from engine.look import BoardLook, CellLook, Reading, Surface, certain
from engine.records.record import Player, Record
from vision.picture import load_picture

FOLDER = Path(__file__).parent / "pictures"
SAMPLE = Path(__file__).parent.parent / "samples" / "sample.mp4"
GAME = Path(__file__).parent / "games" / "storisende.txt"
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
_THINKING_S = 17.0
#: Stills of unlike tables; a frame of the sample film with a hand, and about where the board lies there, in pixels.
FOOTAGE = Path(os.environ.get("STORISENDE_FOOTAGE", Path(__file__).parents[2] / "shared" / "footage")) / "stills"
_STILLS = ("1026", "1003", "1018", "1035", "1014")
_HAND_FRAME, _HAND_CORNERS, _SAMPLE_WIDTH_PX = 151, ((285, 110), (670, 470)), 960
_TILE = (480, 360)


def example(turns: int) -> Session:
    """The documentation's example game, so many turns of it, as a session that has seen the table."""
    record = load_record(GAME)
    setup = Setup(
        record.board,
        ("red", "purple"),
        ("Anna", "Ben"),
        record.game,
        record.rules,
        dict(record.options),
        clock=ClockSettings(900.0, 10.0),
    )
    session = Session(setup)
    session.found(0.0, 0)
    for number, turn in enumerate(record.turns[:turns]):
        now_s = number * _THINKING_S
        if session.state.position.stage == "placement":
            session.enter(turn.text)
            continue
        position = session.state.position
        for action in position.parse_turn(turn.text):
            position = position.after(action)
        session.moving(now_s, number)
        show(session, position.look(), now_s, 3.0)
    return session


def show(session: Session, looks: BoardLook, at_s: float, seconds: float) -> None:
    """Let the session see a still table for some seconds."""
    session.still(Reading(at_s, round(at_s), tuple(map(certain, looks))))
    for tenth in range(round(seconds * 10)):
        session.tick(at_s + tenth / 10, round(at_s))


def lift(session: Session, looks: BoardLook, at_s: float) -> None:
    """A hand takes the highest stack of the player to move off the board."""
    player = session.state.player
    cell = max((i for i, look in enumerate(looks) if look.men == player), key=lambda i: looks[i].height)
    gone = [certain(CellLook(look.surface) if i == cell else look) for i, look in enumerate(looks)]
    session.moving(at_s, round(at_s), Reading(at_s, round(at_s), tuple(gone)))


def break_a_rule(session: Session, looks: BoardLook, at_s: float) -> None:
    """Somebody puts a man where no rule lets it go, and leaves it there."""
    player = session.state.player
    source = next(i for i, look in enumerate(looks) if look.men == player and look.height == 1)
    free = [i for i, look in enumerate(looks) if not look.men and look.surface is Surface.BEIGE]
    target = max(free, key=lambda i: abs(i - source))
    wrong = list(looks)
    wrong[source], wrong[target] = CellLook(Surface.BARE), replace(looks[source], surface=looks[target].surface)
    session.moving(at_s, round(at_s))
    show(session, tuple(wrong), at_s + 1.0, 4.0)


def shoot(browser: Browser, address: str, name: str, tab: str = "", **window: Any) -> None:
    """A picture of the page."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | window))
    page = context.new_page()
    page.goto(address)
    page.wait_for_timeout(900)
    if tab:
        page.locator(f"#tab-{tab}").click()
        page.wait_for_timeout(400)
    page.screenshot(path=str(FOLDER / name), omit_background="overlay" in address)
    context.close()


def page_pictures(browser: Browser) -> None:
    """The page during a game, its alarm, a phone, the overlay, the form for a new game."""
    session = example(40)
    looks, now_s = session.state.position.look(), 41 * _THINKING_S
    server = PageServer(Table(Game(session, name="docs")), "127.0.0.1", 0, lan=False)
    server.start()
    shoot(browser, server.url, "page.png")
    shoot(browser, server.url, "phone.png", viewport={"width": 390, "height": 844}, is_mobile=True)
    shoot(browser, server.url + "overlay", "overlay.png")
    lift(session, looks, now_s)
    shoot(browser, server.url, "page-dark.png", tab="curve", color_scheme="dark")
    show(session, looks, now_s + 5.0, 1.0)
    break_a_rule(session, looks, now_s + 10.0)
    shoot(browser, server.url, "alarm.png")
    server.stop()
    start = PageServer(Table(opener=TableOpener([])), "127.0.0.1", 0, lan=False)
    start.start()
    context = browser.new_context(viewport={"width": 1100, "height": 760})
    page = context.new_page()
    page.goto(start.url)
    page.get_by_role("button", name="Start a game").click()
    page.wait_for_timeout(400)
    page.screenshot(path=str(FOLDER / "new-game.png"))
    context.close()
    start.stop()


def film_pictures(browser: Browser) -> None:
    """The sample film followed from the page: what the camera sees, and the set-up helper."""
    opener = TableOpener([Source("camera", str(SAMPLE))])
    server = PageServer(Table(opener=opener), "127.0.0.1", 0, lan=False)
    server.start()
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(server.url)
    page.get_by_role("button", name="Start a game").click()
    page.locator("#ng-board").select_option("hexhex-4")
    page.locator("#ng-source").select_option("1")
    page.locator("#ng-colour2").select_option("white")
    page.get_by_role("dialog").get_by_role("button", name="Begin").click()
    page.locator("#tab-camera").click()
    page.wait_for_timeout(29_000)
    page.screenshot(path=str(FOLDER / "camera.png"))
    page.locator("#tab-setup").click()
    page.wait_for_timeout(2_500)
    page.screenshot(path=str(FOLDER / "set-up.png"))
    context.close()
    server.table.close()
    server.stop()


def printed_sheets() -> None:
    """One sheet of each kind, side by side."""
    layout = printed_layout(scaled(named_layout("hexhex-4"), None))
    drawings = [
        board_drawing(layout),
        marker_drawing(layout),
        charuco_drawing(CHARUCO),
        rules_drawing("mindsports", "A4"),
    ]
    with TemporaryDirectory() as folder:
        sheets = []
        for drawing in drawings:
            (Path(folder) / "sheet.pdf").write_bytes(pdf_of([drawing], "A4"))
            command = ["pdftoppm", "-r", "40", "-png", "-f", "1", "-l", "1", "-singlefile", "sheet.pdf", "sheet"]
            subprocess.run(command, cwd=folder, check=True)
            sheets.append(load_picture(Path(folder) / "sheet.png"))
    height = max(sheet.shape[0] for sheet in sheets) + 16
    framed = [
        cv2.copyMakeBorder(s, 8, height - s.shape[0] - 8, 8, 8, cv2.BORDER_CONSTANT, value=(150, 150, 150))
        for s in sheets
    ]
    cv2.imwrite(str(FOLDER / "printed.png"), np.hstack(framed))


def game_sheet() -> None:
    """The example game as a contact sheet."""
    record: Record = load_record(GAME)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.png"
        write_sheet(replace(record, players=(Player("Anna", "red"), Player("Ben", "purple"))), path)
        sheet = load_picture(path)
    small = cv2.resize(sheet, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(FOLDER / "sheet.jpg"), small)


def seen_table() -> None:
    """What the program sees in the sample film, for the README."""
    words = ["see", str(SAMPLE), "--board", "hexhex-4", "--men", "red,white", "--at", "45"]
    subprocess.run([sys.executable, "-m", "companion", *words, "--out", str(FOLDER / "see.jpg")], check=True)


def seen_tables() -> None:
    """What the program sees on five unlike tables of the shared footage, and below a hand, as one picture."""
    if not FOOTAGE.exists():
        print(f"tables.jpg is left as it is: there is no {FOOTAGE} (STORISENDE_FOOTAGE)", file=sys.stderr)
        return
    with TemporaryDirectory() as folder:
        hand = Path(folder) / "hand.png"
        capture = cv2.VideoCapture(str(SAMPLE))
        capture.set(cv2.CAP_PROP_POS_FRAMES, _HAND_FRAME)
        cv2.imwrite(str(hand), capture.read()[1])
        tiles = []
        for still in _STILLS:
            truth = json.loads((FOOTAGE / f"{still}.json").read_text())
            seen = _seen(FOOTAGE / f"{still}.jpg", truth["board"], ",".join(truth["players"]), Path(folder))
            board_px = np.array([cell["px"] for cell in truth["cells"]])
            tiles.append(_close_up(seen, board_px * seen.shape[1] / truth["size"][0]))
        seen = _seen(hand, "hexhex-4", "red,white", Path(folder))
        tiles.append(_close_up(seen, np.array(_HAND_CORNERS) * seen.shape[1] / _SAMPLE_WIDTH_PX))
    rows = [np.hstack(tiles[i : i + 3]) for i in range(0, len(tiles), 3)]
    cv2.imwrite(str(FOLDER / "tables.jpg"), np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 88])


def _seen(picture: Path, board: str, men: str, folder: Path) -> Any:
    out = folder / "seen.png"
    words = ["see", str(picture), "--board", board, "--men", men, "--out", str(out)]
    subprocess.run([sys.executable, "-m", "companion", *words], check=True)
    return load_picture(out)


def _close_up(image: Any, points_px: Any) -> Any:
    """What lies about points (N, 2) of a picture, `_TILE` large."""
    middle = (points_px.min(axis=0) + points_px.max(axis=0)) / 2
    half = np.array(_TILE) * (np.ptp(points_px, axis=0) / _TILE).max() * 0.68
    left, top = np.maximum(middle - half, 0).astype(int)
    right, bottom = np.minimum(middle + half, image.shape[1::-1]).astype(int)
    return cv2.resize(image[top:bottom, left:right], _TILE, interpolation=cv2.INTER_AREA)


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
    seen_table()
    seen_tables()
    chromium = os.environ.get("STORISENDE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        page_pictures(browser)
        film_pictures(browser)
        browser.close()
    printed_sheets()
    game_sheet()
    print(f"wrote {', '.join(sorted(path.name for path in FOLDER.iterdir()))}")


if __name__ == "__main__":
    main()
