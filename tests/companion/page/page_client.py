"""A running page and raw requests to it, for tests: whatever bytes a hostile client likes to send."""

import socket
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (lower-case names) and body of an HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes


def request(port: int, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
    """One request with exactly these headers besides Host, Connection and, for a body, its length."""
    given = {"Host": f"127.0.0.1:{port}", "Connection": "close", **(headers or {})}
    if body and "Content-Length" not in given:
        given["Content-Length"] = str(len(body))
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in given.items() if v) + "\r\n"
    return raw(port, head.encode("latin-1") + body)


def post(port: int, path: str, body: bytes, **headers: str) -> Answer:
    """A request as the page itself sends it; `headers` (with _ for -) add to it or replace."""
    own = {"Content-Type": "application/json", "X-Storisende": "1", "Origin": f"http://127.0.0.1:{port}"}
    return request(port, "POST", path, own | {k.replace("_", "-"): v for k, v in headers.items()}, body)


def raw(port: int, data: bytes) -> Answer:
    """Send bytes, read until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        line.sendall(data)
        received = b""
        while chunk := line.recv(65536):
            received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    fields = dict(field.split(": ", 1) for field in rest if ": " in field)
    status = int(first.split(" ")[1]) if first else 0
    return Answer(status, {k.lower(): v for k, v in fields.items()}, body)
