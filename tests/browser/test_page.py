"""A game watched, corrected and stepped through on the page, in a real browser."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest

from companion.game.clock import ClockSettings
from companion.page.feed import Feed
from companion.page.opening import Source, TableOpener
from companion.page.server import PageServer
from companion.page.table import Table
from engine.look import CellLook, Surface
from engine.records.json_format import read_json
from tests.browser.tables import BOARD, ShownTable, begun, changed, new_session, sample_turns
from tests.footage_places import SAMPLES
from vision.palette import Material, parse_colour

Open = Callable[..., Any]
Serve = Callable[..., PageServer]


def moves_of(page: Any) -> list[str]:
    """The turns in the page's move list."""
    return [text.split()[0] for text in page.locator("#moves td button").all_inner_texts()]


def stacks_of(page: Any) -> dict[str, str]:
    """What the page's board says stands on each cell, from its accessible names."""
    labels = page.locator("#board .hit").evaluate_all("all => all.map(hit => hit.getAttribute('aria-label'))")
    return dict(label.split(": ", 1) for label in labels)


def assert_soon(page: Any, condition: str, patience_s: float = 10.0) -> None:
    """Wait for a condition in the page, asked from outside: the page's policy forbids scripts made from texts."""
    end = time.monotonic() + patience_s
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"not so after {patience_s} s: {condition}"
        page.wait_for_timeout(30)


def assert_plies(page: Any, plies: int) -> None:
    """Until the move list is that long."""
    assert_soon(page, f"document.querySelectorAll('#moves td button').length === {plies}")


def test_the_sample_game_is_watched(open_page: Open, serve: Serve) -> None:
    """Every turn of the sample appears as it is played; the board at the end is the one of the rules."""
    session, table, rest = begun(0)
    page = open_page(serve(session).url)
    assert_plies(page, 2)
    for text in rest:
        table.play(text)
        page.get_by_role("button", name=text).last.wait_for()
    assert moves_of(page) == sample_turns()
    assert page.locator("#side1 .name").inner_text() == "Anna"
    for name, look in zip(BOARD.names, session.state.position.look(), strict=True):
        words = {Surface.BEIGE: "virgin", Surface.BARE: "open", Surface.DARK: "wall"}[look.surface]
        expected = f"{words}, {'one man' if look.height == 1 else f'stack of {look.height}'}" if look.men else words
        assert stacks_of(page)[name].startswith(expected)
    first, second = session.state.score
    assert (page.locator("#side1 .score").inner_text(), page.locator("#side2 .score").inner_text()) == (
        str(first), str(second),
    )  # fmt: skip


def test_an_illegal_move_raises_an_alarm_until_it_is_put_right(open_page: Open, serve: Serve) -> None:
    """The reason and the way to put it right; gone when the board is right again."""
    session, table, _ = begun(4)
    page = open_page(serve(session).url)
    right = session.state.position.look()
    source = next(n for n, look in zip(BOARD.names, right, strict=True) if look.men == session.state.player)
    look = right[BOARD.by_name[source]]
    far = next(n for n, e in zip(BOARD.names, right, strict=True) if not e.men and n[0] not in source and n[0] == "g")
    wrong = changed(right, **{source: CellLook(look.surface), far: CellLook(Surface.BEIGE, look.men, look.height)})
    table.hand()
    table.still(wrong, 4.0)
    alarm = page.locator(".notice.alarm")
    alarm.wait_for()
    assert session.state.alarm is not None
    assert alarm.locator("strong").inner_text() == session.state.alarm.why
    assert alarm.locator("li, p").count() >= 1
    assert page.locator("#board polygon.alarm").count() >= 1
    table.hand()
    table.still(right, 3.0)
    alarm.wait_for(state="detached")
    assert page.locator("#board polygon.alarm").count() == 0


def test_a_game_under_way_is_taken_up_by_saying_who_moves_next(open_page: Open, serve: Serve) -> None:
    """The disks tell that it has begun already; one press, and it goes on from the table."""
    played, _, rest = begun(4)
    looks = played.state.expected
    session = new_session()
    page = open_page(serve(session).url)
    ShownTable(session).still(looks)
    page.get_by_text("look as if a game were under way").first.wait_for()
    mover = played.state.player
    page.get_by_role("button", name=f"{('Red', 'White')[mover - 1]} moves next").click()
    page.get_by_text("Has the game begun already?").wait_for(state="detached")
    assert session.state.expected == looks
    session.enter(rest[0])
    assert_plies(page, 1)


def test_a_move_is_entered_and_taken_back_by_clicking(open_page: Open, serve: Serve) -> None:
    """Press the piece and where it goes; then take it back through the dialog."""
    session, _, rest = begun(4)
    page = open_page(serve(session).url)
    assert_plies(page, 6)
    source, target = rest[0].split(":")[0].split("-")[0], rest[0].split("-")[1]
    page.get_by_role("button", name="Enter a move").click()
    page.locator(f"[data-cell={source}]").click()
    page.locator(f"[data-cell={target}]").click()
    page.locator("#tray").get_by_role("button", name=rest[0], exact=True).click()
    assert_plies(page, 7)
    assert session.state.history[-1].text == rest[0]
    page.get_by_role("button", name="Take back").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Take back").click()
    assert_plies(page, 6)


def test_the_keyboard_is_enough(open_page: Open, serve: Serve) -> None:
    """Step back and on, enter a move by walking over the board, pass, pause and go on, without a pointer."""
    session, _, _ = begun(4)
    page = open_page(serve(session).url)
    assert_plies(page, 6)
    page.keyboard.press("ArrowLeft")
    assert_soon(page, "document.getElementById('plylabel').textContent === 'turn 5 of 6'")
    page.keyboard.press("End")
    page.keyboard.press("e")
    page.locator("#tray").wait_for()
    assert_soon(page, "document.activeElement.dataset.cell !== undefined")
    focused = page.evaluate("document.activeElement.dataset.cell")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.cell") != focused
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    assert_plies(page, 7)
    assert session.state.history[-1].text == "pass"
    page.keyboard.press("Space")
    page.locator(".notice.note").get_by_text("Paused").wait_for()  # not the sentence read aloud, which comes first
    page.keyboard.press("Space")
    assert_soon(page, "!document.querySelector('.notice.note')")


def test_turns_are_typed_quickly_over_a_slow_line(
    open_page: Open, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is sent stays open until it shows: the next turn is entered in the position that it follows."""
    session, _, rest = begun(4)
    page = open_page(serve(session).url)
    assert_plies(page, 6)
    show = Feed._show

    def later(*state: Any) -> None:
        time.sleep(0.4)
        show(*state)

    monkeypatch.setattr(Feed, "_show", later)
    for plies, turn in enumerate(rest[:2], start=7):
        page.keyboard.press("e")
        page.get_by_label("Turn in notation").fill(turn)
        page.get_by_label("Turn in notation").press("Enter")
        page.locator("#tray").wait_for(state="hidden")
        assert len(moves_of(page)) == plies
    assert [ply.text for ply in session.state.history[-2:]] == rest[:2]


def test_every_control_has_a_name(open_page: Open, serve: Serve) -> None:
    """Buttons, fields and pictures are named for screen readers; nothing that can be pressed is nameless."""
    session, _, _ = begun(4)
    page = open_page(serve(session).url)
    assert_plies(page, 6)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, select, input, img, a, svg[role]')].filter(node => {
            const label = node.labels && node.labels.length ? node.labels[0].textContent : '';
            return !(node.getAttribute('aria-label') || node.alt || label || node.textContent).trim();
        }).map(node => node.outerHTML.slice(0, 120))"""
    )
    assert nameless == []


def test_stepping_shows_earlier_positions(open_page: Open, serve: Serve) -> None:
    """A press on a turn shows the board after it; new turns do not pull it away; Live goes back."""
    session, table, rest = begun(6)
    page = open_page(serve(session).url)
    assert_plies(page, 8)
    page.locator("#moves td button").nth(1).click()
    assert_soon(page, "document.getElementById('plylabel').textContent === 'turn 2 of 8'")
    placed = {name for name, words in stacks_of(page).items() if "man" in words or "stack" in words}
    assert placed == {cell for turn in sample_turns()[:2] for cell in turn.split(",")}
    table.play(rest[0])
    assert_soon(page, "document.getElementById('plylabel').textContent === 'turn 2 of 9'")
    page.get_by_role("button", name="To the newest turn").click()
    assert_soon(page, "document.getElementById('plylabel').textContent === 'turn 9 of 9'")


def test_the_page_comes_back_after_the_server_restarts(open_page: Open, serve: Serve) -> None:
    """While the server is away the page says so; afterwards it has what was played meanwhile."""
    session, table, rest = begun(2)
    server = serve(session)
    page = open_page(server.url)
    assert_plies(page, 4)
    server.stop()
    page.get_by_text("connection lost").wait_for()
    table.play(rest[0])
    serve(session, server.port)
    assert_plies(page, 5)
    page.get_by_text("connection lost").wait_for(state="detached")


def test_two_tabs_at_once(open_page: Open, serve: Serve) -> None:
    """Both show the same; whoever is behind is told so and nothing happens twice."""
    session, _, _ = begun(4)
    address = serve(session).url
    one, two = open_page(address), open_page(address)
    assert_plies(one, 6)
    assert_plies(two, 6)
    one.get_by_role("button", name="Pass").click()
    assert_plies(one, 7)
    assert_plies(two, 7)
    answer = two.evaluate(
        """() => fetch('/api/act', {method: 'POST', headers: {'Content-Type': 'application/json', 'X-Storisende': '1'},
           body: JSON.stringify({do: 'pass', after: 6})}).then(a => Promise.all([a.status, a.text()]))"""
    )
    assert answer[0] == 422
    assert "gone on" in answer[1]
    assert len(session.state.history) == 7


def test_overlay_is_transparent_and_has_no_controls(open_page: Open, serve: Serve) -> None:
    """Board and score on nothing."""
    session, table, rest = begun(4)
    page = open_page(serve(session).url + "overlay")
    page.locator("#board .ground-cell").first.wait_for()
    assert page.locator("button, input, select, a").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    table.play(rest[0])
    page.get_by_text("Anna to move" if session.state.player == 1 else "Ben to move").wait_for()


def test_a_spectator_sees_no_buttons(open_page: Open, serve: Serve) -> None:
    """The same page, nothing to change the game with."""
    session, _, _ = begun(4)
    page = open_page(serve(session).url + "spectator")
    assert_plies(page, 6)
    assert page.locator(".player-only:visible").count() == 0
    assert page.locator("[data-do]:visible").count() == 0


def test_a_phone_held_upright(open_page: Open, serve: Serve) -> None:
    """Nothing is wider than the window; board, score and buttons can be used."""
    session, _, _ = begun(4)
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = open_page(serve(session).url, **phone)
    assert_plies(page, 6)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    board = page.locator("#board").bounding_box()
    assert board["width"] > 300
    small = page.evaluate(
        """() => [...document.querySelectorAll('button')].filter(b => b.offsetParent && b.offsetHeight < 32).length"""
    )
    assert small == 0
    page.get_by_role("button", name="Pass").tap()
    assert_plies(page, 7)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_be_read(open_page: Open, serve: Serve, scheme: str) -> None:
    """Text against its ground: the contrast that WCAG 2 asks for large text (3) and for running text (4.5)."""
    session, _, _ = begun(4)
    page = open_page(serve(session).url, color_scheme=scheme)
    assert_plies(page, 6)
    contrasts = page.evaluate(
        """() => {
        const lum = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => { x /= 255;
            return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
            return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
        const ground = n => { for (; n; n = n.parentElement) { const c = getComputedStyle(n).backgroundColor;
            if (!/, 0\\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
        return ['#whose', '#title', '#side1 .score', '.actions button:not(:disabled)', '#moves td button',
            '.tabs button', '#moves td button small'].map(s => { const n = document.querySelector(s);
            const [a, b] = [lum(getComputedStyle(n).color), lum(ground(n))];
            return [s, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]; }); }"""
    )
    assert min(value for _, value in contrasts) >= 4.5, contrasts


def test_the_clock_is_pressed_by_the_moves(open_page: Open, serve: Serve) -> None:
    """Both clocks are shown; the one of the player to move goes down by itself."""
    session, table, rest = begun(2, clock=ClockSettings(600.0))
    page = open_page(serve(session).url)
    table.play(rest[0])
    side = f"#side{session.state.player} .clock"
    page.locator(side).wait_for()
    before = page.locator(side).inner_text()
    assert_soon(page, f"document.querySelector('{side}').textContent !== '{before}'")


def test_a_record_is_downloaded_and_replays(open_page: Open, serve: Serve) -> None:
    """The record from the page's own link is read back with the same turns."""
    session, _, _ = begun(16)
    page = open_page(serve(session).url)
    assert_plies(page, 18)
    page.get_by_role("tab", name="More").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Record, JSON of the play server").click()
    text = waiting.value.path().read_text(encoding="utf-8")
    assert set(json.loads(text)) == {"header", "moves"}
    assert [turn.text for turn in read_json(text, "record.json").turns] == sample_turns()


def test_a_game_is_started_from_the_page(open_page: Open) -> None:
    """No command line: the form, both placements and a move by hand."""
    server = PageServer(Table(opener=TableOpener([])), "127.0.0.1", 0, lan=False)
    server.start()
    try:
        page = open_page(server.url)
        page.get_by_role("button", name="Start a game").click()
        page.locator("#ng-board").select_option("hexhex-4")
        page.locator("#ng-name1").fill("Anna")
        page.locator("#ng-minutes").fill("5")
        page.get_by_role("dialog").get_by_role("button", name="Begin").click()
        page.get_by_text("Anna sets men").wait_for()
        for turn in sample_turns()[:3]:
            page.keyboard.press("e")
            page.get_by_label("Turn in notation").fill(turn)
            page.get_by_label("Turn in notation").press("Enter")
            page.locator("#tray").wait_for(state="hidden")
        assert_plies(page, 3)
        assert page.locator("#side1 .clock").is_visible()
    finally:
        server.table.close()
        server.stop()


def test_a_game_under_way_is_begun_from_the_form(open_page: Open, tmp_path: Path) -> None:
    """The camera shows the middle of a game, the form says who moves next: the page has the table and that player."""
    truth = json.loads((SAMPLES / "sample.json").read_text())
    film = cv2.VideoCapture(str(SAMPLES / "sample.mp4"))
    film.set(cv2.CAP_PROP_POS_FRAMES, truth["plies"][7]["settled"])
    cv2.imwrite(str(tmp_path / "table.png"), film.read()[1])
    server = PageServer(
        Table(opener=TableOpener([Source("table", str(tmp_path / "table.png"))])), "127.0.0.1", 0, lan=False
    )
    server.start()
    try:
        page = open_page(server.url)
        page.get_by_role("button", name="Start a game").click()
        page.locator("#ng-game").select_option("phalanx")
        assert not page.locator("#ng-under-way").is_visible()
        page.locator("#ng-game").select_option("storisende")
        page.locator("#ng-board").select_option("hexhex-4")
        page.locator("#ng-colour2").select_option("white")
        page.locator("#ng-under-way").select_option("2")
        page.locator("#ng-source").select_option("0")
        page.get_by_role("dialog").get_by_role("button", name="Begin").click()
        page.get_by_text("choose a camera").wait_for()
        page.locator("#ng-source").select_option("1")
        page.get_by_role("dialog").get_by_role("button", name="Begin").click()
        page.get_by_text("White to move").wait_for()
        page.get_by_role("tab", name="Set up").click()  # where that board and these men are calibrated
        page.locator("select[aria-label=Board] option:checked", has_text="hexhex-4").wait_for(state="attached")
        assert page.get_by_label("Men of the second player").input_value() == "white"
        game = server.table.game
        assert game is not None
        tiles = [list(tile) for tile in game.session.state.position.tiles()]
        assert sorted(tiles) == sorted(cell[2:] for cell in truth["plies"][7]["after"])
    finally:
        server.table.close()
        server.stop()


def test_every_disks_on_the_form_can_be_played_with(open_page: Open) -> None:
    """Light one first; a game with yellow and blue ones begins, and its record says so."""
    table = Table(opener=TableOpener([]))
    server = PageServer(table, "127.0.0.1", 0, lan=False)
    server.start()
    try:
        page = open_page(server.url)
        page.get_by_role("button", name="Start a game").click()
        page.locator("#ng-disks").wait_for()
        options = page.locator("#ng-disks option").evaluate_all("all => all.map((one) => one.value)")
        assert {"beige,dark", "yellow,blue", "none"} <= set(options)
        for light, dark in (option.split(",") for option in options if option != "none"):
            disks = parse_colour(light), parse_colour(dark)
            material = Material((parse_colour("teal"), parse_colour("grey")), disks)
            assert sum(disks[0].linear) > sum(disks[1].linear)
            assert material.disks == disks
        page.locator("#ng-disks").select_option("yellow,blue")
        page.get_by_role("dialog").get_by_role("button", name="Begin").click()
        page.locator("#board .disk").first.wait_for()
        assert table.game is not None
        assert table.game.session.setup.disks == ("yellow", "blue")
        fill = "one => getComputedStyle(one).fill"
        assert page.locator("#board .disk.beige").first.evaluate(fill) == "rgb{}".format(parse_colour("yellow").rgb)
    finally:
        table.close()
        server.stop()


def test_the_form_asks_for_what_lies_on_the_table(open_page: Open) -> None:
    """Disks where a game has some, the colour of nobody's men where it has these; the board shows them in it."""
    server = PageServer(Table(opener=TableOpener([])), "127.0.0.1", 0, lan=False)
    server.start()
    try:
        page = open_page(server.url)
        page.get_by_role("button", name="Start a game").click()
        for game, disks, pawns in (("castle", False, False), ("storisende", True, False), ("hexteroyd", True, True)):
            page.locator("#ng-game").select_option(game)
            assert (page.locator("#ng-disks").is_visible(), page.locator("#ng-neutral").is_visible()) == (disks, pawns)
        page.locator("#ng-neutral").select_option("orange")
        page.get_by_role("dialog").get_by_role("button", name="Begin").click()
        page.locator("#board .disk.light").first.wait_for()
        page.keyboard.press("e")
        page.get_by_label("Turn in notation").fill("1@g4(f5)")
        page.get_by_label("Turn in notation").press("Enter")
        page.locator("#board .face.neutral").wait_for()
        colour = page.evaluate("getComputedStyle(document.querySelector('#board .face.neutral')).fill")
        assert colour == "rgb({}, {}, {})".format(*parse_colour("orange").rgb)
        assert page.locator("#side1").inner_text().startswith("White")
    finally:
        server.table.close()
        server.stop()


def test_the_real_film_is_followed_from_the_page(open_page: Open) -> None:
    """The sample film as the camera: the placement and the first move appear, with the camera's picture."""
    opener = TableOpener([Source("the sample film", str(SAMPLES / "sample.mp4"))])
    server = PageServer(Table(opener=opener), "127.0.0.1", 0, lan=False)
    server.start()
    try:
        page = open_page(server.url)
        page.get_by_role("button", name="Start a game").click()
        page.locator("#ng-board").select_option("hexhex-4")
        page.locator("#ng-source").select_option("1")
        page.locator("#ng-colour2").select_option("white")
        page.get_by_role("dialog").get_by_role("button", name="Begin").click()
        assert_soon(page, "document.querySelectorAll('#moves td button').length >= 3", 30.0)
        page.get_by_role("tab", name="Camera").click()
        assert_soon(page, "document.querySelector('#camera img').naturalWidth > 100")
        page.get_by_role("tab", name="Set up").click()
        page.get_by_text("The whole board is in the picture").wait_for()
    finally:
        server.table.close()
        server.stop()


def test_moves_and_alarms_are_said_aloud(open_page: Open, serve: Serve) -> None:
    """Off by default; once switched on the browser is asked to say each turn."""
    session, table, rest = begun(2)
    page = open_page("about:blank")
    page.add_init_script("window.said = []; SpeechSynthesis.prototype.speak = words => said.push(words.text);")
    page.goto(serve(session).url)
    assert_plies(page, 4)
    table.play(rest[0])
    assert_plies(page, 5)
    assert page.evaluate("said") == []
    page.keyboard.press("s")
    table.play(rest[1])
    assert_plies(page, 6)
    assert_soon(page, "said.length === 2")
    source, target = rest[1].split(":")[0].split("-")[0], rest[1].split("-")[1]
    assert f"{source} to {target}." in page.evaluate("said[1]")


def test_a_refused_request_is_told(open_page: Open, serve: Serve) -> None:
    """A move that the rules forbid, typed by hand, comes back as the referee's sentence."""
    session = new_session()
    session.enter(sample_turns()[0])
    session.enter(sample_turns()[1])
    page = open_page(serve(session).url)
    assert_plies(page, 2)
    page.keyboard.press("e")
    page.get_by_label("Turn in notation").fill("d4-d5")
    page.get_by_label("Turn in notation").press("Enter")
    page.get_by_role("dialog").get_by_text("d4").wait_for()
    assert len(session.state.history) == 2
