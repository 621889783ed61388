"""Hostile requests to a real, running page: other hosts and origins, wrong keys, large and broken bodies, floods."""

import socket
import time
from collections.abc import Iterator

import pytest

from companion.page.gate import LARGEST_BODY, PLAYER, SPECTATOR, Keys, RateLimit
from companion.page.server import PageServer, page_files
from companion.page.table import Table
from tests.companion.page.page_client import post, raw, request


@pytest.fixture(scope="module")
def page() -> Iterator[PageServer]:
    """A page on the loopback address without a game, for all tests that send little."""
    server = PageServer(Table(), "127.0.0.1", 0, lan=False)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def lan() -> Iterator[PageServer]:
    """A page that needs keys."""
    server = PageServer(Table(), "127.0.0.1", 0, lan=True)
    server.start()
    yield server
    server.stop()


def test_every_answer_has_the_strict_headers(page: PageServer) -> None:
    """Pages, scripts, JSON and errors alike; no inline script is allowed and none is there."""
    for path in ("/", "/static/main.js", "/api/me", "/nowhere"):
        answer = request(page.port, "GET", path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "server" not in answer.headers
    for name, (content, _) in page_files().items():
        if name.endswith(".html"):
            assert b"<script>" not in content
            assert b" style=" not in content
            assert b" onclick" not in content
        assert b"https://" not in content
        assert b"http://" not in content.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", "", "localhost@evil:80"])
def test_other_hosts_are_refused(page: PageServer, host: str) -> None:
    """DNS rebinding: the name in the Host header must be this server's."""
    assert request(page.port, "GET", "/", {"Host": host}).status in (400, 421)
    both = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert raw(page.port, both.encode()).status in (400, 421)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"X_Storisende": ""}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Length": str(LARGEST_BODY + 1)}, 413),
        ({"Transfer_Encoding": "chunked"}, 411),
    ],
)
def test_requests_that_are_not_the_pages_own(page: PageServer, headers: dict[str, str], status: int) -> None:
    """Cross-site request forgery and bodies that are too large change nothing."""
    body = b"0\r\n\r\n" if "Transfer_Encoding" in headers else b'{"do":"pass"}'
    if "Transfer_Encoding" in headers:
        headers = {**headers, "Content_Length": ""}
    assert post(page.port, "/api/act", body, **headers).status == status


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"do":"format the disk"}',
        b'{"do":"set-cell","cell":-1,"tile":"wall","owner":0,"height":0}',
        b'{"do":"enter","text":"' + b"a" * 5000 + b'"}',
        b'{"do":"pass","surprise":1}',
        b"[" * 8000,
        b'{"do":"pass\xff"}',
    ],
)
def test_broken_requests_get_one_line(page: PageServer, body: bytes) -> None:
    """A body that is no request is told so in a sentence; nothing breaks."""
    answer = post(page.port, "/api/act", body or b" ")
    assert answer.status == 422
    assert answer.body.count(b"\n") == 0
    assert b"Traceback" not in answer.body
    assert request(page.port, "GET", "/api/me").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2f..%2fpyproject.toml",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static//etc/passwd",
        "/static/__init__.py",
        "/api/record/../../etc/passwd",
        "/api/record/record.json%00.svg",
        "/api/evidence/..%2f..%2fsecret.jpg",
        "/api/ply/99999999999999999999999999",
        "/api/ply/-1",
        "//evil.example/",
    ],
)
def test_no_path_reaches_the_file_system(page: PageServer, path: str) -> None:
    """Whatever is asked for, only the page's own files and the game come back."""
    answer = request(page.port, "GET", path)
    assert answer.status in (404, 422)
    assert b"root:" not in answer.body
    assert b"import " not in answer.body


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_other_methods(page: PageServer, method: str) -> None:
    """Only GET, HEAD and POST exist."""
    assert request(page.port, method, "/api/act").status in (400, 405)


def test_a_new_game_takes_no_paths(page: PageServer) -> None:
    """A page without sources starts nothing; a source is a number among those offered, never a name."""
    assert post(page.port, "/api/start", b'{"source":"/etc/passwd"}').status == 422
    assert post(page.port, "/api/start", b'{"source":99}').status == 422


def test_the_network_needs_a_key(lan: PageServer) -> None:
    """Without the link's key nothing is served; the key becomes a cookie and leaves the address bar."""
    assert lan.keys is not None
    for path in ("/", "/static/main.js", "/api/feed", "/api/me", "/overlay"):
        assert request(lan.port, "GET", path).status == 401
        assert request(lan.port, "GET", path, {"Cookie": f"storisende_{lan.port}=guess"}).status == 401
    assert request(lan.port, "GET", "/?key=guess").status == 403
    answer = request(lan.port, "GET", f"/?key={lan.keys.player}")
    assert answer.status == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    pair = cookie.partition(";")[0]
    assert request(lan.port, "GET", "/api/me", {"Cookie": pair}).body == b'{"role":"player","link":true}'


def test_the_key_never_redirects_elsewhere(lan: PageServer) -> None:
    """A link that looks like another host after the redirect stays here."""
    assert lan.keys is not None
    answer = request(lan.port, "GET", f"//evil.example/?key={lan.keys.player}")
    assert not answer.headers.get("location", "/").startswith("//")


def test_a_spectator_can_change_nothing(lan: PageServer) -> None:
    """With the spectators' key everything can be read, nothing written, and no link handed on."""
    assert lan.keys is not None
    cookie = {"Cookie": f"storisende_{lan.port}={lan.keys.spectator}"}
    assert request(lan.port, "GET", "/api/me", cookie).body == b'{"role":"spectator","link":true}'
    for path in ("/api/act", "/api/start", "/api/stop"):
        assert post(lan.port, path, b"{}", **cookie).status == 403
    assert request(lan.port, "GET", "/api/qr.svg", cookie).status == 404
    player = {"Cookie": f"storisende_{lan.port}={lan.keys.player}"}
    assert request(lan.port, "GET", "/api/qr.svg", player).body.startswith(b"<?xml")
    assert post(lan.port, "/api/stop", b"{}", **player).status == 200


def test_keys_give_roles() -> None:
    """Two keys, two roles, and anything else none."""
    keys = Keys()
    assert keys.role(keys.player) == PLAYER
    assert keys.role(keys.spectator) == SPECTATOR
    assert keys.role("") is None
    assert keys.role("ключ") is None
    assert len(keys.player) >= 20


def test_a_flood_is_slowed_down() -> None:
    """A burst is allowed, then so many a second; other addresses are not touched."""
    now = [0.0]
    limit = RateLimit(10, 5, lambda: now[0])
    assert [limit.allows("a") for _ in range(7)] == [True] * 5 + [False] * 2
    assert limit.allows("b")
    now[0] = 0.1
    assert limit.allows("a")
    assert not limit.allows("a")


def test_many_requests_at_once_are_refused() -> None:
    """A real flood of writes meets 429 and the page still answers reads."""
    page = PageServer(Table(), "127.0.0.1", 0, lan=False)
    page.start()
    statuses = [post(page.port, "/api/act", b'{"do":"pass"}').status for _ in range(60)]
    assert statuses[0] == 422
    assert 429 in statuses
    assert request(page.port, "GET", "/api/me").status == 200
    page.stop()


def test_a_websocket_is_turned_away(page: PageServer) -> None:
    """There is none."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "x" * 22,
    }
    with socket.create_connection(("127.0.0.1", page.port), timeout=5) as line:
        head = "GET /api/feed2 HTTP/1.1\r\n" + "".join(
            f"{k}: {v}\r\n" for k, v in {"Host": f"127.0.0.1:{page.port}", **upgrade}.items()
        )
        line.sendall((head + "\r\n").encode())
        assert b"101" not in line.recv(4096).split(b"\r\n")[0]


def test_idle_lines_do_not_keep_others_out() -> None:
    """More half-sent requests than there are places: after a few seconds the page answers again."""
    page = PageServer(Table(), "127.0.0.1", 0, lan=False)
    page.start()
    lines = []
    for _ in range(320):
        line = socket.create_connection(("127.0.0.1", page.port))
        line.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        lines.append(line)
    deadline = time.monotonic() + 15
    while request(page.port, "GET", "/api/me").status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    for line in lines:
        line.close()
    page.stop()


def test_so_many_streams_and_no_more() -> None:
    """The hundred and first spectator is told to come later."""
    page = PageServer(Table(), "127.0.0.1", 0, lan=False)
    page.start()
    ask = f"GET /api/feed HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode()

    def watch() -> tuple[socket.socket, bytes]:
        line = socket.create_connection(("127.0.0.1", page.port), timeout=5)
        line.sendall(ask)
        return line, line.recv(200).split(b"\r\n")[0]

    lines = [watch() for _ in range(101)]
    assert [status for _, status in lines[:100]] == [b"HTTP/1.1 200 OK"] * 100
    assert lines[100][1].startswith(b"HTTP/1.1 503")
    for line, _ in lines:
        line.close()
    page.stop()


def test_nothing_but_garbage(page: PageServer) -> None:
    """Bytes that are no HTTP, endless headers: refused, and the page lives on."""
    assert raw(page.port, b"\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n").status == 400
    assert raw(page.port, b"GET / HTTP/1.1\r\n" + b"X-Padding: " + b"a" * 100_000 + b"\r\n\r\n").status in (400, 431)
    assert request(page.port, "GET", "/").status == 200
