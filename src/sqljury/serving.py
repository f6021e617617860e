"""Web servers of our own: the access token, who may connect, slow clients, a graceful stop."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import os
import secrets
import signal
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqljury.errors import InfrastructureError, MissingExtraError
from sqljury.secrets import learn

if TYPE_CHECKING:
    from starlette.applications import Starlette

HEADER_SECONDS = 10.0
"""Within so many seconds after the first byte a client must have sent a request's head."""


MOST_CALLERS = 10_000
"""Callers whose rates are known at once; the one that asked longest ago is forgotten."""


def access_token(variable: str) -> tuple[str, bool]:
    """The token that callers must send, and True if it was made now.

    Args:
        variable: the environment variable that may hold it.
    """
    given = os.environ.get(variable, "")
    token = given or secrets.token_urlsafe(24)
    learn(token)  # it is removed from all that is printed or stored later
    return token, not given


def same_token(sent: str, token: str) -> bool:
    """True if a token is the expected one; takes as long for any wrong one."""
    return hmac.compare_digest(sent.encode("utf-8", "replace"), token.encode())


def bearer_of(headers: Mapping[str, str]) -> str:
    """The token in a request's headers; empty if there is none."""
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    return sent.strip() if scheme.casefold() == "bearer" else ""


def is_loopback(host: str) -> bool:
    """True if only programs of this machine reach a server on this host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Rates:
    """How many requests a minute each caller may make; a minute's worth may come at once."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(a_minute), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, caller: str) -> float:
        """0 if the caller may ask now, which counts; else in how many seconds it may."""
        now = self._clock()
        left, last = self._left.pop(caller, (self._most, now))
        left = min(self._most, left + (now - last) * self._most / 60)
        asks = left >= 1
        self._left[caller] = (left - 1 if asks else left, now)
        if len(self._left) > MOST_CALLERS:
            self._left.popitem(last=False)
        return 0.0 if asks else (1 - left) * 60 / self._most


def run_server(
    app: Starlette,
    host: str,
    port: int,
    *,
    extra: str,
    on_start: Callable[[str], None],
    grace_seconds: float = 30.0,
) -> None:
    """Serve until SIGINT or SIGTERM; requests that are being answered then are finished.

    Args:
        port: 0 takes any free port.
        extra: the extra that installs what is needed.
        on_start: called with the address when the server listens.
        grace_seconds: how long to wait for open requests at the end.

    Raises:
        InfrastructureError: SJ014: the port cannot be used; SJ001: uvicorn is not installed.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingExtraError("uvicorn", extra, "A web server") from None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InfrastructureError(
            "SJ014",
            f"cannot listen on {host}:{port}: {error.strerror or error}.",
            hint="--port 0 takes any free port.",
        ) from error
    config = uvicorn.Config(
        app,
        http=_protocol(),
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=int(grace_seconds),
    )
    shown = f"[{host}]" if ":" in host else host

    class AnnouncingServer(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                on_start(f"http://{shown}:{listener.getsockname()[1]}")

    # uvicorn stops at these signals and then raises them again, which would end with an error.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    with listener:
        AnnouncingServer(config).run(sockets=[listener])


def _protocol() -> type[asyncio.Protocol]:
    """uvicorn's protocol, which closes connections whose request heads do not arrive in time."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Punctual(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if self._timer is not None:
                self._timer.cancel()

        def _watch(self) -> None:
            waits = self.conn.their_state is h11.IDLE
            if waits and self._timer is None:
                self._timer = self.loop.call_later(HEADER_SECONDS, self._too_late)
            elif not waits and self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _too_late(self) -> None:
            self._timer = None
            if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
                self.transport.close()

    return Punctual
