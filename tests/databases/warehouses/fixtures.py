"""Servers that stand in for warehouses: fakesnow in a process of its own, scripted BigQuery."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

FAKESNOW = Path(
    os.environ.get("SQLJURY_TEST_FAKESNOW", Path(sys.prefix) / "fakesnow" / "bin" / "python")
)
"""The Python of an environment with ``fakesnow[server]``, which needs an sqlglot of its own."""


@dataclass
class Fakesnow:
    """A running server."""

    port: int
    record: Path

    @property
    def statements(self) -> list[str]:
        """All statements that it received, ours about the schema too."""
        return [json.loads(line) for line in self.record.read_text().splitlines()]

    def url(self, **options: object) -> str:
        """The URL of its databases."""
        more = "".join(f"&{name}={value}" for name, value in options.items())
        at = f"host=localhost&port={self.port}&protocol=http&warehouse=W"
        return f"snowflake://jury:a-password@fakesnow/{{db_id}}/PUBLIC?{at}{more}"

    def run(self, database: str, *script: str) -> None:
        """Run statements as the owner of a database, which a login creates."""
        # Else the driver asks the clouds' metadata addresses where it runs.
        os.environ.setdefault("SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "true")
        import snowflake.connector

        with warnings.catch_warnings(action="ignore"):
            connection = snowflake.connector.connect(
                user="owner",
                password="x",
                account="fakesnow",
                host="localhost",
                port=self.port,
                protocol="http",
                database=database,
                schema="PUBLIC",
            )
        with closing(connection):
            for statement in script:
                connection.cursor().execute(statement)


@contextmanager
def fakesnow(folder: Path) -> Iterator[Fakesnow]:
    """A running fakesnow; skips the test where it is not installed."""
    pytest.importorskip("snowflake.connector")
    if not FAKESNOW.exists():
        pytest.skip("no fakesnow: make .venv/.fakesnow")
    record = folder / "statements.jsonl"
    record.touch()
    script = Path(__file__).with_name("fakesnow_server.py")
    with subprocess.Popen(
        [FAKESNOW, script, record], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield Fakesnow(int(process.stdout.readline()), record)
        finally:
            process.kill()
