"""Fingerprints of what verdicts depend on besides the case: its database, schema and suite.

Also checks that these did not change since the run began.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from sqljury.case import Case
from sqljury.databases import open_sources
from sqljury.errors import InfrastructureError
from sqljury.runs.settings import RunSettings
from sqljury.trusted import names_server

_Stamp = tuple[tuple[int, int, int, int] | None, ...]


@dataclass(slots=True)
class _Watched:
    """Some files of a database, as they were when last checked."""

    files: tuple[Path, ...]
    stamp: _Stamp
    contents: str
    fingerprint: Callable[[], str]


class Changes:
    """Watches database files from their first fingerprint to the last verdict.

    A check takes a few system calls: contents are read again only if a file was written to or
    replaced. Databases on servers have no files to watch.
    """

    def __init__(self) -> None:
        self._watched: dict[str, list[_Watched]] = {}

    def watched(self, db_id: str, files: Sequence[Path], fingerprint: Callable[[], str]) -> str:
        """Returns the fingerprint, and watches these files from before it was computed."""
        before = _stamp(files)
        found = fingerprint()
        if files:
            watched = _Watched(tuple(files), before, found, fingerprint)
            self._watched.setdefault(db_id, []).append(watched)
        return found

    def check(self, db_ids: Iterable[str]) -> None:
        """Checks that the files of these databases have the contents that were fingerprinted.

        Raises:
            InfrastructureError: SJ420: a file has other contents now.
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
        return True  # the file is gone
    watched.stamp = stamp  # written or replaced, with the same contents
    return changed


def _stamp(files: Iterable[Path]) -> _Stamp:
    return tuple(map(_one_stamp, files))


def _one_stamp(file: Path) -> tuple[int, int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


# ------------------------------------------------------------
# Fingerprints of what verdicts depend on besides the case: its database, schema and suite.


@dataclass(frozen=True, slots=True)
class DataContents:
    """Fingerprints of the run's databases and suites, engines included, by the database's name."""

    databases: Mapping[str, str] = field(default_factory=dict)
    suites: Mapping[str, str] = field(default_factory=dict)


class DataFingerprints:
    """Fingerprints of databases, each read once; verdicts on other contents are not reused."""

    def __init__(self, settings: RunSettings, changes: Changes) -> None:
        self._changes = changes
        self._sources = open_sources(settings.sources)
        self.fingerprints: dict[str, str] = {}
        self.engines: set[str] = set()
        self.has_databases = False
        """True if at least one case has its database."""
        self.has_schemas = False
        """True if the tables of at least one case are known."""
        self.has_suites = False
        """True if the database of at least one case has a suite."""
        self.suites: dict[str, str] = {}
        """Fingerprints of the suites, engine included, by the name of the database."""
        self._of_suites: dict[str, str] = {}

    def fingerprint(self, case: Case) -> str:
        """The fingerprint of the case's database, else of its schema, and of its suite; empty if it
        has none of them."""
        if case.db_id not in self.fingerprints:
            self.fingerprints[case.db_id] = self._asked(case.db_id) or self._given(case.db_id)
            self._of_suites[case.db_id] = self._of_suite(case.db_id)
        found = self.fingerprints[case.db_id]
        self.has_schemas |= bool(found) or case.schema_sql is not None
        return found + self._of_suites[case.db_id]

    def _of_suite(self, db_id: str) -> str:
        suite = None if self._sources.suites is None else self._sources.suites.get(db_id)
        if suite is None:
            return ""
        self.has_suites = True
        with suite.opened(suite.names[0]) as database:
            engine = database.engine
        self.engines.add(engine)
        found = self._changes.watched(db_id, tuple(suite.files.values()), suite.fingerprint)
        self.suites[db_id] = f"{engine}:{found}"
        return f";suite:{found}"

    def _given(self, db_id: str) -> str:
        schema = None if self._sources.schemas is None else self._sources.schemas.get(db_id)
        return "" if schema is None else short_hash(repr(schema)).hex()

    def _asked(self, db_id: str) -> str:
        if self._sources.databases is None:
            return ""
        try:
            database = self._sources.databases.open(db_id)
        except InfrastructureError as error:
            if names_server(self._sources.databases.spec):
                raise
            # One broken file among many: the worker says so of its cases.
            self.has_databases = True
            return f"unreadable:{error}"
        if database is None:
            return ""
        self.has_databases = True
        try:
            self.engines.add(database.engine)
            files = getattr(database, "files", ())
            found = self._changes.watched(db_id, files, database.fingerprint)
            return f"{database.engine}:{found}"
        finally:
            database.close()


@lru_cache(maxsize=4096)
def short_hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
