"""The MCP server: the four operations as tools, and the schemas of the databases as resources."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resources import FunctionResource
from mcp.types import ToolAnnotations
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

import sqljury as sj
from sqljury.guests.operations import Operations
from sqljury.secrets import redacted
from sqljury.serving import Rates, bearer_of, same_token
from sqljury.settings import Serving

INSTRUCTIONS = (
    "Checks SQL before its result is shown to a user. With several candidate queries call "
    "choose_sql. Call should_answer with the question and the query before showing an answer; if "
    "it says no, give its reason instead of the answer. The resources are the schemas of the "
    "databases."
)


def make_server(operations: Operations) -> MCPServer[Any]:
    """An MCP server with the tools judge_sql, compare_sql, choose_sql and should_answer."""
    server: MCPServer[Any] = MCPServer(
        "sqljury", instructions=INSTRUCTIONS, version=sj.__version__, log_level="WARNING"
    )
    reads_only = ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    for call in (
        operations.judge_sql,
        operations.compare_sql,
        operations.choose_sql,
        operations.should_answer,
    ):
        server.add_tool(
            _with_errors(call),
            description=inspect.cleandoc(call.__doc__ or ""),
            annotations=reads_only,
        )
    for name in operations.databases:
        server.add_resource(
            FunctionResource(
                uri=f"schema://{quote(name, safe='')}",
                name=name,
                description=f"CREATE TABLE statements of the database {name}",
                mime_type="application/sql",
                fn=functools.partial(operations.schema, name),
            )
        )
    return server


def _with_errors(call: Callable[..., Any]) -> Callable[..., Any]:
    """The operation, with its errors as the SDK shows them to assistants."""

    @functools.wraps(call)
    def tool(**given: Any) -> Any:
        try:
            return call(**given)
        except sj.SqljuryError as error:
            raise ToolError(redacted(str(error))) from None

    # Annotations as values: those of a method are texts that its own module explains.
    tool.__signature__ = inspect.signature(call, eval_str=True)  # type: ignore[attr-defined]
    return tool


def http_app(operations: Operations, token: str, serving: Serving) -> Starlette:
    """The server over streamable HTTP at ``/mcp``.

    Args:
        token: callers send it as ``Authorization: Bearer TOKEN``.
    """
    app = make_server(operations).streamable_http_app(
        host=serving.host, max_request_body_size=serving.body
    )
    app.add_middleware(_Admission, token=token, rates=Rates(serving.rate), operations=operations)
    return app


class _Admission:
    """Refuses callers without the token or above their rate; closes the operations at the end."""

    def __init__(self, app: ASGIApp, token: str, rates: Rates, operations: Operations) -> None:
        self._app, self._token, self._rates = app, token, rates
        self._operations = operations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            with self._operations:
                await self._app(scope, receive, send)
            return
        refused = self._refused(scope)
        await (refused or self._app)(scope, receive, send)

    def _refused(self, scope: Scope) -> JSONResponse | None:
        if not same_token(bearer_of(Headers(scope=scope)), self._token):
            said = {"error": "send the token: Authorization: Bearer TOKEN"}
            return JSONResponse(said, 401, {"WWW-Authenticate": "Bearer"})
        client = scope.get("client")
        wait = self._rates.seconds_to_wait(client[0] if client else "")
        if wait:
            said = {"error": "too many requests from this caller"}
            return JSONResponse(said, 429, {"Retry-After": str(max(1, round(wait + 0.5)))})
        return None
