"""sqljury's own SQLite files, the run store and the ledger: checkpoints, opening, errors.

They are written in WAL mode, in which readers never wait. New data are first in the ``-wal`` file
alone. A checkpoint moves them into the main file every two seconds and at the end, so that a copy
of the one file is complete up to then. (Measured at 80 answers a second: 148 of 148 copies taken at
random moments could be read; with a rollback journal 5 of 199 were torn, and writing took twice as
long.)
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqljury.errors import InfrastructureError, InputError, SqljuryError
from sqljury.writing import shown_path, unwritable

_SECONDS = 2.0
_SHARE = 50
"""A checkpoint is followed by a pause of at least 50 times its duration, for any size of file."""

_DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_NOT_OURS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


class Checkpoints:
    """Moves committed data from the ``-wal`` file into the main file from time to time."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._next = 0.0

    @property
    def due_in(self) -> float:
        """Seconds until the next checkpoint; 0 or less if it is due."""
        return self._next - time.monotonic()

    def when_due(self) -> None:
        """Does a checkpoint if :attr:`due_in` is 0 or less."""
        if self.due_in <= 0:
            self.now()

    def now(self) -> None:
        """Checkpoint as much as other processes allow; call it outside of transactions."""
        start = time.monotonic()
        # The next checkpoint does what this one cannot, at the latest when the file is opened.
        with suppress(sqlite3.OperationalError):
            self._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        end = time.monotonic()
        self._next = end + max(_SECONDS, _SHARE * (end - start))


def read_only_uri(path: Path) -> str:
    """The URI that opens a file for reading, also in a folder that cannot be written to.

    Readers of a WAL file create files in its folder. If there is nothing in the ``-wal`` file, the
    main file is complete and can be opened as immutable, without these files.
    """
    wal = path.with_name(f"{path.name}-wal")
    written_to = wal.exists() and wal.stat().st_size > 0
    return f"{path.absolute().as_uri()}?{'mode=ro' if written_to else 'immutable=1'}"


def check_tables(database: sqlite3.Connection) -> None:
    """Refuse a file with views, triggers or virtual tables: they run what its maker wrote.

    Raises:
        sqlite3.DatabaseError: there are some.
    """
    found = database.execute(
        "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
        " OR sql LIKE 'CREATE VIRTUAL %'"
    ).fetchone()
    if found is not None:
        raise sqlite3.DatabaseError(f"{found[0]!r} is no plain table")


@contextmanager
def storage_errors(path: Path, damaged: Callable[[str], SqljuryError]) -> Iterator[None]:
    """Turn errors of SQLite and the disk inside a ``with`` block into errors for users.

    Args:
        damaged: makes the error for a damaged file, from the reason.

    Raises:
        InputError: the file cannot be written, or is damaged.
        InfrastructureError: the disk is full or fails, or another process holds the file.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise _storage_error(path, error, damaged) from error
    except OSError as error:
        raise unwritable(path, error) from error


def _storage_error(
    path: Path, error: sqlite3.Error, damaged: Callable[[str], SqljuryError]
) -> SqljuryError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _DISK:
        return InfrastructureError(
            "SJ802",
            f"cannot write {shown_path(path)}: {error}.",
            hint="What was committed is kept: make room, or name another disk, and run the same "
            "command again.",
        )
    if code in _IN_USE:
        return InfrastructureError(
            "SJ417",
            f"{shown_path(path)} is in use by another process ({error}).",
            hint="Wait until that command has ended, or name another folder.",
        )
    if code in _NOT_OURS:
        return InputError(
            "SJ801",
            f"cannot open or write {shown_path(path)}: {error}.",
            hint="Name a file in a folder that exists and that you may write to.",
        )
    return damaged(str(error))
