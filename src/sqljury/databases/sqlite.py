"""SQLite: read-only by open mode, by ``query_only``, and by an authorizer that lists what is
allowed.

Three things cannot be stopped inside the process, because SQLite checks the clock only between its
operations: one call of a slow function (``instr`` of two huge strings), a sort in memory, and
preparing a statement. A worker that runs hostile SQL must be killed from outside when it is
overdue.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

from sqljury.databases.guard import admit
from sqljury.databases.limits import WAIT_FACTOR, awake, exceeded, fetch_limited
from sqljury.databases.protocol import Describe, fingerprint_files
from sqljury.databases.sqlite_schema import read_schema
from sqljury.errors import InfrastructureError
from sqljury.execution import MIB, Execution, Limits, ResultTable, Status
from sqljury.schema import Schema

_CELL = MIB // 4
"""Most bytes of a value in the first attempt; a query that needs more is run again, row by row."""
_WIDEST = 4
"""The most bytes that one byte of UTF-8 takes in a Python string."""
_LARGEST_CELL = 1_000_000_000  # SQLite's own limit
_POINTER = b"version https://git-lfs"
_OPERATIONS = 10_000
"""Number of operations between two checks of the clocks; about 0.2 ms."""

_SIZES = {
    sqlite3.SQLITE_LIMIT_LENGTH: _CELL,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 1000,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 500,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 5_000_000,
}
_SETTINGS = (
    "PRAGMA query_only = ON",
    "PRAGMA temp_store = MEMORY",  # large sorts count against the memory limit, not the disk
    "PRAGMA cell_size_check = ON",
    "PRAGMA trusted_schema = OFF",
)

# ---------------------------------------------------------------- what a statement may do

_PLAIN_ACTIONS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
# Functions that return a value and do nothing else, of every version so far. Left out are those
# that reach files or native code, write (FTS3's optimize), or reveal earlier statements (changes).
_FUNCTIONS = frozenset(
    re.findall(
        r"->>|->|\w+",
        """
        abs char coalesce concat concat_ws format glob hex if ifnull iif instr length like
        likelihood likely lower ltrim match max min nullif octet_length printf quote random
        randomblob regexp replace round rtrim sign soundex sqlite_source_id sqlite_version substr
        substring subtype trim typeof unhex unicode unistr unistr_quote unlikely upper zeroblob
        avg count group_concat median percentile percentile_cont percentile_disc string_agg sum
        total
        cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank
        row_number
        acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log
        log10 log2 mod pi pow power radians sin sinh sqrt tan tanh trunc
        current_date current_time current_timestamp date datetime julianday strftime time timediff
        unixepoch
        json json_array json_array_insert json_array_length json_error_position json_extract
        json_group_array json_group_object json_insert json_object json_patch json_pretty
        json_quote json_remove json_replace json_set json_type json_valid
        jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object
        jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set -> ->>
        bm25 highlight matchinfo offsets snippet fts5_get_locale fts5_locale
        geopoly_area geopoly_bbox geopoly_blob geopoly_ccw geopoly_contains_point geopoly_group_bbox
        geopoly_json geopoly_overlap geopoly_regular geopoly_svg geopoly_within geopoly_xform
        decimal decimal_add decimal_cmp decimal_exp decimal_mul decimal_pow2 decimal_sub decimal_sum
        """,
    )
)
# They reveal the texts of other statements, or raw pages.
_DENIED_TABLES = frozenset({"sqlite_stmt", "sqlite_dbpage"})
# What pragma_table_info(…) and similar run internally; they describe the schema.
_SCHEMA_PRAGMAS = frozenset(
    {
        "table_info",
        "table_xinfo",
        "table_list",
        "index_list",
        "index_info",
        "index_xinfo",
        "foreign_key_list",
    }
)
_ACTION_NAMES = {
    value: name.removeprefix("SQLITE_").replace("_", " ")
    for name, value in vars(sqlite3).items()
    if name.startswith(
        (
            "SQLITE_ALTER_TABLE",
            "SQLITE_ANALYZE",
            "SQLITE_ATTACH",
            "SQLITE_CREATE_",
            "SQLITE_DELETE",
            "SQLITE_DETACH",
            "SQLITE_DROP_",
            "SQLITE_FUNCTION",
            "SQLITE_INSERT",
            "SQLITE_PRAGMA",
            "SQLITE_READ",
            "SQLITE_REINDEX",
            "SQLITE_SAVEPOINT",
            "SQLITE_TRANSACTION",
            "SQLITE_UPDATE",
        )
    )
}


class _Authorizer:
    """SQLite calls it for every action of a statement while the statement is prepared."""

    __slots__ = ("_lifted", "denied")

    def __init__(self) -> None:
        self.denied = ""
        self._lifted = False

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Allows everything inside the block: for our own statements, in a database of our own."""
        self._lifted = True
        try:
            yield
        finally:
            self._lifted = False

    def __call__(
        self, action: int, first: str | None, second: str | None, _db: object, _in: object, /
    ) -> int:
        if self._lifted or (action in _PLAIN_ACTIONS and first not in _DENIED_TABLES):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA and (
            first in _SCHEMA_PRAGMAS or (first == "data_version" and second is None)  # FTS5 asks
        ):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
            # json_each and similar ask this while they declare themselves. A statement of this kind
            # fails all the same: "table sqlite_master may not be modified".
            return sqlite3.SQLITE_OK
        name = _ACTION_NAMES.get(action, f"action {action}")
        self.denied = " ".join(part for part in (name, first, second) if part)
        return sqlite3.SQLITE_DENY


# ---------------------------------------------------------------- the database

_UNAVAILABLE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_PROTOCOL,
    }
)
_REFUSED = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH})
_FAILURES = (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError)
"""ValueError: the statement has a NUL character, or text that is not Unicode."""


class SQLiteDatabase:
    """One SQLite file, opened once; or an existing connection.

    Text that is not valid UTF-8 gets backslash escapes (``caf\\xe9``): values that differ stay
    different, and the query does not fail.

    Raises:
        InfrastructureError: it is not a SQLite database, or cannot be read.
    """

    dialect = "sqlite"
    engine = f"sqlite{sqlite3.sqlite_version}"

    def __init__(
        self,
        source: Path | sqlite3.Connection,
        db_id: str,
        describe: Describe,
    ) -> None:
        self.db_id = db_id
        self._path = source if isinstance(source, Path) else Path()
        self._describe = describe
        self._schema: Schema | None = None
        self._authorizer = _Authorizer()
        self._deadline = self._patience = float("inf")
        self._closed = False
        try:
            self._connection = _connect(source) if isinstance(source, Path) else source
        except (sqlite3.Error, OSError) as error:
            raise InfrastructureError(
                "SJ211", f"{error}.", where=str(source), hint=_pointer_hint(source)
            ) from error
        self._connection.set_authorizer(self._authorizer)
        self._connection.set_progress_handler(self._must_stop, _OPERATIONS)

    def _must_stop(self) -> bool:
        return thread_time() > self._deadline or awake() > self._patience

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Runs one statement; whatever the statement does, it raises nothing."""
        statement = admit(sql, "sqlite")
        if isinstance(statement, Execution):
            return statement
        if limits.memory < _heap_limit:
            _lower_heap_limit(limits.memory)
        # Processor time: a statement that waits for a lock or a disk, or whose process is stopped,
        # does no work. But it may not wait for ever.
        started = perf_counter()
        self._deadline = thread_time() + limits.seconds
        self._patience = awake() + WAIT_FACTOR * limits.seconds
        self._authorizer.denied = ""
        try:
            result = self._run(statement, limits)
        except _FAILURES as error:
            status, message = self._failure(error, limits)
            return Execution(status, None, message, perf_counter() - started)
        seconds = perf_counter() - started
        if isinstance(result, str):
            return Execution(Status.TOO_LARGE, None, result, seconds)
        if thread_time() > self._deadline:  # the last operation took too long
            return Execution(Status.TIMEOUT, None, exceeded(limits), seconds)
        return Execution(Status.OK, result, "", seconds)

    def _run(self, sql: str, limits: Limits) -> ResultTable | str:
        try:
            return self._run_sized(sql, limits)
        except sqlite3.OperationalError as error:
            if not str(error).startswith("Could not decode"):
                raise
        self._connection.text_factory = _decode
        try:
            return self._run_sized(sql, limits)
        finally:
            self._connection.text_factory = str

    def _run_sized(self, sql: str, limits: Limits) -> ResultTable | str:
        if "printf" in (lowered := sql.lower()) or "format" in lowered:
            return self._run_large(sql, limits)  # for too long a text they return NULL, no error
        try:
            return self._fetch(sql, limits, _CELL)
        except sqlite3.DataError as error:
            if _code(error) != sqlite3.SQLITE_TOOBIG or limits.bytes <= _CELL:
                raise
        return self._run_large(sql, limits)

    def _run_large(self, sql: str, limits: Limits) -> ResultTable | str:
        cell = max(_CELL, min(limits.bytes, _LARGEST_CELL))
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, cell)
        try:
            return self._fetch(sql, limits, cell)
        finally:
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _CELL)

    def _fetch(self, sql: str, limits: Limits, cell: int) -> ResultTable | str:
        cursor = self._connection.execute(sql)
        try:
            columns = tuple([column[0] for column in cursor.description])
            return fetch_limited(cursor, columns, limits, largest_cell=cell * _WIDEST)
        finally:
            cursor.close()  # releases the read lock if rows are left

    def _failure(self, error: Exception, limits: Limits) -> tuple[Status, str]:
        code = _code(error)
        if self._authorizer.denied:
            return Status.REFUSED, f"not authorized: {self._authorizer.denied}"
        if isinstance(error, MemoryError):
            return Status.OUT_OF_MEMORY, f"needs more than {limits.memory} bytes of memory"
        if code == sqlite3.SQLITE_INTERRUPT:
            if thread_time() > self._deadline:
                return Status.TIMEOUT, exceeded(limits)
            if awake() > self._patience:
                return Status.UNAVAILABLE, "waited too long for the disk"
            if self._closed:
                return Status.UNAVAILABLE, "cancelled"
            # It arrived while SQLite called our progress handler, and sqlite3 swallowed it.
            raise KeyboardInterrupt from error
        if code == sqlite3.SQLITE_TOOBIG:
            return Status.TOO_LARGE, f"{error}, limit {limits.bytes} bytes"
        if code in _REFUSED or str(error).endswith("may not be modified"):
            return Status.REFUSED, str(error)
        if code in _UNAVAILABLE:
            return Status.UNAVAILABLE, str(error)
        return Status.ERROR, str(error)

    def schema(self) -> Schema:
        """Tables, columns, keys and descriptions; read once."""
        if self._schema is None:
            self._deadline = self._patience = float("inf")
            self._connection.text_factory = _decode
            try:
                self._schema = self._describe(read_schema(self._connection))
            finally:
                self._connection.text_factory = str
        return self._schema

    @property
    def files(self) -> tuple[Path, ...]:
        """The database file and its write-ahead log, which holds what is not in the file yet."""
        if not self._path.name:  # in memory
            return ()
        return (self._path, self._path.with_name(f"{self._path.name}-wal"))

    def fingerprint(self) -> str:
        """Hash of the file's contents (sampled above 64 MiB)."""
        return fingerprint_files(self._path, *_pending(self._path))

    def close(self) -> None:
        """Closes the file; a statement that still runs is cancelled."""
        self._closed = True
        self._connection.interrupt()
        self._connection.close()


def _code(error: BaseException) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # without the extended part


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


# ---------------------------------------------------------------- opening

_heap_limit: float = float("inf")


def _lower_heap_limit(memory: int) -> None:
    """Lowers SQLite's hard heap limit; it applies to the whole process and can never be raised."""
    global _heap_limit
    connection = sqlite3.connect(":memory:")
    (_heap_limit,) = connection.execute(f"PRAGMA hard_heap_limit = {memory}").fetchone()
    connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    with path.open("rb") as file:
        writes_ahead = file.read(20)[18:] == b"\2\2"
    if not writes_ahead:
        return _connected(f"{path.absolute().as_uri()}?mode=ro")
    if not _pending(path):
        # The log is empty, so everything is in the file. Without ``immutable`` SQLite would create
        # -wal and -shm files next to it, and fail where it cannot.
        return _connected(f"{path.absolute().as_uri()}?mode=ro&immutable=1")
    return _connect_copy(path)


def _pending(path: Path) -> tuple[Path, ...]:
    """The write-ahead log, if it has transactions that are not in the file yet; else empty."""
    log = path.with_name(f"{path.name}-wal")
    return (log,) if log.is_file() and log.stat().st_size else ()


def _connect_copy(path: Path) -> sqlite3.Connection:
    """Opens a private copy with the write-ahead log merged into it; reading the log in place would
    write to the files next to the database."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "copy.sqlite"
        shutil.copyfile(path, copy)
        for log in _pending(path):
            shutil.copyfile(log, f"{copy}-wal")
        merged = sqlite3.connect(copy, isolation_level=None)
        merged.execute("PRAGMA journal_mode = DELETE").fetchall()
        merged.close()
        # The open connection keeps the file alive after its name is deleted (not on Windows, where
        # the copy stays until the system cleans up).
        return _connected(f"{copy.as_uri()}?mode=ro")


def connect_memory() -> sqlite3.Connection:
    """An empty database in memory, with the same limits as a file."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _limit_sizes(connection)
    for setting in ("temp_store = MEMORY", "trusted_schema = OFF", "journal_mode = OFF"):
        connection.execute(f"PRAGMA {setting}").fetchall()
    return connection


def _limit_sizes(connection: sqlite3.Connection) -> None:
    for limit, value in _SIZES.items():
        connection.setlimit(limit, value)


def _connected(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    _limit_sizes(connection)
    connection.execute("PRAGMA schema_version").fetchall()  # fails if this is not a database
    for setting in _SETTINGS:
        connection.execute(setting).fetchall()
    # Full-text and R-tree tables prepare writes to their own tables at first use; this must happen
    # before the authorizer is active.
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL %'"
    ).fetchall()
    for (name,) in names:
        quoted = name.replace('"', '""')
        with suppress(sqlite3.Error):  # its module is missing: the query will fail and say so
            connection.execute(f'SELECT 1 FROM "{quoted}" LIMIT 0').fetchall()
    return connection


def _pointer_hint(source: object) -> str:
    """Advice if the file is only a Git LFS pointer to the database."""
    try:
        with Path(str(source)).open("rb") as file:
            is_pointer = file.read(len(_POINTER)) == _POINTER
    except OSError:
        return ""
    return "It is a pointer of Git LFS. Run: git lfs pull" if is_pointer else ""
