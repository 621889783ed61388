"""A headless Chromium for the tests, or a loud skip where there is none."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from companion.game.session import Session
from companion.page.server import PageServer
from companion.page.table import Game, Table

_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser. Skips where Chromium or Playwright is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="SKIPPED: no playwright; pip install playwright")
    path = os.environ.get("STORISENDE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("SKIPPED: no chromium; on Debian: apt install chromium, or set STORISENDE_CHROMIUM")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens an address in a window of its own; an error in a script fails the test."""
    contexts, errors = [], []

    def opened(address: str, **window: Any) -> Any:
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 800}} | window))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def serve() -> Iterator[Callable[..., PageServer]]:
    """Serves a session on a free port (or the one given) until the test ends."""
    servers = []

    def served(session: Session, port: int = 0) -> PageServer:
        server = PageServer(Table(Game(session, name="test")), "127.0.0.1", port, lan=False)
        server.start()
        servers.append(server)
        return server

    yield served
    for server in servers:
        server.stop()
