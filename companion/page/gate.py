"""Who may talk to the page, and how much: hosts, origins, keys, sizes, rates, and the headers of every answer.

The page listens on the loopback address and then trusts whoever is on this machine; on the network a key in the link
is needed, one for players and one for spectators. Requests from other sites' pages (cross-site request forgery, DNS
rebinding) fail the host and origin checks.
"""

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PLAYER, SPECTATOR = "player", "spectator"

#: Largest body of a request, in bytes.
LARGEST_BODY = 16_384
_LONGEST_PATH = 512
_MOST_ADDRESSES = 4_096

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of the links: whoever has one is a player or a spectator."""

    player: str = field(default_factory=lambda: token_urlsafe(16))
    spectator: str = field(default_factory=lambda: token_urlsafe(16))

    def role(self, key: str) -> str | None:
        """The role that a key gives, compared in constant time."""
        for role, secret in ((PLAYER, self.player), (SPECTATOR, self.spectator)):
            if hmac.compare_digest(secret.encode(), key.encode()):
                return role
        return None


class RateLimit:
    """A token bucket for each address: `per_s` on average, `burst` at once."""

    def __init__(self, per_s: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self.per_s, self.burst, self.now = per_s, burst, now
        self.left: dict[str, tuple[float, float]] = {}

    def allows(self, address: str) -> bool:
        """Take one token, if there is one."""
        now = self.now()
        if len(self.left) > _MOST_ADDRESSES:
            self.left.clear()
        tokens, since = self.left.get(address, (self.burst, now))
        tokens = min(self.burst, tokens + (now - since) * self.per_s)
        self.left[address] = (tokens - 1 if tokens >= 1 else tokens, now)
        return tokens >= 1


class Gate:
    """ASGI middleware: lets through what is allowed and puts the role into `scope["role"]`.

    `hosts` are the values of the Host header that are this server. Without `keys` everybody who reaches it is a player.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], keys: Keys | None) -> None:
        self.app, self.hosts, self.keys = app, hosts, keys
        self.reads, self.writes = RateLimit(50, 200), RateLimit(10, 40)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._judge(scope)
        await (refusal or self.app)(scope, receive, send_with_headers)

    def _judge(self, scope: Scope) -> Response | None:
        """None when the request may pass, else the answer that turns it away."""
        headers = Headers(scope=scope)
        writing = scope["method"] == "POST"
        address = scope["client"][0] if scope.get("client") else ""
        if not (self.writes if writing else self.reads).allows(address):
            return PlainTextResponse("too many requests", 429, {"Retry-After": "1"})
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("only GET, HEAD and POST", 405, {"Allow": "GET, HEAD, POST"})
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self.hosts:
            return PlainTextResponse("this is not the address of the page", 421)
        if len(scope["raw_path"] if scope.get("raw_path") else scope["path"]) > _LONGEST_PATH:
            return PlainTextResponse("the address is too long", 414)
        if refusal := self._find_role(scope, headers):
            return refusal
        return self._judge_writing(scope, headers) if writing else None

    def _find_role(self, scope: Scope, headers: Headers) -> Response | None:
        if self.keys is None:
            scope["role"] = PLAYER
            return None
        cookie_name = "storisende_" + headers["host"].rpartition(":")[2]
        given = parse_qs(scope["query_string"].decode("latin-1")).get("key")
        if given and scope["method"] == "GET":
            if self.keys.role(given[0]) is None:
                return PlainTextResponse("this link's key is not valid; ask for a new link", 403)
            answer = RedirectResponse(scope["path"] if not scope["path"].startswith("//") else "/", 303)
            answer.set_cookie(cookie_name, given[0], httponly=True, samesite="lax", max_age=7 * 86400)
            return answer
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(cookie_name)
        except CookieError:
            cookie = None
        role = self.keys.role(cookie.value) if cookie else None
        if role is None:
            return PlainTextResponse("open the link or the QR code that storisende shows; it holds the key", 401)
        scope["role"] = role
        return None

    def _judge_writing(self, scope: Scope, headers: Headers) -> Response | None:
        """Only the page's own scripts may change something: a header of ours, our origin, a short JSON body."""
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self.hosts}:
            return PlainTextResponse("requests from other pages are refused", 403)
        if headers.get("sec-fetch-site", "same-origin") != "same-origin" or "x-storisende" not in headers:
            return PlainTextResponse("only the page itself may do this", 403)
        if scope["role"] != PLAYER:
            return PlainTextResponse("a spectator can change nothing", 403)
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return PlainTextResponse("the body is JSON", 415)
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return PlainTextResponse("the body's length must be given", 411)
        if int(length) > LARGEST_BODY:
            return PlainTextResponse("the body is too large", 413)
        return None
