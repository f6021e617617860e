"""An HTTP server that speaks as much of BigQuery's protocol as its Python client uses.

Statements run in DuckDB, in the translation of sqlglot. ``'slow'`` in a statement makes its job
take a second, ``'endless'`` an hour.
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import duckdb
import sqlglot

_TYPES = {"BIGINT": "INTEGER", "HUGEINT": "INTEGER", "INTEGER": "INTEGER", "VARCHAR": "STRING",
          "DOUBLE": "FLOAT", "BOOLEAN": "BOOLEAN", "DATE": "DATE", "TIMESTAMP": "DATETIME"}  # fmt: skip
_BYTES_READ = 25 * 1024 * 1024


class BigQueryServer:
    """The server's state.

    Attributes:
        jobs: the configuration and end time of each job, by its name.
        cancelled: the names of the jobs that were cancelled.
        dry: the statements of dry runs.
        permissions: what the login may do with tables.
    """

    def __init__(self, script: str) -> None:
        self.database = duckdb.connect()
        self.database.execute(script)
        self.lock = threading.Lock()
        self.jobs: dict[str, dict[str, Any]] = {}
        self.cancelled: list[str] = []
        self.dry: list[str] = []
        self.permissions: list[str] = []
        self.bytes_read = _BYTES_READ
        self.url = ""

    @property
    def statements(self) -> list[str]:
        """The statements of all jobs that were paid for."""
        return [job["sql"] for job in self.jobs.values()]

    def wait_for_job(self) -> None:
        """Returns when a job was handed in."""
        while not self.jobs:
            time.sleep(0.01)

    def end_jobs(self) -> None:
        """Lets all jobs end now."""
        for job in self.jobs.values():
            job["end"] = 0.0

    def answer(self, method: str, path: list[str], query: dict[str, Any], body: Any) -> Any:
        rest = path[path.index("projects") + 2 :]
        match method, rest:
            case "POST", ["jobs"]:
                return self.insert(body)
            case "GET", ["jobs", name]:
                return self.resource(name)
            case "POST", ["jobs", name, "cancel"]:
                self.cancelled.append(name)
                return {"job": self.resource(name)}
            case "GET", ["queries", name]:
                return self.results(name, query)
            case "GET", ["datasets"]:
                return {"datasets": [{"datasetReference": _ref("harbour")}]}
            case "GET", ["datasets", _, "tables"]:
                return {"tables": [{"tableReference": _ref("harbour", t)} for t in self.tables()]}
            case "GET", ["datasets", _, "tables", table]:
                return self.table(table)
            case "POST", ["datasets", _, "tables", _]:
                return {"permissions": self.permissions}
        raise LookupError(path)

    def tables(self) -> list[str]:
        return [name for (name,) in self.database.cursor().execute("SHOW TABLES").fetchall()]

    def table(self, name: str) -> Any:
        cursor = self.database.cursor()
        described = cursor.execute(f'DESCRIBE "{name}"').fetchall()
        ((rows,),) = cursor.execute(f'SELECT count(*) FROM "{name}"').fetchall()
        fields = [{"name": row[0], "type": _TYPES.get(row[1], "NUMERIC")} for row in described]
        return {
            "tableReference": _ref("harbour", name),
            "schema": {"fields": fields},
            "numRows": str(rows),
            "lastModifiedTime": "1700000000000",
            "type": "TABLE",
        }

    def insert(self, body: Any) -> Any:
        config = body["configuration"]
        sql = config["query"]["query"]
        kind = sqlglot.parse_one(sql, read="bigquery").key.upper()
        if config.get("dryRun"):
            self.dry.append(sql)
            self.run(sql, 0)  # errors of names and types
            statistics = {
                "totalBytesProcessed": str(self.bytes_read),
                "query": {"statementType": kind, "totalBytesProcessed": str(self.bytes_read)},
            }
            return {"configuration": config, "statistics": statistics, "status": {"state": "DONE"},
                    "jobReference": {"projectId": "p", "jobId": "dry"}}  # fmt: skip
        name = body["jobReference"]["jobId"]
        with self.lock:
            if name in self.jobs:
                raise FileExistsError(name)
            seconds = 3600 if "'endless'" in sql else 1 if "'slow'" in sql else 0
            self.jobs[name] = {"config": config, "sql": sql, "end": time.monotonic() + seconds}
        return self.resource(name)

    def resource(self, name: str) -> Any:
        if name not in self.jobs:
            raise LookupError(name)
        job = self.jobs[name]
        done = job["end"] <= time.monotonic()
        status: dict[str, Any] = {"state": "DONE" if done else "RUNNING"}
        read = str(self.bytes_read)
        return {
            "configuration": job["config"],
            "jobReference": {"projectId": "p", "jobId": name, "location": "US"},
            "status": status,
            "statistics": {"query": {"totalBytesBilled": read, "statementType": "SELECT"}},
        }

    def results(self, name: str, query: dict[str, Any]) -> Any:
        job = self.jobs[name]
        reference = {"projectId": "p", "jobId": name, "location": "US"}
        time.sleep(max(0.0, min(job["end"] - time.monotonic(), 0.3)))
        if job["end"] > time.monotonic():
            return {"jobComplete": False, "jobReference": reference}
        cursor = self.run(job["sql"], None)
        fields = [
            {"name": c[0], "type": _TYPES.get(str(c[1]), "NUMERIC")} for c in cursor.description
        ]
        rows = cursor.fetchall()
        start, most = (
            int(query.get("pageToken", ["0"])[0]),
            int(query.get("maxResults", ["1000"])[0]),
        )
        page = rows[start : start + most]
        more = {"pageToken": str(start + most)} if start + most < len(rows) and most else {}
        return {
            "jobComplete": True,
            "jobReference": reference,
            "schema": {"fields": fields},
            "totalRows": str(len(rows)),
            "rows": [{"f": [{"v": _text(cell)} for cell in row]} for row in page],
            **more,
        }

    def run(self, sql: str, most: int | None) -> Any:
        translated = sqlglot.transpile(sql, read="bigquery", write="duckdb")[0]
        cursor = self.database.cursor()
        return cursor.execute(
            translated if most is None else f"SELECT * FROM ({translated}) LIMIT {most}"
        )


def _ref(dataset: str, table: str | None = None) -> dict[str, str]:
    found = {"projectId": "p", "datasetId": dataset}
    return found if table is None else {**found, "tableId": table}


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | datetime) else str(Decimal(str(value)))


def _error(code: int, reason: str, message: str) -> Any:
    details = [{"reason": reason, "message": message}]
    return {"error": {"code": code, "message": message, "errors": details}}


@contextmanager
def bigquery_server(script: str) -> Any:
    """A running server with these tables; ``url`` is the one of its databases."""
    state = BigQueryServer(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"null")
            code = 200
            path = parts.path.partition(":")[0].strip("/").split("/")
            try:
                found = state.answer(self.command, path, parse_qs(parts.query), body)
            except LookupError as error:
                code, found = 404, _error(404, "notFound", f"Not found: {error}")
            except FileExistsError as error:
                code, found = 409, _error(409, "duplicate", f"Already Exists: {error}")
            except (duckdb.Error, sqlglot.errors.SqlglotError) as error:
                code, found = 400, _error(400, "invalidQuery", str(error).partition("\n")[0])
            data = json.dumps(found).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    state.url = (
        f"bigquery://p/{{db_id}}?credentials=anonymous&location=US&endpoint=http://127.0.0.1:{port}"
    )
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
