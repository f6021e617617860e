"""Every request to a model with its raw answer, in one file, so that nothing is paid for twice."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqljury.closing import Closing
from sqljury.errors import InputError
from sqljury.llm.chat import Json, key_of, one_line
from sqljury.storage import Checkpoints, check_tables, read_only_uri, storage_errors
from sqljury.writing import new_file, new_folder

_FORMAT = 1
_TRIES = 250
_APPLICATION = 0x534A4C4C  # "SJLL"
_SCHEMA = """
CREATE TABLE reply (
    key TEXT PRIMARY KEY,
    request TEXT NOT NULL,
    raw TEXT NOT NULL,
    at TEXT NOT NULL,
    seconds REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    via TEXT NOT NULL
);
CREATE TABLE batch (
    id TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    submitted TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE TABLE batch_request (
    key TEXT PRIMARY KEY,
    batch TEXT NOT NULL REFERENCES batch (id),
    request TEXT NOT NULL
);
"""
# Not in early ledgers: created when batches first need it.
_FAILURES = """
CREATE TABLE IF NOT EXISTS batch_failure (
    key TEXT PRIMARY KEY,
    tries INTEGER NOT NULL,
    why TEXT NOT NULL
)
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request and its answer."""

    request: str
    """The request as canonical text."""
    raw: Json
    """The provider's raw answer."""
    at: str
    """The time of the answer, in UTC."""
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    via: str = "call"
    """``call``, ``batch`` (which costs less), or ``rejected``: the endpoint did not accept the
    request."""

    @property
    def key(self) -> str:
        """The sha256 of the request."""
        return key_of(self.request)


_COLUMNS = "request, raw, at, seconds, prompt_tokens, completion_tokens, via"
_INSERT = f"""
INSERT INTO reply (key, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    raw = excluded.raw, at = excluded.at, seconds = excluded.seconds, via = excluded.via,
    prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens
WHERE reply.via = 'rejected' AND excluded.via <> 'rejected'
"""


class Ledger(Closing):
    """A ledger on disk, for any number of threads and processes; without a path, in memory.

    Args:
        path: an SQLite file, created if it does not exist; for reading only, also an export
            (``.jsonl``).
        read_only: for a replay: nothing is written, not even next to the file.

    Raises:
        InputError: the file is not a ledger, or does not exist and is only to be read.
    """

    def __init__(self, path: str | Path | None, *, read_only: bool = False) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._keeps = False
        with self._errors():
            self._database = self._opened(read_only)
        self._checkpoints = Checkpoints(self._database)
        self._keeps = path is not None and not read_only

    def _opened(self, read_only: bool) -> sqlite3.Connection:
        if self._path is None:
            return _prepared(_connected(":memory:"))
        path = Path(self._path)
        if read_only and not path.is_file():
            raise InputError("SJ905", f"there is no ledger {str(path)!r}.")
        if path.suffix == ".jsonl":
            if not read_only:
                raise self._unusable("an export can only be replayed, not written to")
            self._database = _prepared(_connected(":memory:"))
            self.import_jsonl(path)
            return self._database
        if read_only:
            return self._checked(_connected(read_only_uri(path)))
        new_folder(path.parent)
        return self._checked(_prepared(_connected(path.absolute().as_uri())))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Lets one thread in at a time, and turns SQLite errors into ours."""
        with self._lock, storage_errors(Path(self._path or ":memory:"), self._unusable):
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Runs the block as one transaction; now and then merges -wal into the one file."""
        with self._errors():
            with self._database:
                yield
            if self._keeps and self._timer is None:
                self._timer = threading.Timer(max(0.0, self._checkpoints.due_in), self._checkpoint)
                self._timer.daemon = True
                self._timer.start()

    def _checkpoint(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer = None
                self._checkpoints.now()

    def _checked(self, database: sqlite3.Connection) -> sqlite3.Connection:
        if database.execute("PRAGMA application_id").fetchone() != (_APPLICATION,):
            raise self._unusable("it is another kind of SQLite file")
        if database.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
            raise self._unusable("another version of sqljury wrote it")
        check_tables(database)
        return database

    def _unusable(self, why: object) -> InputError:
        return InputError("SJ905", f"the ledger {str(self._path)!r} cannot be used: {why}.")

    def get(self, key: str) -> Entry | None:
        """The stored answer to a request, or None."""
        row = self._one(f"SELECT {_COLUMNS} FROM reply WHERE key = ?", key)
        try:
            return None if row is None else _entry(row)
        except ValueError as error:
            raise self._unusable(f"the answer {key[:12]} is damaged ({error})") from error

    def put(self, entry: Entry) -> Entry:
        """Stores an answer and returns it; if another was stored first, returns that one.

        An answer replaces a rejection: another server may accept a longer prompt.
        """
        with self._lock:
            self._insert([entry])
            return self.get(entry.key) or entry

    def _insert(self, entries: Iterable[Entry]) -> int:
        rows = ((one.key, *_row(one)) for one in entries)
        with self._transaction():
            before = self._database.total_changes
            self._database.executemany(_INSERT, rows)
            return self._database.total_changes - before

    def entries(self) -> Iterator[Entry]:
        """All entries, sorted by key."""
        last = ""
        while row := self._one(
            f"SELECT {_COLUMNS}, key FROM reply WHERE key > ? ORDER BY key LIMIT 1", last
        ):
            last = str(row[-1])
            yield _entry(row[:-1])

    def __len__(self) -> int:
        row = self._one("SELECT count(*) FROM reply")
        return int(str(row[0])) if row else 0

    def _one(self, sql: str, *values: str) -> tuple[object, ...] | None:
        with self._errors():
            found: tuple[object, ...] | None = self._database.execute(sql, values).fetchone()
            return found

    # ------------------------------------------------------------ batches

    def prepare_batches(self) -> None:
        """Creates the tables for batches, if they do not exist."""
        with self._transaction():
            self._database.execute(_FAILURES)

    def add_batch(
        self, batch: str, model: str, requests: Iterable[str], at: str, state: str = "open"
    ) -> None:
        """Stores a submitted batch with its canonical requests.

        In the state ``submitting`` the id is our mark, by which the provider's id is found later.
        """
        with self._transaction():
            self._database.execute("INSERT INTO batch VALUES (?,?,?,?)", (batch, model, at, state))
            self._database.executemany(
                "INSERT OR REPLACE INTO batch_request VALUES (?,?,?)",
                ((key_of(request), batch, request) for request in requests),
            )

    def name_batch(self, mark: str, batch: str) -> None:
        """Replaces the mark of a batch by the id that the provider gave it."""
        with self._transaction():
            self._database.execute(
                "UPDATE batch SET id = ?, state = 'open' WHERE id = ?", (batch, mark)
            )
            self._database.execute(
                "UPDATE batch_request SET batch = ? WHERE batch = ?", (batch, mark)
            )

    def close_batch(self, batch: str, state: str) -> None:
        """Marks a batch as ended; requests that it did not answer may be submitted again."""
        with self._transaction():
            self._database.execute("UPDATE batch SET state = ? WHERE id = ?", (state, batch))
            self._database.execute("DELETE FROM batch_request WHERE batch = ?", (batch,))

    def open_batches(self, state: str = "open") -> list[tuple[str, str]]:
        """Id and model of the unfinished batches, in the order of their submission."""
        with self._errors():
            return self._database.execute(
                "SELECT id, model FROM batch WHERE state = ? ORDER BY submitted, rowid", (state,)
            ).fetchall()

    def batches(self) -> list[tuple[str, str, str, str, int]]:
        """Id, model, time, state and number of unanswered questions of every batch, in order of
        submission."""
        with self._errors():
            return self._database.execute(
                "SELECT id, model, submitted, state,"
                " (SELECT count(*) FROM batch_request r WHERE r.batch = b.id)"
                " FROM batch b ORDER BY submitted, rowid"
            ).fetchall()

    def batch_requests(self, batch: str) -> dict[str, str]:
        """The canonical requests of a batch, by key."""
        with self._errors():
            return dict(
                self._database.execute(
                    "SELECT key, request FROM batch_request WHERE batch = ?", (batch,)
                )
            )

    def is_submitted(self, key: str) -> bool:
        """True if the request is in an unfinished batch."""
        return self._one("SELECT 1 FROM batch_request WHERE key = ?", key) is not None

    # ------------------------------------------------------------ what batches failed at

    def add_failure(self, key: str, tries: int, why: str) -> None:
        """Records that batches brought no answer to this request; it counts as so many attempts."""
        with self._transaction():
            self._database.execute(
                "INSERT INTO batch_failure VALUES (?,?,?) ON CONFLICT (key) DO UPDATE"
                " SET tries = tries + excluded.tries, why = excluded.why",
                (key, tries, why),
            )

    def failures(self, tries: int) -> dict[str, str]:
        """Why requests have no answer after so many attempts, by key."""
        with self._errors():
            return dict(
                self._database.execute(
                    "SELECT key, why FROM batch_failure WHERE tries >= ? AND NOT EXISTS"
                    " (SELECT 1 FROM reply WHERE reply.key = batch_failure.key)",
                    (tries,),
                )
            )

    def forget_failures(self) -> None:
        """Clears recorded failures, so that these requests may be submitted again."""
        with self._transaction():
            self._database.execute("DELETE FROM batch_failure")

    # ------------------------------------------------------------ exchange

    def export_jsonl(self, path: str | Path) -> int:
        """Writes all entries as JSON lines, sorted by key: equal ledgers give equal bytes. Returns
        their number."""
        count = 0
        with new_file(path) as file:
            for entry in self.entries():
                fields = {name: getattr(entry, name) for name in _COLUMNS.split(", ")}
                file.write(
                    one_line({"key": entry.key, **fields, "request": json.loads(entry.request)})
                    + "\n"
                )
                count += 1
        return count

    def import_jsonl(self, path: str | Path) -> int:
        """Adds the entries of an export; those already there stay. Returns how many were new.

        Raises:
            InputError: the file does not exist, a line is broken, or a key is not that of its
                request.
        """
        if not Path(path).is_file():
            raise InputError("SJ905", f"there is no export {str(path)!r}.")
        with Path(path).open(encoding="utf-8") as file:
            lines = (
                _entry_of_line(line, f"{path}:{number}")
                for number, line in enumerate(file, start=1)
                if line.strip()
            )
            return self._insert(lines)

    def close(self) -> None:
        """Closes the file, which then contains everything."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._keeps:
                # SQLite merges -wal when the last connection closes; others may still be open, so
                # do it here.
                self._checkpoints.now()
            self._database.close()


def _connected(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(
        uri, uri=uri != ":memory:", check_same_thread=False, timeout=60, cached_statements=16
    )


def _prepared(database: sqlite3.Connection) -> sqlite3.Connection:
    # A killed process loses nothing; a machine that loses power may lose the last second.
    database.execute("PRAGMA synchronous = NORMAL")
    for turn in range(_TRIES):
        try:
            if database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                _create(database)
            break
        except sqlite3.OperationalError as error:
            # While another process changes the journal mode, SQLite itself does not wait.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or turn == _TRIES - 1:
                raise
            time.sleep(0.02)
    return database


def _create(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA journal_mode = WAL")
    # If two processes begin at once, the second finds the tables made.
    database.execute("BEGIN IMMEDIATE")
    with database:
        if database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            for statement in filter(str.strip, _SCHEMA.split(";")):
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {_FORMAT}")
    Checkpoints(database).now()


def _row(entry: Entry) -> tuple[object, ...]:
    tokens = (entry.prompt_tokens, entry.completion_tokens)
    return (entry.request, one_line(entry.raw), entry.at, entry.seconds, *tokens, entry.via)


def _entry(row: tuple[object, ...]) -> Entry:
    request, raw, *rest = row
    return Entry(str(request), json.loads(str(raw)), *rest)  # type: ignore[arg-type]


def _entry_of_line(line: str, where: str) -> Entry:
    try:
        fields = json.loads(line)
        key = fields.pop("key")
        entry = Entry(**fields | {"request": one_line(fields["request"])})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError("SJ906", f"not a line of a ledger: {error}.", where=where) from error
    if entry.key != key:
        raise InputError("SJ906", "the key is not that of the request.", where=where)
    return entry
