"""Starts fakesnow's HTTP server; run by the Python of an environment that has ``fakesnow[server]``.

Arguments: a file to which each statement is appended as a line of JSON. The first line of standard
output is the port.
"""

from __future__ import annotations

import gzip
import importlib
import json
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

RECORD = Path(sys.argv[1])
GRANTS = RECORD.with_name("grants.sql")
fake: Any = importlib.import_module("fakesnow.server")  # the package has a function of that name


async def login(request: Request) -> JSONResponse:
    """fakesnow's answer, with the master token that Snowflake's driver 5 asks for."""
    answer: Any = json.loads(bytes((await fake.login_request(request)).body))
    answer["data"] |= {
        "masterToken": "master",
        "validityInSeconds": 3600,
        "masterValidityInSeconds": 14400,
        "sessionId": len(fake.sessions),
    }
    return JSONResponse(answer)


async def query(request: Request) -> JSONResponse:
    """fakesnow's answer; the statement is recorded first."""
    body = await request.body()
    if request.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    told = json.loads(body)
    with RECORD.open("a") as file:
        file.write(json.dumps(told["sqlText"]) + "\n")
    if told["sqlText"].startswith("SHOW GRANTS TO ROLE") and GRANTS.exists():  # not in fakesnow
        request._body = json.dumps({**told, "sqlText": GRANTS.read_text()}).encode()
        request.scope["headers"] = [
            pair for pair in request.scope["headers"] if pair[0] != b"content-encoding"
        ]
    return await fake.query_request(request)


OWN = {"/session/v1/login-request": login, "/queries/v1/query-request": query}


def main() -> None:
    routes = [
        Route(route.path, OWN[route.path], methods=["POST"]) if route.path in OWN else route
        for route in fake.routes
    ]
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error")).run([listening])


if __name__ == "__main__":
    main()
