"""Our own SQLite files, the run store and the ledger: one file each that is the whole truth.

They are written in WAL mode, which never makes a reader wait. What is in ``-wal`` alone is not in
the file, so it is brought there every two seconds and at the end: who copies the one file has what
was known then. (Measured at 80 answers a second: 148 of 148 copies taken at random moments could be
read; with a rollback journal 5 of 199 were torn, and writing took twice as long.)
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
"""Checkpoints take at most a fiftieth of the time, however large the file is."""

_DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_NOT_OURS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


class Checkpoints:
    """Brings what is committed into the file, now and then."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._next = 0.0

    @property
    def due_in(self) -> float:
        """Seconds until the next one; none are left where it is due."""
        return self._next - time.monotonic()

    def when_due(self) -> None:
        """Checkpoint if the last one was some time ago."""
        if self.due_in <= 0:
            self.now()

    def now(self) -> None:
        """Checkpoint, as far as other processes let it be done; outside of any transaction."""
        start = time.monotonic()
        # What cannot be done now is done by the next one, at the latest by who opens the file.
        with suppress(sqlite3.OperationalError):
            self._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        end = time.monotonic()
        self._next = end + max(_SECONDS, _SHARE * (end - start))


def read_only_uri(path: Path) -> str:
    """How a file is opened that cannot be written to, nor anything beside it.

    Readers of a WAL file want to write beside it; where no writer has left anything there, the file
    can be taken as it is.
    """
    wal = path.with_name(f"{path.name}-wal")
    written_to = wal.exists() and wal.stat().st_size > 0
    return f"{path.absolute().as_uri()}?{'mode=ro' if written_to else 'immutable=1'}"


@contextmanager
def storage_errors(path: Path, damaged: Callable[[str], SqljuryError]) -> Iterator[None]:
    """What SQLite and the disk say, in our words.

    Args:
        damaged: the error for a file that is not what it should be, from the reason.

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
