"""Whether a database's files are what they were when the run began."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqljury.errors import InfrastructureError

_Stamp = tuple[tuple[int, int, int, int] | None, ...]


@dataclass(slots=True)
class _Watched:
    """Some files of a database, as they were last seen."""

    files: tuple[Path, ...]
    stamp: _Stamp
    contents: str
    fingerprint: Callable[[], str]


class Changes:
    """Files of databases are watched from their first fingerprint to the last verdict.

    Looking is a few system calls: only when a file was written to, or is another one, its
    contents are read again. Databases on servers have no files to look at.
    """

    def __init__(self) -> None:
        self._watched: dict[str, list[_Watched]] = {}

    def watched(self, db_id: str, files: Sequence[Path], fingerprint: Callable[[], str]) -> str:
        """The fingerprint, from before which on these files are watched."""
        before = _stamp(files)
        found = fingerprint()
        if files:
            watched = _Watched(tuple(files), before, found, fingerprint)
            self._watched.setdefault(db_id, []).append(watched)
        return found

    def check(self, db_ids: Iterable[str]) -> None:
        """Nothing that was found just now may be about other contents.

        Raises:
            InfrastructureError: SJ420: a file holds something else now.
        """
        for db_id in db_ids:
            for watched in self._watched.get(db_id, ()):
                if _is_changed(watched):
                    raise InfrastructureError(
                        "SJ420",
                        f"the database {db_id!r} changed while it was judged.",
                        where=str(watched.files[0]),
                        hint="What was found before is kept. Run the same command again: what "
                        "depends on it is judged anew.",
                    )


def _is_changed(watched: _Watched) -> bool:
    stamp = _stamp(watched.files)
    if stamp == watched.stamp:
        return False
    try:
        changed = watched.fingerprint() != watched.contents
    except OSError:
        return True  # it is gone
    watched.stamp = stamp  # touched, or copied over by itself
    return changed


def _stamp(files: Iterable[Path]) -> _Stamp:
    return tuple(map(_one_stamp, files))


def _one_stamp(file: Path) -> tuple[int, int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
