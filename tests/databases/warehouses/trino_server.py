"""An HTTP server that speaks Trino's protocol as its client does; DuckDB runs the statements.

``'endless'`` in a statement makes it run until it is cancelled.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import duckdb
import sqlglot

_TYPES = {"BIGINT": "bigint", "INTEGER": "integer", "VARCHAR": "varchar", "DOUBLE": "double"}


class TrinoServer:
    """The server's state.

    Attributes:
        statements: what was received.
        sessions: the session properties of each statement.
        cancelled: the numbers of the statements that were cancelled.
    """

    def __init__(self, script: str) -> None:
        self.database = duckdb.connect()
        self.database.execute(script)
        self.statements: list[str] = []
        self.sessions: list[str] = []
        self.cancelled: list[int] = []
        self.url = ""
        self.port = 0

    def begin(self, sql: str, session: str) -> dict[str, Any]:
        self.statements.append(sql)
        self.sessions.append(session)
        return self._state(len(self.statements) - 1, "QUEUED", step=0)

    def _state(self, number: int, state: str, step: int | None) -> dict[str, Any]:
        at = f"http://127.0.0.1:{self.port}/v1/statement"
        more = {} if step is None else {"nextUri": f"{at}/{number}/{step}"}
        stats = {"state": state, "queued": state == "QUEUED", "scheduled": True, "nodes": 1}
        return {"id": f"q{number}", "infoUri": f"{at}/info", "stats": stats, **more}

    def step(self, number: int) -> dict[str, Any]:
        sql = self.statements[number]
        if "'endless'" in sql and number not in self.cancelled:
            time.sleep(0.05)
            return self._state(number, "RUNNING", step=1)
        if "version()" in sql:
            return self._result(number, [("_col0", "varchar")], [["480"]])
        try:
            cursor = self.database.cursor().execute(
                sqlglot.transpile(sql, read="trino", write="duckdb")[0]
            )
        except duckdb.Error as error:
            failure = {
                "message": str(error).partition("\n")[0],
                "errorCode": 47,
                "errorName": "COLUMN_NOT_FOUND",
                "errorType": "USER_ERROR",
                "failureInfo": {"type": "x"},
            }
            return {**self._state(number, "FAILED", step=None), "error": failure}
        columns = [(c[0], _TYPES.get(str(c[1]), "varchar")) for c in cursor.description]
        return self._result(number, columns, [list(row) for row in cursor.fetchall()])

    def _result(
        self, number: int, columns: list[tuple[str, str]], rows: list[list[Any]]
    ) -> dict[str, Any]:
        long = [{"kind": "LONG", "value": 2147483647}]
        described = [
            {
                "name": name,
                "type": kind,
                "typeSignature": {
                    "rawType": kind,
                    "arguments": long if kind == "varchar" else [],
                },
            }
            for name, kind in columns
        ]
        return {**self._state(number, "FINISHED", step=None), "columns": described, "data": rows}


@contextmanager
def trino_server(script: str) -> Iterator[TrinoServer]:
    """A running server with these tables; ``url`` is the one of its schemas."""
    state = TrinoServer(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def send(self, code: int, found: object) -> None:
            data = json.dumps(found).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.send(200, state.begin(body, self.headers.get("X-Trino-Session", "")))

        def do_GET(self) -> None:
            self.send(200, state.step(int(self.path.split("/")[-2])))

        def do_DELETE(self) -> None:
            state.cancelled.append(int(self.path.split("/")[-2]))
            self.send_response(204)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.port = server.server_address[1]
    state.url = f"trino://jury@127.0.0.1:{state.port}/memory/{{db_id}}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
