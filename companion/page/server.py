"""The page's web server: starlette in a uvicorn of its own thread, fed by the table it shows."""

import asyncio
import mimetypes
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from ipaddress import ip_address

import cv2
import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.errors import KNOWN_ERRORS, DeviceError, InputError
from companion.game.session import Session
from companion.page.actions import perform, read_act, read_calibrate, read_start
from companion.page.choices import choices_json
from companion.page.feed import Feed
from companion.page.game import DOWNLOADS, GameView
from companion.page.gate import LARGEST_BODY, SPECTATOR, Gate, Keys
from companion.page.table import Game, Table, Watcher

_PAGES = {"/": "index.html", "/spectator": "index.html", "/overlay": "overlay.html"}
_MOST_STREAMS = 100
_PATIENCE_S = 5.0
_PICTURE_WIDTH_PX = 960


def page_files() -> dict[str, tuple[bytes, str]]:
    """The static files of the page by name, with their types, read once: no request reaches the file system."""
    found = {}
    for item in (files("companion.page") / "static").iterdir():
        if item.is_file():
            kind = mimetypes.guess_type(item.name)[0] or "application/octet-stream"
            found[item.name] = (item.read_bytes(), kind)
    return found


class Pages:
    """The answers to all requests about one table."""

    def __init__(self, table: Table, link: Callable[[], str | None]) -> None:
        self.table, self.link = table, link
        self.feed = Feed(table)
        self.view = GameView()
        self.files = page_files()
        self.streams = 0

    def routes(self) -> list[Route]:
        """Every address of the page."""
        return [
            *(Route(path, self.page) for path in _PAGES),
            Route("/static/{name}", self.static),
            Route("/api/feed", self.events),
            Route("/api/me", self.me),
            Route("/api/choices", self.choices),
            Route("/api/legal", self.legal),
            Route("/api/checks", self.checks),
            Route("/api/ply/{ply:int}", self.ply),
            Route("/api/record/{name}", self.download),
            Route("/api/picture.jpg", self.picture),
            Route("/api/evidence/{ply:int}.jpg", self.evidence),
            Route("/api/qr.svg", self.qr),
            Route("/api/act", self.act, methods=["POST"]),
            Route("/api/start", self.start, methods=["POST"]),
            Route("/api/calibration", self.calibration),
            Route("/api/calibrate", self.calibrate, methods=["POST"]),
            Route("/api/stop", self.stop, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """One of the three pages."""
        return self._file(_PAGES[request.url.path])

    async def static(self, request: Request) -> Response:
        """A script, style sheet or picture of the page."""
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        if name not in self.files:
            return PlainTextResponse("no such page", 404)
        content, kind = self.files[name]
        return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})

    async def events(self, request: Request) -> Response:
        """The stream of server-sent events."""
        if self.streams >= _MOST_STREAMS:
            return PlainTextResponse("too many are watching", 503, {"Retry-After": "10"})
        last = request.headers.get("last-event-id", "")[:60]
        self.streams += 1

        async def stream() -> AsyncIterator[str]:
            try:
                async for text in self.feed.stream(last, request.is_disconnected):
                    yield text
            finally:
                self.streams -= 1

        return StreamingResponse(stream(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    async def me(self, request: Request) -> Response:
        """What this visitor may do."""
        return JSONResponse({"role": request.scope["role"], "link": self.link() is not None})

    async def choices(self, _: Request) -> Response:
        """What the form for a new game offers."""
        return JSONResponse(await run_in_threadpool(choices_json, self.table.opener))

    def _game(self) -> Game:
        if self.table.game is None:
            raise InputError("no game is under way")
        return self.table.game

    async def legal(self, _: Request) -> Response:
        """The legal turns of the position on the table."""
        return JSONResponse(await run_in_threadpool(self.view.legal_json, self._game()))

    async def checks(self, _: Request) -> Response:
        """The live checks of the set-up helper; none while no camera watches."""
        watcher = self.table.game.watcher if self.table.game is not None else None
        checks = await run_in_threadpool(watcher.checks) if watcher is not None else []
        return JSONResponse({"checks": [{"what": c.what, "good": c.good, "todo": c.todo} for c in checks]})

    async def ply(self, request: Request) -> Response:
        """The position after a ply, for stepping through the game."""
        return JSONResponse(await run_in_threadpool(self.view.ply_json, self._game(), request.path_params["ply"]))

    async def download(self, request: Request) -> Response:
        """The record in one of the formats of `DOWNLOADS`."""
        name = request.path_params["name"]
        if name not in DOWNLOADS:
            return PlainTextResponse(f"no such format; there are {', '.join(DOWNLOADS)}", 404)
        content = await run_in_threadpool(self.view.download, self._game(), name)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=DOWNLOADS[name], headers=headers)

    async def picture(self, _: Request) -> Response:
        """The newest camera picture with the reading drawn over it."""
        game = self.table.game
        watcher = game.watcher if game is not None else None
        content = await run_in_threadpool(_picture, watcher) if watcher is not None else None
        if content is None:
            return PlainTextResponse("no camera picture", 404)
        return Response(content, media_type="image/jpeg")

    async def evidence(self, request: Request) -> Response:
        """The picture kept of the board after a ply."""
        content = await run_in_threadpool(self.view.evidence, self._game(), request.path_params["ply"])
        if content is None:
            return PlainTextResponse("no picture was kept of this ply", 404)
        return Response(content, media_type="image/jpeg")

    async def qr(self, request: Request) -> Response:
        """The spectators' link as a QR code."""
        link = self.link()
        if link is None or request.scope["role"] == SPECTATOR:
            return PlainTextResponse("there is no link to share", 404)
        return Response(qr_svg(link), media_type="image/svg+xml")

    async def act(self, request: Request) -> Response:
        """A player's request to change the game; `seq` is the event by which the feed shows it done."""
        act, session = read_act(await _body(request)), self._game().session
        await run_in_threadpool(perform, session, act)
        return JSONResponse({"done": True, "seq": session.state.seq})

    async def start(self, request: Request) -> Response:
        """A new game."""
        await run_in_threadpool(self.table.start, read_start(await _body(request)))
        return JSONResponse({"done": True})

    async def calibration(self, _: Request) -> Response:
        """What the running calibration says."""
        return JSONResponse(self.table.calibration())

    async def calibrate(self, request: Request) -> Response:
        """A calibration begins, or ends."""
        await run_in_threadpool(self.table.calibrate, read_calibrate(await _body(request)))
        return JSONResponse({"done": True})

    async def stop(self, request: Request) -> Response:
        """The eye stops following; the game stays on the page."""
        await _body(request)
        await run_in_threadpool(self.table.close)
        return JSONResponse({"done": True})


def _picture(watcher: Watcher) -> bytes | None:
    """The newest camera picture as JPEG, not wider than the page needs."""
    image = watcher.picture()
    if image is None:
        return None
    height, width = image.shape[:2]
    if width > _PICTURE_WIDTH_PX:
        size = (_PICTURE_WIDTH_PX, round(height * _PICTURE_WIDTH_PX / width))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1])


async def _body(request: Request) -> bytes:
    """The request's body. Raises `InputError` for one that is too long or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise InputError("the body is too large")
    except TimeoutError:
        raise InputError("the body did not come in time") from None
    return bytes(body)


async def _say(_: Request, error: Exception) -> Response:
    """A known error as one line for people."""
    return PlainTextResponse(str(error), 503 if isinstance(error, DeviceError) else 422)


def application(table: Table, hosts: frozenset[str], keys: Keys | None, link: Callable[[], str | None]) -> Starlette:
    """The ASGI application about a table."""
    pages = Pages(table, link)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pages.feed.start()
        yield
        pages.feed.stop()

    app = Starlette(
        routes=pages.routes(),
        middleware=[Middleware(Gate, hosts=hosts, keys=keys)],
        exception_handlers=dict.fromkeys(KNOWN_ERRORS, _say),
        lifespan=lifespan,
    )
    app.state.pages = pages
    return app


class PatientProtocol(H11Protocol):
    """HTTP that hangs up on a connection whose first request does not come: idle lines must not keep others out."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A browser has connected."""
        super().connection_made(transport)
        self.loop.call_later(_PATIENCE_S, self._hang_up_if_silent)

    def _hang_up_if_silent(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


class PageServer:
    """A running server: its address, its links, and how to end it."""

    def __init__(self, table: Table, host: str, port: int, lan: bool) -> None:
        self.table, self.lan = table, lan
        self.keys = Keys() if lan else None
        self._socket = _listen(host, port)
        self.port = int(self._socket.getsockname()[1])
        self.names = _own_names(host, lan)
        hosts = frozenset(
            {f"{name}:{self.port}" for name in self.names} | (set(self.names) if self.port == 80 else set())
        )
        self._app = application(table, hosts, self.keys, lambda: self.spectator_link if lan else None)
        config = uvicorn.Config(
            self._app,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            http=PatientProtocol,
            ws="none",
            limit_concurrency=300,
            timeout_keep_alive=10,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=32_768,
        )
        self._server = uvicorn.Server(config)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="page-server", daemon=True)

    @property
    def url(self) -> str:
        """The players' address; with its key when the network may come in."""
        return self._link(self.keys.player if self.keys else None, "/")

    @property
    def spectator_link(self) -> str:
        """The address of the page without buttons."""
        return self._link(self.keys.spectator if self.keys else None, "/spectator")

    def _link(self, key: str | None, path: str) -> str:
        return f"http://{self.names[0]}:{self.port}{path}" + (f"?key={key}" if key else "")

    def start(self) -> None:
        """Serve, in a thread of its own; comes back when requests are answered."""
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            threading.Event().wait(0.01)

    def _serve(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._over.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the server has ended; whether it has."""
        return self._over.wait(timeout_s)  # a thread whose `join` was interrupted by Ctrl-C would count as ended

    def stop(self) -> None:
        """End the server and every stream."""
        self._app.state.pages.feed.stop()
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises `DeviceError` where the address or the port cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise DeviceError(
            f"cannot serve the page on {host}:{port}: {error.strerror}; try --port with another number"
        ) from None


def _own_names(host: str, lan: bool) -> list[str]:
    """What this server may be called in a Host header, the name for links first."""
    local = ["127.0.0.1", "localhost", "[::1]"]
    if not lan:
        return local
    shown = _lan_address() if ip_address(host).is_unspecified else host
    machine = socket.gethostname().lower()
    try:
        others = {str(info[4][0]) for info in socket.getaddrinfo(machine, None)}
    except OSError:
        others = set()
    addresses = [f"[{address}]" if ":" in address else address for address in (shown, *sorted(others))]
    return [*addresses, *local, machine, f"{machine}.local"]


def _lan_address() -> str:
    """This machine's address in its network: where it would send from; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def qr_svg(link: str) -> bytes:
    """A link as a QR code (SVG)."""
    from io import BytesIO

    import segno

    out = BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=8, border=4, dark="#000", light="#fff")
    return out.getvalue()


def start_page(
    session: Session, watcher: Watcher | None = None, host: str = "127.0.0.1", port: int = 8377
) -> PageServer:
    """Show one session on a page (`watch --page`). Raises `DeviceError` where the port cannot be had."""
    server = PageServer(Table(Game(session, watcher, "watch")), host, port, lan=False)
    server.start()
    return server
