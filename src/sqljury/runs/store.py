"""The run store: one SQLite file that a killed run resumes from.

A verdict is kept under (fingerprint of the case, judge key, fingerprint of the data): the same
command again finds it, and anything that could change a verdict makes it unfindable. Cases are
streamed in and out; nothing here grows with their number.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.verdict import Cost, Outcome, Record, Verdict

STORE_VERSION = 1
_FILE = "run.sqlite"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cases (
  ordinal INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  benchmark TEXT NOT NULL, id TEXT NOT NULL, source TEXT NOT NULL,
  db_id TEXT NOT NULL,
  batch_key TEXT NOT NULL,
  features TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (benchmark, id, source)
);
CREATE INDEX IF NOT EXISTS cases_in_batches ON cases (db_id, batch_key, ordinal);
CREATE TABLE IF NOT EXISTS data (db_id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (
  fingerprint TEXT NOT NULL, judge TEXT NOT NULL, data TEXT NOT NULL,
  outcome TEXT NOT NULL, score REAL, reason TEXT NOT NULL,
  labels TEXT NOT NULL, measures TEXT NOT NULL, evidence TEXT NOT NULL, seconds REAL NOT NULL,
  PRIMARY KEY (fingerprint, judge, data)
) WITHOUT ROWID;
"""

_JUDGED = """EXISTS (SELECT 1 FROM verdicts v WHERE v.fingerprint = c.fingerprint
  AND v.judge = ? AND v.data = coalesce(d.fingerprint, '') AND v.outcome <> 'judge_unavailable')"""
_CASES = "FROM cases c LEFT JOIN data d ON d.db_id = c.db_id"


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A case that some judges have yet to see."""

    ordinal: int
    db_id: str
    body: str
    """The case as JSON text."""
    judges: tuple[int, ...]
    """Positions of those judges."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case as the store keeps it."""

    fingerprint: str
    case: Case
    batch_key: str
    """Cases with equal keys share executions, so they are judged one after the other."""
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A verdict as the store keeps it: text that is ready to be written."""

    ordinal: int
    judge: str
    outcome: str
    score: float | None
    reason: str
    labels: str
    measures: str
    evidence: str
    seconds: float


class RunStore:
    """One run's folder."""

    def __init__(self, folder: Path, *, create: bool) -> None:
        self.folder = folder
        path = folder / _FILE
        if not create and not path.is_file():
            raise InputError(
                "SJ401", f"{folder} is not a run (no {_FILE}).", hint="Pass what --run was given."
            )
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path)
            self._db.execute("PRAGMA journal_mode=WAL")
            # A verdict is worth one fsync at a checkpoint, not one at each commit; after a
            # crash of the machine the last seconds are judged again.
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise InputError("SJ402", f"cannot use {path}: {error}.") from error
        self._check_version(path)

    def _check_version(self, path: Path) -> None:
        found = self.fact("store_version")
        if found is None:
            self.set_facts({"store_version": STORE_VERSION})
        elif found != STORE_VERSION:
            raise InputError(
                "SJ403",
                f"{path} was written by another version of sqljury (store {found}).",
                hint="Start a new run with another --run folder.",
            )

    def close(self) -> None:
        """Commit and close."""
        self._db.commit()
        self._db.close()

    def commit(self) -> None:
        """Make everything so far survive a kill."""
        self._db.commit()

    # ------------------------------------------------------------ facts

    def fact(self, name: str) -> Json:
        """A remembered fact about the run, or None."""
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set_facts(self, facts: Mapping[str, Json]) -> None:
        """Remember facts: the manifest."""
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
        self._db.commit()

    # ------------------------------------------------------------ cases in

    def replace_cases(self, rows: Iterable[CaseRow]) -> int:
        """Set what the run is about; verdicts of cases that are still there stay good.

        Raises:
            InputError: two cases with the same key.
        """
        count = 0
        try:
            self._db.execute("DELETE FROM cases")
            for row in rows:
                self._insert_case(count, row)
                count += 1
        except BaseException:
            # A broken line 900 must not cost what an earlier run computed.
            self._db.rollback()
            raise
        self._db.commit()
        return count

    def _insert_case(self, ordinal: int, row: CaseRow) -> None:
        case = row.case
        body = json.dumps(case.to_dict(), ensure_ascii=True)
        try:
            self._db.execute(
                "INSERT INTO cases VALUES (?,?,?,?,?,?,?,?,?)",
                (
                    ordinal,
                    row.fingerprint,
                    case.benchmark,
                    case.id,
                    case.source,
                    case.db_id,
                    row.batch_key,
                    " ".join(row.features),
                    body,
                ),
            )
        except sqlite3.IntegrityError as error:
            raise InputError(
                "SJ404",
                f"two cases are both known as {case.name!r}.",
                where=case.origin,
                hint="Ids must differ within a benchmark and prediction source.",
            ) from error

    def set_data(self, fingerprints: Mapping[str, str]) -> None:
        """Remember what the databases hold: verdicts on other contents are not reused."""
        self._db.execute("DELETE FROM data")
        self._db.executemany("INSERT INTO data VALUES (?, ?)", fingerprints.items())
        self._db.commit()

    def database_ids(self) -> list[str]:
        """The databases that the cases name, sorted."""
        rows = self._db.execute("SELECT DISTINCT db_id FROM cases ORDER BY db_id")
        return [row[0] for row in rows]

    # ------------------------------------------------------------ work out, verdicts in

    def work(self, judges: Sequence[str]) -> Iterator[WorkItem]:
        """Every case that some judge has yet to see, in an order that lets neighbours share
        executions."""
        missing = ", ".join(f"NOT {_JUDGED}" for _ in judges)
        cursor = self._db.execute(
            f"SELECT c.ordinal, c.db_id, c.body, {missing} {_CASES}"
            " ORDER BY c.db_id, c.batch_key, c.ordinal",
            tuple(judges),
        )
        for ordinal, db_id, body, *flags in cursor:
            todo = tuple(position for position, flag in enumerate(flags) if flag)
            if todo:
                yield WorkItem(ordinal, db_id, body, todo)

    def count_work(self, judges: Sequence[str]) -> int:
        """How many verdicts are still to be found."""
        missing = " + ".join(f"(NOT {_JUDGED})" for _ in judges)
        row = self._db.execute(f"SELECT total({missing}) {_CASES}", tuple(judges)).fetchone()
        return int(row[0])

    def add_verdicts(self, rows: Iterable[VerdictRow]) -> None:
        """Write verdicts; :meth:`commit` makes them last."""
        self._db.executemany(
            "INSERT OR REPLACE INTO verdicts SELECT c.fingerprint, ?2, coalesce(d.fingerprint, ''),"
            f" ?3, ?4, ?5, ?6, ?7, ?8, ?9 {_CASES} WHERE c.ordinal = ?1",
            [
                (
                    row.ordinal,
                    row.judge,
                    row.outcome,
                    row.score,
                    row.reason,
                    row.labels,
                    row.measures,
                    row.evidence,
                    row.seconds,
                )
                for row in rows
            ],
        )

    # ------------------------------------------------------------ records out

    def records(
        self, judges: Sequence[tuple[str, str]], *, with_evidence: bool = True, case_id: str = ""
    ) -> Iterator[Record]:
        """Records in the order of the cases, then of ``judges`` ((name, key) pairs)."""
        evidence = "v.evidence" if with_evidence else "'{}'"
        where = "WHERE c.id = ?1" if case_id else ""
        cases = self._db.execute(
            "SELECT c.body, c.features, c.fingerprint, coalesce(d.fingerprint, '')"
            f" {_CASES} {where} ORDER BY c.ordinal",
            (case_id,) if case_id else (),
        )
        find = (
            f"SELECT outcome, score, reason, labels, measures, {evidence}, seconds FROM verdicts v"
            " WHERE fingerprint = ? AND judge = ? AND data = ?"
        )
        lookup = self._db.cursor()
        for body, features, fingerprint, data in cases:
            case = Case.from_dict(json.loads(body))
            for name, key in judges:
                row = lookup.execute(find, (fingerprint, key, data)).fetchone()
                if row is not None:
                    yield Record(
                        case=case,
                        judge=name,
                        verdict=_verdict(row),
                        features=tuple(features.split()),
                    )

    def count_cases(self) -> int:
        """How many cases the run is about."""
        return int(self._db.execute("SELECT count(*) FROM cases").fetchone()[0])


def _verdict(row: tuple[str, float | None, str, str, str, str, float]) -> Verdict:
    outcome, score, reason, labels, measures, evidence, seconds = row
    return Verdict(
        outcome=Outcome(outcome),
        score=score,
        reason=reason,
        labels=tuple(json.loads(labels)) if labels != "[]" else (),
        measures=json.loads(measures) if measures != "{}" else {},
        evidence=json.loads(evidence) if evidence != "{}" else {},
        cost=Cost(seconds=seconds),
    )
