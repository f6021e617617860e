"""The app as a whole: its doors, and the server that it runs in."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route

from sqljury.app.access import LOOPBACK, Access, new_token
from sqljury.app.pages import compile_templates, error_page, static_file
from sqljury.errors import InfrastructureError, SqljuryError

_TURN_SECONDS = 0.0005


class Door(Protocol):
    """One part of the app: what it is called, where it starts, which addresses it answers."""

    @property
    def title(self) -> str:
        """The text of its link at the top of each page."""

    @property
    def path(self) -> str:
        """The address of its first page."""

    def routes(self) -> Sequence[BaseRoute]:
        """The addresses that this part of the app answers."""


@dataclass(frozen=True, slots=True)
class Served:
    """An app with the port and the token by which it is reached."""

    app: Starlette
    port: int
    token: str
    path: str = field(default="/")

    @property
    def address(self) -> str:
        """The address to open, token included."""
        return f"http://{LOOPBACK}:{self.port}{self.path}?token={self.token}"


def make_app(doors: Iterable[Door], port: int, token: str | None = None) -> Served:
    """The app with these doors.

    Args:
        token: what a browser must know; by default a new one.
    """
    chosen = list(doors)
    token = token or new_token()
    routes = [route for door in chosen for route in door.routes()]
    app = Starlette(
        routes=[*routes, Route("/static/{name}", static_file)],
        middleware=[Middleware(Access, token=token, port=port)],
        exception_handlers={SqljuryError: error_page},
    )
    app.state.doors = [(door.title, door.path) for door in chosen]
    return Served(app, port, token, chosen[0].path)


def serve(
    make: Callable[[int], Served],
    port: int = 0,
    on_start: Callable[[Served], None] = lambda _: None,
) -> None:
    """Serve an app on this machine's loopback address until it is interrupted.

    Args:
        make: makes the app for a port.
        port: the port; 0 for any that is free.
        on_start: called once the address can be opened.

    Raises:
        InfrastructureError: SJ451: the port is taken.
    """
    import uvicorn

    compile_templates()
    # A thread that makes an index computes without pause; a page waits for its turn this long.
    sys.setswitchinterval(_TURN_SECONDS)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, port))
        except OSError as error:
            raise InfrastructureError(
                "SJ451",
                f"cannot listen on port {port}: {error.strerror}.",
                hint="Name another one with --port; without it, a free one is taken.",
            ) from error
        listening.listen()
        served = make(listening.getsockname()[1])
        on_start(served)
        config = uvicorn.Config(served.app, log_level="warning", access_log=False, lifespan="off")
        uvicorn.Server(config).run(sockets=[listening])
