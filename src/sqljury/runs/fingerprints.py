"""What verdicts rest on besides the case: the contents of its database, schema and suite."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from sqljury.case import Case
from sqljury.databases import open_sources
from sqljury.runs.changes import Changes
from sqljury.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class DataContents:
    """What a run is about holds, engines included: fingerprints by the name of the database."""

    databases: Mapping[str, str] = field(default_factory=dict)
    suites: Mapping[str, str] = field(default_factory=dict)


class DataFingerprints:
    """What the databases hold, asked once for each: verdicts on other contents are not reused."""

    def __init__(self, settings: RunSettings, changes: Changes) -> None:
        self._changes = changes
        self._sources = open_sources(settings.sources)
        self.fingerprints: dict[str, str] = {}
        self.engines: set[str] = set()
        self.has_databases = False
        """Whether the database of any case is there."""
        self.has_schemas = False
        """Whether the tables of any case are known."""
        self.has_suites = False
        """Whether any case's database has a suite."""
        self.suites: dict[str, str] = {}
        """What the suites hold, engine included, by the name of the database."""
        self._of_suites: dict[str, str] = {}

    def fingerprint(self, case: Case) -> str:
        """Of a case's database, or of its schema, and of its suite; empty where there is none."""
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
        database = None if self._sources.databases is None else self._sources.databases.open(db_id)
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
