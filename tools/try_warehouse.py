"""Tries sqljury's warehouse engines on a real account: ``python tools/try_warehouse.py URL``.

Prints a line for each check. Statements that could write are refused before they are sent; nothing
is written. The URL names one database (no ``{db_id}``), and the login should be one that can only
read. It costs what a handful of queries on no table cost, and one of ``--seconds`` seconds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqljury import Limits, open_databases
from sqljury.databases.warehouses import PaidResults, bill
from sqljury.errors import SqljuryError
from sqljury.execution import Status

_REFUSED = (
    "DROP TABLE sqljury_trial",
    "INSERT INTO sqljury_trial VALUES (1)",
    "CREATE TABLE sqljury_trial AS SELECT 1 AS x",
    "SELECT 1; SELECT 2",
    "SELECT sqljury_trial_function(1)",
    "SELECT * INTO sqljury_trial FROM x",
    "SELECT * FROM information_schema.enabled_roles",
    "CALL sqljury_trial()",
    "BEGIN",
)
_ONE_COLUMN = (
    "SELECT a.x FROM (SELECT 0 AS x UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 "
    "UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) AS a"
)


def _joined(times: int) -> str:
    """A count over the product of a small table with itself, 8 to the power of ``times`` rows."""
    tables = ", ".join(f"({_ONE_COLUMN}) AS t{number}" for number in range(times))
    total = " + ".join(f"t{number}.x" for number in range(times))
    return f"SELECT SUM(CAST({total} AS DECIMAL(20, 0))) AS s FROM {tables}"


def checks(database: Any, folder: Path, seconds: float) -> Iterator[tuple[str, bool, object]]:
    """Name, whether it went well, and what was seen."""
    limits = Limits(seconds=60, rows=100)
    found = database.execute("SELECT 1 AS one -- a comment", limits)
    yield "a query", found.ok and found.table.rows == [(1,)], found
    found = database.execute("SELECT nothing FROM sqljury_no_such_table", limits)
    yield "an error", found.status is Status.ERROR, found.message
    for sql in _REFUSED:
        found = database.execute(sql, limits)
        refused = found.status in (Status.REFUSED, Status.ERROR, Status.UNREAD)
        yield f"refused: {sql}", refused, found.message
    started = time.monotonic()
    found = database.execute(_joined(14), Limits(seconds=seconds))
    took = time.monotonic() - started
    yield "the time limit", found.status is Status.TIMEOUT, f"{took:.1f} s: {found.message}"
    yield "the session afterwards", database.execute("SELECT 2 AS two", limits).ok, ""
    tables = database.schema().tables
    yield "the schema", bool(tables), f"{len(tables)} tables"
    yield "the same fingerprint twice", database.fingerprint() == database.fingerprint(), ""
    with closing(PaidResults(folder / "paid.sqlite", "trial", max_cost=1.0)) as paid:
        bill(database, paid)
        once = database.execute("SELECT 3 AS three", limits)
        again = database.execute("SELECT 3 AS three", limits)
        yield "paid once", once == again, once.bill
    try:
        tried = database.trials()
    except SqljuryError as error:
        yield "the login can only read", False, error
        return
    held = [one.trial.does for one in tried if one.succeeded]
    yield "the login can only read", not held, "; ".join(held) or f"{len(tried)} checks"
    for warning in database.warnings():
        yield "a warning", True, warning


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=5.0, help="of the query that is stopped")
    arguments = parser.parse_args()
    try:
        databases = open_databases(arguments.url)
        database = databases.open((databases.ids() or ("",))[0])
    except SqljuryError as error:
        raise SystemExit(str(error)) from None
    if database is None:
        raise SystemExit("there is no such database")
    failed = 0
    with closing(database), tempfile.TemporaryDirectory() as folder:
        print(f"{database.engine}, dialect {database.dialect}")
        for name, good, seen in checks(database, Path(folder), arguments.seconds):
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'}  {name}  {seen}")
    print(f"{failed} failed")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
