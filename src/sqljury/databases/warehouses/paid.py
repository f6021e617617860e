"""Results that were paid for, in a file of the run, and the limit on what a command may spend.

A resumed run takes from it what an earlier command paid for. It also knows which statement each
worker is about to pay for, so that several workers together stay below the limit, and none pays for
what another one is running.
"""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqljury.errors import InfrastructureError, InputError
from sqljury.execution import Bill, Execution, ResultTable, Status
from sqljury.storage import check_tables, storage_errors
from sqljury.writing import new_folder

_SCHEMA = """
CREATE TABLE IF NOT EXISTS result (
    key TEXT PRIMARY KEY,
    sql TEXT NOT NULL,
    command TEXT NOT NULL,
    job TEXT NOT NULL,
    begun REAL NOT NULL,
    most REAL,
    status TEXT,
    message TEXT,
    seconds REAL,
    bytes INTEGER,
    credits REAL,
    money REAL,
    body BLOB
)
"""
_APPLICATION = 0x534A5752  # "SJWR"
_POLL_SECONDS = 0.2


class PaidResults:
    """Executions by key, for any number of processes.

    Args:
        path: an SQLite file; it is created if it does not exist.
        command: a text that all processes of one command share; the limit is theirs together.
        max_cost: the most US dollars that the command may spend; None for no limit.
        elsewhere: returns what the command spent on other things.

    Raises:
        InputError: SJ281: the file is not one of these.
    """

    def __init__(
        self,
        path: str | Path,
        command: str,
        max_cost: float | None = None,
        elsewhere: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._path = Path(path)
        self._command = command
        self._max_cost = max_cost
        self._elsewhere = elsewhere
        new_folder(self._path.parent)
        with storage_errors(self._path, self._damaged):
            self._database = sqlite3.connect(
                self._path, timeout=60.0, isolation_level=None, check_same_thread=False
            )
            ((application,),) = self._database.execute("PRAGMA application_id")
            ((tables,),) = self._database.execute("SELECT count(*) FROM sqlite_master")
            if application != _APPLICATION and (application or tables):
                raise self._damaged("it is another kind of SQLite file")
            check_tables(self._database)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._database.execute(_SCHEMA)

    def _damaged(self, why: str) -> InputError:
        return InputError("SJ281", f"{str(self._path)!r} cannot be used: {why}.")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with storage_errors(self._path, self._damaged):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def execute(
        self,
        key: str,
        sql: str,
        most: Callable[[], Bill | Execution],
        run: Callable[[str], Execution],
        *,
        job: str,
        patience: float,
    ) -> Execution:
        """The stored execution, else that of ``run``, which is stored unless it was UNAVAILABLE.

        Args:
            most: returns the most that the statement can cost, or an execution if it must not run.
            run: runs the statement as the job of this name.
            job: a new name for the job. A job that an earlier command began keeps its name.
            patience: seconds to wait for a worker that already runs the statement.

        Raises:
            InfrastructureError: SJ282: the statement could cost more than is left.
        """
        bill = None
        while True:
            found = self._found(key, patience)
            if isinstance(found, Execution):
                return found
            bill = bill or most()
            if isinstance(bill, Execution):
                return bill
            if self._claim(key, sql, found, found or job, bill):
                break
        job = found or job
        execution = Execution(Status.UNAVAILABLE)
        try:
            execution = run(job)
        finally:
            self._settle(key, execution)
        return execution

    def _found(self, key: str, patience: float) -> Execution | str:
        """The stored execution; else the job that was begun for it, or an empty text."""
        until = time.monotonic() + patience
        while True:
            with storage_errors(self._path, self._damaged):
                row = self._database.execute(
                    "SELECT status, message, seconds, bytes, credits, money, body, job, "
                    "command = ? AND begun FROM result WHERE key = ?",
                    (self._command, key),
                ).fetchone()
            if row is None:
                return ""
            if row[0] is not None:
                return _execution(*row[:7])
            if not row[8] or time.monotonic() > until:
                return str(row[7])
            time.sleep(_POLL_SECONDS)

    def spent(self) -> float:
        """US dollars that this command spent; a statement still running counts at its most."""
        with storage_errors(self._path, self._damaged):
            ((spent,),) = self._database.execute(
                "SELECT total(coalesce(money, most)) FROM result WHERE command = ?",
                (self._command,),
            )
        return float(spent)

    def _claim(self, key: str, sql: str, known: str, job: str, bill: Bill) -> bool:
        """Sets the price aside; False if another worker was faster.

        Args:
            known: the job that was begun for the statement, or an empty text.
        """
        if self._max_cost is not None and bill.money is None:
            raise InputError(
                "SJ283",
                "with --max-cost the price of a statement must be known.",
                hint="Add price_per_hour=… to the URL of the databases.",
            )
        with self._transaction() as database:
            row = database.execute(
                "SELECT job, status IS NULL AND command <> ? OR begun = 0 FROM result "
                "WHERE key = ?",
                (self._command, key),
            ).fetchone()
            if row != ((known, 1) if known else None):
                return False
            money = bill.money or 0.0
            spent = self.spent() + self._elsewhere()
            if self._max_cost is not None and spent + money > self._max_cost:
                raise InfrastructureError(
                    "SJ282",
                    f"${spent:.4f} of ${self._max_cost:g} are spent, and the next statement can "
                    f"cost up to ${money:.4f}.",
                    hint="Raise --max-cost, and run the same command again: it goes on where it "
                    "stopped.",
                )
            database.execute(
                "INSERT OR REPLACE INTO result (key, sql, command, job, begun, most) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (key, sql, self._command, job, time.time(), money),
            )
            return True

    def _settle(self, key: str, execution: Execution) -> None:
        with self._transaction() as database:
            if execution.status is Status.UNAVAILABLE:
                # Another attempt looks for the job; what it may have cost stays counted until then.
                database.execute("UPDATE result SET begun = 0 WHERE key = ?", (key,))
                return
            bill = execution.bill or Bill()
            database.execute(
                "UPDATE result SET status = ?, message = ?, seconds = ?, bytes = ?, credits = ?, "
                "money = ?, body = ? WHERE key = ?",
                (
                    *(execution.status.value, execution.message, execution.seconds),
                    *(bill.bytes, bill.credits, bill.money),
                    *(_body(execution.table), key),
                ),
            )

    def close(self) -> None:
        """Closes the file."""
        self._database.close()


# ---------------------------------------------------------------- results as JSON


def _body(table: ResultTable | None) -> bytes | None:
    if table is None:
        return None
    rows = [[_plain(cell) for cell in row] for row in table.rows]
    return zlib.compress(json.dumps([table.columns, rows]).encode("utf-8", "surrogatepass"))


def _execution(
    status: str,
    message: str,
    seconds: float,
    scanned: int,
    credits: float,
    money: float | None,
    body: bytes | None,
) -> Execution:
    table = None
    if body is not None:
        columns, rows = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
        table = ResultTable(tuple(columns), [tuple(map(_value, row)) for row in rows])
    bill = Bill(scanned, credits, money)
    return Execution(Status(status), table, message, seconds, bill)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {"dict": [[_plain(name), _plain(one)] for name, one in value.items()]}
    if isinstance(value, bytes | bytearray):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, timedelta):
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    for name in ("datetime", "date", "time"):  # a datetime is a date
        if isinstance(value, _DATES[name]):
            return {name: value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    return {"text": str(value)}


_DATES: dict[str, Any] = {"datetime": datetime, "date": date, "time": clock_time}


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_value(one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    ((kind, held),) = plain.items()
    if kind in _DATES:
        return _DATES[kind].fromisoformat(held)
    if kind == "dict":
        return {_value(name): _value(one) for name, one in held}
    if kind == "timedelta":
        return timedelta(*held)
    of_text: dict[str, Callable[[str], Any]] = {
        "float": float.fromhex,
        "bytes": bytes.fromhex,
        "decimal": Decimal,
        "text": str,
    }
    return of_text[kind](held)
