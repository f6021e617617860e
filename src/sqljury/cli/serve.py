"""`sqljury serve` and `mcp`: programs ask for verdicts over HTTP, assistants over MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import command
from sqljury.cli.streams import echo
from sqljury.errors import MissingExtraError
from sqljury.settings import Running, Serving, Sources, only, option

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette

    from sqljury.guests.operations import Operations

TOKEN = "SQLJURY_SERVE_TOKEN"
"""The environment variable that holds the token which callers must send."""

_Judges = Annotated[
    tuple[str, ...],
    option(
        "Judge that callers can ask; repeatable [execution:strict].",
        "--judge",
        "-j",
        is_common=True,
    ),
]
_Gate = Annotated[
    str,
    option("JUDGE[>=T] that decides if a query should be answered.", "--gate", is_common=True),
]
_Sources = Annotated[Sources, only("databases", "schemas", "descriptions")]
_Running = Annotated[
    Running,
    only("workers", "limits_seconds", "limits_rows", "limits_bytes", "limits_memory"),
]


@command()
def serve(
    *,
    sources: _Sources,
    judge: _Judges = (),
    gate: _Gate = "faults",
    running: _Running,
    serving: Serving,
) -> None:
    """Answer over HTTP: judge, compare, choose, should it be answered.

    Callers send the token that SQLJURY_SERVE_TOKEN holds, or that is printed at the start. They may
    use the databases that are named here, and no others.
    """
    operations = _operations("serve", sources, judge, gate, running)
    from sqljury.guests.service import make_app

    _listen("serve", lambda token: make_app(operations, token, serving), serving, operations)


@command(name="mcp")
def mcp(
    *,
    sources: _Sources,
    judge: _Judges = (),
    gate: _Gate = "faults",
    running: _Running,
    http: Annotated[
        bool, option("Listen on --host and --port instead of standard input.", "--http")
    ] = False,
    serving: Annotated[Serving, only("host", "port", "rate", "body", "request_seconds")],
) -> None:
    """Offer what `serve` does to assistants, as tools and schemas of an MCP server.

    It speaks over standard input and output; with --http over streamable HTTP, where callers send
    the token that SQLJURY_SERVE_TOKEN holds, or that is printed at the start.
    """
    operations = _operations("mcp", sources, judge, gate, running)
    from sqljury.guests.mcp_server import http_app, make_server

    if http:
        _listen("mcp", lambda token: http_app(operations, token, serving), serving, operations)
        return
    with operations:
        make_server(operations).run("stdio")


def _listen(
    extra: str, make: Callable[[str], Starlette], serving: Serving, operations: Operations
) -> None:
    """Serve an application until a signal; print where it is, and the token if it is new."""
    from sqljury.serving import access_token, is_loopback, run_server

    token, is_new = access_token(TOKEN)

    def started(address: str) -> None:
        path = "/mcp" if extra == "mcp" else ""
        echo(f"serving {len(operations.databases):,} databases on {address}{path}")
        if extra == "serve":
            echo(f"description of the requests: {address}/openapi.json")
        if is_new:
            print(f"token: {token}", flush=True)
        if not is_loopback(serving.host):
            echo(
                "warning: other machines can connect, and what they send is not encrypted; put a "
                "proxy with TLS before it.",
                err=True,
            )

    run_server(
        make(token),
        serving.host,
        serving.port,
        extra=extra,
        on_start=started,
        grace_seconds=serving.request_seconds,
    )


def _operations(
    extra: str, sources: Sources, judge: tuple[str, ...], gate: str, running: Running
) -> Operations:
    try:
        from sqljury.guests.operations import Operations

        if extra == "serve":
            import prometheus_client  # noqa: F401
            import starlette  # noqa: F401
        else:
            import mcp  # noqa: F401
    except ImportError as error:
        name = str(error.name).partition(".")[0]
        raise MissingExtraError(name, extra, f"`sqljury {extra}`") from None
    return Operations(
        sources,
        judge or ("execution:strict",),
        gate,
        limits=running.limits,
        workers=running.workers,
    )
