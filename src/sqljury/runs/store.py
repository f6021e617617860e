"""The run store: one SQLite file, from which a killed run resumes.

A verdict is stored under its case and its judge. The case's fingerprint covers the data it is
judged on; the judge's key covers its options and limits. The same command finds the verdict again;
if anything changed that could change the verdict, it does not. Cases are streamed in and out;
memory does not grow with their number.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.secrets import known_secrets, redacted, redacted_json
from sqljury.storage import Checkpoints, check_tables, read_only_uri, storage_errors
from sqljury.verdict import Billed, Cost, Outcome, Record, Verdict
from sqljury.writing import encodable, new_folder, shown_path

STORE_VERSION = 2
RUN_FILE = "run.sqlite"
_WORK_AT_ONCE = 500
_WAIT_SECONDS = 5.0
"""Waiting time for another process that writes."""
_CANNOT_WRITE = (
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
)
_NOT_YET = "?"
"""The features of a case whose first verdict has not come, or came without them."""
_COSTS = ("seconds", "calls", "tokens", "money", "unpriced")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS judges (judge INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS cases (
  number INTEGER PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  ordinal INTEGER,
  benchmark TEXT NOT NULL, id TEXT NOT NULL, source TEXT NOT NULL,
  db_id TEXT NOT NULL, difficulty TEXT, label INTEGER,
  batch_key BLOB NOT NULL,
  features TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS cases_by_ordinal ON cases (ordinal);
CREATE TABLE IF NOT EXISTS verdicts (
  number INTEGER NOT NULL, judge INTEGER NOT NULL,
  outcome TEXT NOT NULL, score REAL, reason TEXT NOT NULL,
  labels TEXT NOT NULL, measures TEXT NOT NULL, evidence TEXT NOT NULL, seconds REAL NOT NULL,
  cost TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS verdicts_by_case ON verdicts (number, judge);
"""
# A case that is not in the latest input has no ordinal; its verdicts are kept for later inputs.

_FINGERPRINTS = "CREATE UNIQUE INDEX IF NOT EXISTS cases_by_fingerprint ON cases (fingerprint)"
_INSERT = "INSERT INTO cases VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?)"
_UPDATE = """ON CONFLICT (fingerprint) DO UPDATE SET ordinal = excluded.ordinal,
  difficulty = excluded.difficulty, label = excluded.label, body = excluded.body
  WHERE cases.ordinal IS NULL"""

# A copied case's number is its place, so that cases of several runs have different numbers.
_COPIED_CASES = """INSERT INTO main.cases
  SELECT ordinal + :offset + 1, fingerprint, ordinal + :offset, benchmark, id, source, db_id,
    difficulty, label, batch_key, features, body
  FROM other.cases WHERE ordinal IS NOT NULL ORDER BY ordinal"""
_COPIED_VERDICTS = """INSERT INTO main.verdicts
  SELECT c.ordinal + :offset + 1, :judge, v.outcome, v.score, v.reason, v.labels, v.measures,
    v.evidence, v.seconds, v.cost
  FROM other.cases c CROSS JOIN other.verdicts v ON v.number = c.number
  WHERE c.ordinal IS NOT NULL AND v.judge = (SELECT judge FROM other.judges WHERE key = :key)
  ORDER BY c.ordinal"""
_REPEATED = """CREATE TEMP TABLE repeated AS SELECT number FROM (
  SELECT number, row_number() OVER (PARTITION BY fingerprint ORDER BY number) AS place FROM cases)
  WHERE place > 1"""

_FORMER = "SELECT coalesce(max(number), 0), count(*) FROM cases WHERE ordinal IS NOT NULL"
_IS_REUSED = "SELECT 1 FROM cases WHERE ordinal IS NOT NULL AND number <= ? LIMIT 1"
_SHARES_KEYS = """SELECT benchmark, id, source FROM cases WHERE number <= :last
  INTERSECT SELECT benchmark, id, source FROM cases WHERE ordinal IS NOT NULL LIMIT 1"""

_JUDGED = """EXISTS (SELECT 1 FROM verdicts v WHERE v.number = c.number AND v.judge = ?
  AND v.outcome <> 'judge_unavailable')"""


class WorkItem(NamedTuple):
    """A case that some judges have not judged yet."""

    number: int
    body: str
    """The case as JSON text."""
    judges: tuple[int, ...]
    """The positions of these judges."""
    group: tuple[str, bytes]
    """Cases with an equal group are neighbours: they share a reference or a question."""
    lacks_features: bool = False
    """True if the first verdict shall bring the case's features."""


class CaseRow(NamedTuple):
    """A case as the store keeps it."""

    case: Case
    body: str
    """The case as JSON text."""
    fingerprint: bytes
    """A hash of all that a judge may read in the case, and of the data: if equal, so are
    verdicts."""
    batch_key: bytes
    """Cases with equal keys share executions, so they are judged one after the other."""
    ordinal: int
    """Its position in the input."""


class VerdictRow(NamedTuple):
    """A verdict as the store keeps it, column by column, as text ready to be written."""

    number: int
    judge: int
    """The position of the judge."""
    outcome: str
    score: float | None
    reason: str
    labels: str
    measures: str
    evidence: str
    seconds: float
    """Duration of judging, in this run."""
    cost: str
    """The cost of model calls, as JSON; empty if none was made."""
    features: str | None = None
    """The features of the case; None if another verdict brings them."""

    @classmethod
    def of(cls, number: int, judge: int, verdict: Verdict, seconds: float = 0.0) -> VerdictRow:
        """Serialises a verdict; done in the worker, so that the parent only writes it."""
        return cls(
            number=number,
            judge=judge,
            outcome=verdict.outcome.value,
            score=verdict.score,
            reason=encodable(redacted(verdict.reason)),
            labels=_public_json(verdict.labels) if verdict.labels else "[]",
            measures=json.dumps(verdict.measures, sort_keys=True) if verdict.measures else "{}",
            evidence=_public_json(verdict.evidence) if verdict.evidence else "{}",
            seconds=seconds,
            cost=json.dumps(_cost_fields(verdict.cost)) if _has_cost(verdict.cost) else "",
        )

    def verdict(self) -> Verdict:
        """The verdict again; secrets in it have been removed."""
        return _verdict(
            (
                *(self.outcome, self.score, self.reason, self.labels),
                *(self.measures, self.evidence, self.seconds, self.cost),
            )
        )


def _public_json(value: Json) -> str:
    """The value as JSON text without secrets."""
    text = json.dumps(value)
    return json.dumps(redacted_json(value)) if known_secrets().are_in(text) else text


def _has_cost(cost: Cost) -> bool:
    return bool(cost.calls or cost.billed.statements)


def _cost_fields(cost: Cost) -> dict[str, Json]:
    fields = {name: getattr(cost, name) for name in _COSTS if getattr(cost, name)}
    if cost.billed.statements:
        fields["billed"] = asdict(cost.billed)
    stages = {name: _cost_fields(stage) for name, stage in cost.stages.items()}
    return {**fields, "stages": stages} if stages else fields


def _cost(fields: Mapping[str, Any]) -> Cost:
    stages = {name: _cost(stage) for name, stage in fields.get("stages", {}).items()}
    billed = Billed(**fields.get("billed", {}))
    _check_types((fields.get(name, 0) for name in _COSTS), float | int)
    return Cost(**{**fields, "stages": stages, "billed": billed})


class RunStore:
    """The store in one run's folder."""

    def __init__(self, folder: Path, *, create: bool) -> None:
        self.folder = folder
        self._path = folder / RUN_FILE
        if not create and not os.path.isfile(self._path):  # noqa: PTH113 - False for any path
            raise InputError(
                "SJ401",
                f"{shown_path(folder)} is not a run (no {RUN_FILE}).",
                hint="Pass what --run was given.",
            )
        if create:
            new_folder(folder, private=True)  # it contains cells of the databases
        with self._errors():
            self._db = self._writable() if create else self._readable()
        self._checkpoints = Checkpoints(self._db)
        self._check_version()

    def _writable(self) -> sqlite3.Connection:
        # A URI, so that another run can be attached read-only.
        uri = f"{self._path.absolute().as_uri()}?mode=rwc"
        database = sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS)
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master")]
        if tables and "facts" not in tables:
            raise self.damaged("it holds other tables than a run")
        check_tables(database)
        database.execute("PRAGMA journal_mode=WAL")
        # One fsync per checkpoint, not per commit: after a crash of the machine the last seconds
        # are judged again.
        database.execute("PRAGMA synchronous=NORMAL")
        if not tables:
            # One transaction: the disk may become full in the middle.
            version = f"INSERT OR IGNORE INTO facts VALUES ('store_version', {STORE_VERSION});"
            database.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}{_FINGERPRINTS};{version}COMMIT;")
        return database

    def _readable(self) -> sqlite3.Connection:
        """Opens it writable if possible, because this recovers what a killed run left next to the
        file."""
        try:
            return self._writable()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _CANNOT_WRITE:
                raise
        database = sqlite3.connect(read_only_uri(self._path), uri=True)
        check_tables(database)
        return database

    def _check_version(self) -> None:
        found = self.fact("store_version")
        if found != STORE_VERSION:
            raise InputError(
                "SJ403",
                f"{self._path} was written by another version of sqljury (store {found}).",
                hint="Start a new run with another --run folder. What models answered is not "
                "lost: name the old ledger too, --ledger "
                f"{self._path.with_name('ledger.sqlite')} unless you named one.",
            )

    def damaged(self, why: object) -> InputError:
        """The error for a store whose contents are damaged."""
        return InputError(
            "SJ402",
            f"cannot use {shown_path(self._path)}: {why}.",
            hint="It is damaged or of another program. Judge again into another --run folder; "
            "answers of models are in the ledger, not in it.",
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turns errors of the file into messages of ours."""
        try:
            with storage_errors(self._path, self.damaged):
                yield
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self.damaged(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Commits and closes; afterwards the one file contains everything."""
        with closing(self._db), self._errors():
            self.commit()

    def commit(self) -> None:
        """Makes everything so far survive a kill; now and then also merges it into the one file."""
        with self._errors():
            self._db.commit()
            self._checkpoints.when_due()

    # ------------------------------------------------------------ facts

    def fact(self, name: str) -> Json:
        """A stored fact about the run, or None."""
        with self._errors():
            row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
            return None if row is None else json.loads(row[0])

    def set_facts(self, facts: Mapping[str, Json]) -> None:
        """Stores facts, such as the manifest."""
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        with self._errors():
            self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
            self._db.commit()
            # From now on, a copy of the one file contains the whole run.
            self._checkpoints.now()

    # ------------------------------------------------------------ cases in

    def replace_cases(
        self, rows: Iterable[CaseRow], stored: Callable[[int, CaseRow], None] = lambda *_: None
    ) -> int:
        """Sets the cases of the run; verdicts of cases that are still among them stay valid.

        Args:
            stored: called with the number of each new case. Verdicts that it adds are in the same
                transaction as the cases.

        Raises:
            InputError: two cases have the same key; SJ430: none of the run's former cases is among
                them.
        """
        count = 0
        try:
            with storage_errors(self._path, self.damaged):
                former = self._db.execute(_FORMER).fetchone()
                self._db.execute("UPDATE cases SET ordinal = NULL WHERE ordinal IS NOT NULL")
                put = self._put()
            for row in rows:
                try:
                    number = put(row)
                except (sqlite3.Error, OSError):
                    with storage_errors(self._path, self.damaged):
                        raise
                stored(number, row)
                count += 1
            with storage_errors(self._path, self.damaged):
                self._check_keys()
                self._check_former(*former)
                self._db.execute(_FINGERPRINTS)
                self._db.commit()  # the checkpoint comes with the facts
        except BaseException:
            # An error in line 900 must not discard what an earlier run computed.
            with suppress(sqlite3.Error):
                self._db.rollback()
            raise
        return count

    def _check_former(self, last: int, count: int) -> None:
        """Refuses an input that has none of the run's former cases.

        Args:
            last: the number of the last case before this input.
            count: the number of cases that the run had.
        """
        if not count or self._db.execute(_IS_REUSED, (last,)).fetchone():
            return
        if self._db.execute(_SHARES_KEYS, {"last": last}).fetchone():
            return
        raise InputError(
            "SJ430",
            f"the run is about {count:,} other cases, none of which is in this input.",
            where=shown_path(self.folder),
            hint="Name another folder, or remove this one.",
        )

    @property
    def is_new(self) -> bool:
        """True if it never had a case."""
        with self._errors():
            return self._db.execute("SELECT 1 FROM cases LIMIT 1").fetchone() is None

    def _put(self) -> Callable[[CaseRow], int]:
        """A function that stores a case and returns the number of a new one.

        In an empty store nothing is looked up, and the index is made once at the end. Fingerprints
        arrive in random order, so each would change another page of an index that soon exceeds
        SQLite's page cache.
        """
        if not self.is_new:
            return self._update_case
        self._db.execute("DROP INDEX IF EXISTS cases_by_fingerprint")
        return self._insert_case

    def _insert_case(self, row: CaseRow) -> int:
        return self._db.execute(_INSERT, _case_values(row)).lastrowid or 0

    def _update_case(self, row: CaseRow) -> int:
        put = self._db.execute(f"{_INSERT} {_UPDATE}", _case_values(row))
        if put.rowcount == 0:
            raise _known_twice(row.case)
        return put.lastrowid or 0

    def _check_keys(self) -> None:
        """Raises if two cases have one key; SQLite sorts the keys on disk, so memory does not
        grow."""
        twice = self._db.execute(
            "SELECT benchmark, id, source FROM cases WHERE ordinal IS NOT NULL"
            " GROUP BY benchmark, id, source HAVING count(*) > 1"
        ).fetchall()
        for key in twice:
            bodies = self._db.execute(
                "SELECT body FROM cases WHERE ordinal IS NOT NULL"
                " AND benchmark = ? AND id = ? AND source = ? ORDER BY ordinal",
                key,
            )
            seen = set()
            for (body,) in bodies:
                case = Case.from_dict(json.loads(body))
                # Different texts with half a surrogate pair may compare as equal here.
                if case.key in seen:
                    raise _known_twice(case)
                seen.add(case.key)

    # ------------------------------------------------------------ other runs in

    def take_in(self, folders: Sequence[Path], keys: Sequence[str], *, in_place: bool) -> None:
        """Copies cases of other runs, and their verdicts by some judges, into a store without
        cases.

        Args:
            keys: the judges' keys.
            in_place: keep the cases' positions in the input; otherwise put the cases of each run
                after those of the run before, and skip cases that are already there.

        Raises:
            InputError: SJ404: different cases have the same key.
        """
        with storage_errors(self._path, self.damaged):
            self._db.execute("DROP INDEX IF EXISTS cases_by_fingerprint")
        for folder in folders:
            self._copy(folder, keys, in_place)
        with storage_errors(self._path, self.damaged):
            if not in_place:
                self._db.execute(_REPEATED)
                for table in ("cases", "verdicts"):
                    self._db.execute(
                        f"DELETE FROM {table} WHERE number IN (SELECT number FROM repeated)"
                    )
            self._check_keys()
            self._db.execute(_FINGERPRINTS)
        self.commit()

    def _copy(self, folder: Path, keys: Sequence[str], in_place: bool) -> None:
        numbers = self.judge_numbers(keys)
        path = folder / RUN_FILE
        with storage_errors(path, self.damaged):
            self._db.execute("ATTACH ? AS other", (read_only_uri(path),))
            last = "SELECT coalesce(max(ordinal) + 1, 0) FROM cases"
            offset = 0 if in_place else self._db.execute(last).fetchone()[0]
            self._db.execute(_COPIED_CASES, {"offset": offset})
            for number, key in zip(numbers, keys, strict=True):
                given = {"offset": offset, "judge": number, "key": key}
                self._db.execute(_COPIED_VERDICTS, given)
            self._db.commit()
            self._db.execute("DETACH other")

    def fingerprints(self) -> Iterator[bytes]:
        """The fingerprints of the cases, in the order of the input."""
        sql = "SELECT fingerprint FROM cases WHERE ordinal IS NOT NULL ORDER BY ordinal"
        with self._errors():
            for (fingerprint,) in self._db.execute(sql):
                yield fingerprint

    def count_cases(self) -> int:
        """The number of cases."""
        sql = "SELECT count(*) FROM cases WHERE ordinal IS NOT NULL"
        with self._errors():
            return int(self._db.execute(sql).fetchone()[0])

    def own_columns(self) -> list[str]:
        """The names of the input's columns that are not a field of a case."""
        sql = "SELECT body FROM cases WHERE ordinal IS NOT NULL AND instr(body, ?) ORDER BY ordinal"
        with self._errors():
            bodies = self._db.execute(sql, ('"extra": {',))
            extras = (json.loads(body).get("extra", {}) for (body,) in bodies)
            return list(dict.fromkeys(column for extra in extras for column in extra))

    def count_with_extra(self, key: str) -> int:
        """The number of cases whose input has a column of its own with this name."""
        sql = "SELECT count(*) FROM cases WHERE ordinal IS NOT NULL AND instr(body, ?)"
        with self._errors():
            return int(self._db.execute(sql, (f"{json.dumps(key)}: ",)).fetchone()[0])

    # ------------------------------------------------------------ work out, verdicts in

    def judge_numbers(self, keys: Sequence[str]) -> list[int]:
        """The number of each judge, by its key; unknown judges get a new one."""
        with self._errors():
            known = dict(self._db.execute("SELECT key, judge FROM judges"))
            for key in keys:
                # Writes only if a key is new, so that a run in a read-only folder can still be
                # read.
                if key not in known:
                    added = self._db.execute("INSERT INTO judges (key) VALUES (?)", (key,))
                    known[key] = added.lastrowid
            self._db.commit()
            return [known[key] for key in keys]

    def work(self, keys: Sequence[str]) -> Iterator[WorkItem]:
        """Every case that some judge has not judged yet, ordered so that neighbours share
        executions."""
        missing = ", ".join(f"NOT {_JUDGED} AS j{place}" for place in range(len(keys)))
        numbers = self.judge_numbers(keys)
        with self._errors():
            # The order is computed once, into a temporary table. A cursor over all of it would keep
            # later commits from being merged into the one file.
            self._db.execute("DROP TABLE IF EXISTS temp.todo")
            self._db.execute(
                f"CREATE TEMP TABLE todo AS SELECT c.number, {missing}"
                " FROM cases c WHERE c.ordinal IS NOT NULL"
                " ORDER BY c.db_id, c.batch_key, c.ordinal",
                numbers,
            )
        last = 0
        while rows := self._work_after(last):
            last = rows[-1][0]
            for _, number, body, db_id, batch_key, lacking, _, *flags in rows:
                todo = tuple(position for position, flag in enumerate(flags) if flag)
                if todo:
                    yield WorkItem(number, body, todo, (db_id, batch_key), bool(lacking))

    def _work_after(self, last: int) -> list[tuple[Any, ...]]:
        """The next cases in the order of work: place, number, body, group, whether features are
        missing, number again, and one flag per judge."""
        with self._errors():
            return self._db.execute(
                "SELECT t.rowid, c.number, c.body, c.db_id, c.batch_key, c.features = ?, t.*"
                " FROM temp.todo t JOIN cases c ON c.number = t.number WHERE t.rowid > ?"
                " ORDER BY t.rowid LIMIT ?",
                (_NOT_YET, last, _WORK_AT_ONCE),
            ).fetchall()

    def count_work(self, keys: Sequence[str]) -> int:
        """The number of verdicts that are missing."""
        missing = " + ".join(f"(NOT {_JUDGED})" for _ in keys)
        sql = f"SELECT total({missing}) FROM cases c WHERE c.ordinal IS NOT NULL"
        numbers = self.judge_numbers(keys)
        with self._errors():
            return int(self._db.execute(sql, numbers).fetchone()[0])

    def add_verdicts(self, rows: Sequence[VerdictRow], numbers: Sequence[int]) -> None:
        """Writes verdicts, and the features that came with them; they last after :meth:`commit`."""
        with self._errors():
            self._db.executemany(
                "INSERT OR REPLACE INTO verdicts VALUES (?,?,?,?,?,?,?,?,?,?)",
                [(row.number, numbers[row.judge], *row[2:-1]) for row in rows],
            )
            self._db.executemany(
                "UPDATE cases SET features = ? WHERE number = ?",
                [(row.features, row.number) for row in rows if row.features is not None],
            )

    # ------------------------------------------------------------ records out

    def records(
        self,
        judges: Sequence[tuple[str, str]],
        *,
        whole: bool = True,
        with_evidence: bool = True,
        case_id: str = "",
        place: int | None = None,
        by_question: bool = False,
    ) -> Iterator[Record]:
        """Records in the order of the cases, then of ``judges`` ((name, key) pairs).

        Args:
            whole: return complete cases; otherwise only the parts that slices and labels need.
            place: only the case at this position of the input, from 0.
            by_question: put the answers of all systems to a question next to each other.
        """
        numbers = self.judge_numbers([key for _, key in judges])
        names = {number: (i, judges[i][0]) for i, number in enumerate(numbers)}
        marks = ",".join("?" * len(numbers))
        body = "c.body" if whole else f"CASE c.features WHEN '{_NOT_YET}' THEN c.body ELSE '' END"
        evidence = "v.evidence" if with_evidence else "'{}'"
        question = "c.benchmark, c.id, " if by_question else ""
        with self._errors():
            rows = self._db.execute(
                "SELECT c.ordinal, c.benchmark, c.id, c.source, c.db_id, c.difficulty, c.label,"
                f" c.features, {body}, v.judge, v.outcome, v.score, v.reason, v.labels, v.measures,"
                f" {evidence}, v.seconds, v.cost"
                " FROM cases c JOIN verdicts v ON v.number = c.number"
                f" WHERE c.ordinal IS NOT NULL AND v.judge IN ({marks})"
                f" {'AND c.id = ?' if case_id else ''}"
                f" {'AND c.ordinal = ?' if place is not None else ''}"
                f" ORDER BY {question}c.ordinal",
                [
                    *numbers,
                    *([case_id] if case_id else []),
                    *([place] if place is not None else []),
                ],
            )
            for _, group in groupby(rows, key=itemgetter(0)):
                yield from _records(sorted(group, key=lambda row: names[row[9]][0]), names, whole)


def _case_values(row: CaseRow) -> tuple[Any, ...]:
    case = row.case
    # The body may contain half of a surrogate pair; it is kept as it is.
    return (
        row.fingerprint,
        row.ordinal,
        *(encodable(part) for part in case.key),
        encodable(case.db_id),
        None if case.difficulty is None else encodable(case.difficulty),
        case.label,
        row.batch_key,
        _NOT_YET,
        row.body,
    )


def sliced_text(case: Case) -> str:
    """The query whose features a case has: its first reference, else its prediction."""
    text = case.reference_sqls[0] if case.reference_sqls else case.predicted_sql
    return text if isinstance(text, str) else ""


def features_of(case: Case) -> str:
    """The names of the SQL features of a case, joined by spaces, as the store keeps them."""
    from sqljury.sql import slice_features  # the parent of the workers need not load the parser

    return " ".join(slice_features(sliced_text(case)))


def _known_twice(case: Case) -> InputError:
    return InputError(
        "SJ404",
        f"two cases are both known as {case.name!r}.",
        where=case.origin,
        hint="Ids must differ within a benchmark and prediction source.",
    )


def _records(
    rows: Sequence[tuple[Any, ...]], names: Mapping[int, tuple[int, str]], whole: bool
) -> Iterator[Record]:
    """The records of one case."""
    _, benchmark, id_, source, db_id, difficulty, label, features, body, *_ = rows[0]
    if features == _NOT_YET:  # the run was killed, or the worker died of this case
        features = features_of(Case.from_dict(json.loads(body)))
    _check_types((benchmark, id_, source, db_id, difficulty or ""), str)
    case = (
        Case.from_dict(json.loads(body))
        if whole
        else Case(
            id=id_,
            db_id=db_id,
            difficulty=difficulty,
            label=None if label is None else bool(label),
            benchmark=benchmark,
            source=source,
        )
    )
    for row in rows:
        yield Record(
            case=case,
            judge=names[row[9]][1],
            verdict=_verdict(row[10:]),
            features=tuple(features.split()),
        )


def _verdict(row: tuple[Any, ...]) -> Verdict:
    outcome, score, reason, labels, measures, evidence, seconds, cost = row
    found = Verdict(
        outcome=Outcome(outcome),
        score=score,
        reason=reason,
        labels=tuple(json.loads(labels)) if labels != "[]" else (),
        measures=json.loads(measures) if measures != "{}" else {},
        evidence=json.loads(evidence) if evidence != "{}" else {},
        cost=_cost(json.loads(cost)) if cost else Cost(seconds=seconds),
    )
    # Columns of SQLite hold values of any type: the file may be somebody else's.
    _check_types((found.reason, *found.labels), str)
    _check_types((score or 0.0, seconds, *found.measures.values()), float | int)
    _check_types((found.evidence,), dict)
    return found


def _check_types(values: Iterable[object], wanted: Any) -> None:
    for value in values:
        if not isinstance(value, wanted):
            raise TypeError(f"{value!r:.40} is of another type")
