"""An index of a run's cases, by which they are filtered, sorted and searched in SQL.

It is a temporary SQLite file; the run is only read. A thread fills it, and what is in it can be
queried meanwhile, so that the first cases of a large run are seen at once.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final

from sqljury.closing import Closing
from sqljury.errors import SqljuryError
from sqljury.isolation import TemporaryFolder
from sqljury.reports.cases import MOST_TOLD_APART
from sqljury.reports.evidence import cause_of, said
from sqljury.reports.words import shortened, tone, visible
from sqljury.runs import Run, open_run
from sqljury.verdict import Outcome, Record
from sqljury.writing import encodable

_SCHEMA = """
PRAGMA journal_mode=WAL;
PRAGMA synchronous=OFF;
CREATE TABLE cases (place INTEGER PRIMARY KEY, name TEXT, asked TEXT, system TEXT, db TEXT,
  difficulty TEXT, people TEXT, question TEXT, reference TEXT, prediction TEXT, split INTEGER);
CREATE TABLE verdicts (place INTEGER, judge INTEGER, outcome TEXT, score REAL, cause TEXT,
  reason TEXT, PRIMARY KEY (place, judge)) WITHOUT ROWID;
CREATE TABLE tags (kind TEXT, value TEXT, place INTEGER, PRIMARY KEY (kind, value, place))
  WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize="unicode61 tokenchars '_'");
"""
_INDEXES = """
CREATE INDEX verdicts_by_outcome ON verdicts (outcome, judge, place);
CREATE INDEX verdicts_by_cause ON verdicts (cause, judge, place);
CREATE INDEX verdicts_by_score ON verdicts (judge, score, place);
CREATE INDEX cases_by_asked ON cases (asked, system);
CREATE INDEX cases_by_system ON cases (system, place);
CREATE INDEX cases_by_db ON cases (db, place);
CREATE INDEX cases_by_difficulty ON cases (difficulty, place);
CREATE INDEX cases_by_people ON cases (people, place);
CREATE INDEX cases_by_question ON cases (question, place);
CREATE INDEX cases_by_split ON cases (split, place);
ANALYZE;
"""
_FIRST, _CHUNK = 200, 2_000
"""Cases in the first transaction, and in each of the others."""
_LONGEST_TEXT = 300
_KEPT_FILTERS = 32
_PAUSE = 0.03
"""Seconds between two cases whose queries are compared, so that pages are not kept waiting."""
_ALL = "1"
"""The condition that every case meets."""
_MOST_VALUES = 200
"""A column with more distinct values gets no list to choose from; its texts are searched."""
NOT_CORRECT: Final = "!"
"""The value of a filter's outcome for all outcomes that count as not correct."""
_WRONG = tuple(str(o) for o in Outcome if tone(o) in ("bad", "unsure"))

SORTS: Final[Mapping[str, str]] = {
    "": "c.place",
    "question": "c.question, c.place",
    "db": "c.db, c.place",
    "name": "c.name, c.place",
    "outcome": "v.outcome, v.place",
    "cause": "v.cause IS NULL, v.cause, v.place",
    "score": "v.score, v.place",
}
"""The ORDER BY of each order of the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilter:
    """Which cases to list, and in which order; an empty field selects all.

    Args:
        judge: the position of the judge whose verdicts ``outcome``, ``cause`` and ``sort`` mean.
        outcome: an outcome, or ``!`` for all that are not correct.
        label: a label of verdicts.
        people: what people said of the prediction: ``correct``, ``incorrect``, ``none``.
        right: a system that is right about the question; ``wrong``: one that is wrong.
        column: an own column of the input, as ``name=value``.
        split: ``1`` for cases on which judges disagree.
        q: words of question, SQL, reasons and own columns, all of which must occur.
        sort: a key of :data:`SORTS`; with a minus sign in front from the end.
    """

    judge: str = ""
    outcome: str = ""
    cause: str = ""
    label: str = ""
    people: str = ""
    system: str = ""
    right: str = ""
    wrong: str = ""
    db: str = ""
    difficulty: str = ""
    feature: str = ""
    column: str = ""
    split: str = ""
    q: str = ""
    sort: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCase:
    """A case as the list shows it."""

    place: int
    """Its position in the run's input, from 0."""
    name: str
    db: str
    question: str
    reference: str
    prediction: str
    verdicts: tuple[tuple[int, str, str, str], ...]
    """Judge, outcome, cause and reason of each verdict that the filter's judge means."""

    @property
    def why(self) -> tuple[str, str]:
        """Cause and reason of the first verdict that is not correct; two empty texts if none is."""
        return next(((cause, reason) for _, _, cause, reason in self.verdicts if cause), ("", ""))


@dataclass(frozen=True, slots=True)
class Facets:
    """For each field of a filter, its values with the number of cases; the judges' names."""

    judges: Sequence[str]
    values: Mapping[str, Sequence[tuple[str, int]]] = field(default_factory=dict)


class CaseIndex(Closing):
    """The index of one run.

    Args:
        run: the run's folder.
    """

    def __init__(self, run: Path) -> None:
        self._run = run
        self._folder = TemporaryFolder()
        self._path = Path(self._folder.path) / "index.sqlite"
        self._facets: Facets | None = None
        self._found: dict[CaseFilter, Sequence[int]] = {}
        self._stop = threading.Event()
        self._started = threading.Event()
        self._failure: SqljuryError | None = None
        self.ready = threading.Event()
        """Set when every case is in the index."""
        with open_run(run) as found:
            self.judges = tuple(judge.name for judge in found.judges)
            self.total = found.count_cases()
        with closing(self._connection()) as database:
            database.executescript(_SCHEMA)
        self._thread = threading.Thread(target=self._fill, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop filling it, and remove the file."""
        self._stop.set()
        self._thread.join()
        self._folder.close()

    def _connection(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30.0)

    # ------------------------------------------------------------ in

    def _fill(self) -> None:
        try:
            with open_run(self._run) as run, closing(self._connection()) as database:
                groups = (
                    list(records)
                    for _, records in groupby(run.records(), key=lambda one: one.case.key)
                )
                numbers = {name: i for i, name in enumerate(self.judges)}
                place, size = 0, _FIRST
                while not self._stop.is_set():
                    chunk = list(islice(groups, size))
                    if not chunk:
                        break
                    place = self._add(database, place, chunk, numbers)
                    self._started.set()
                    size = _CHUNK
                database.executescript(_INDEXES)
                self.ready.set()
                self._tell_apart(run, database, numbers)
        except SqljuryError as error:
            self._failure = error
        except sqlite3.OperationalError:
            if not self._stop.is_set():
                raise
        finally:
            self._started.set()
            self.ready.set()

    def _tell_apart(
        self, run: Run, database: sqlite3.Connection, numbers: Mapping[str, int]
    ) -> None:
        """Replace causes by rows with causes by what the queries do differently, where they can be
        read. That takes some 30 ms a case, so it is done for the first ones only, after the index
        is ready."""
        from sqljury.uses.evaluate.failures import differences_in

        differences = differences_in(run)
        rows = "SELECT DISTINCT place FROM verdicts WHERE outcome = ? ORDER BY place LIMIT ?"
        wrong = database.execute(rows, (str(Outcome.INCORRECT), MOST_TOLD_APART)).fetchall()
        for (place,) in wrong:
            records = list(run.records(place=place))
            found = differences(records[0].case)
            if self._stop.wait(_PAUSE):
                return
            changed = [
                (encodable(visible(cause_of(one.verdict, found))), place, numbers[one.judge])
                for one in records
                if found and one.verdict.outcome is Outcome.INCORRECT
            ]
            with database:
                database.executemany(
                    "UPDATE verdicts SET cause = ? WHERE place = ? AND judge = ?", changed
                )
        self._found.clear()
        self._facets = None

    def _add(
        self,
        database: sqlite3.Connection,
        place: int,
        chunk: Iterable[Sequence[Record]],
        numbers: Mapping[str, int],
    ) -> int:
        with database:
            for records in chunk:
                case = records[0].case
                prediction = case.predicted_sql if isinstance(case.predicted_sql, str) else ""
                reference = next(iter(case.reference_sqls), "")
                outcomes = {record.verdict.outcome for record in records}
                row = (
                    *(case.name, f"{case.benchmark}/{case.id}", case.source, case.db_id),
                    case.difficulty or "",
                    {None: "none", True: "correct", False: "incorrect"}[case.label],
                    *(case.question or "", _short(reference), _short(prediction)),
                    len(outcomes) > 1,
                )
                database.execute(
                    "INSERT INTO cases VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                    [place, *(encodable(x) if isinstance(x, str) else x for x in row)],
                )
                found = [_verdict(place, numbers[one.judge], one) for one in records]
                database.executemany("INSERT INTO verdicts VALUES (?,?,?,?,?,?)", found)
                database.executemany(
                    "INSERT OR IGNORE INTO tags VALUES (?,?,?)",
                    ((kind, encodable(value), place) for kind, value in _tags(records)),
                )
                texts = (
                    *(case.name, case.question, case.hint, prediction, *case.reference_sqls),
                    *(f"{verdict[4] or ''} {verdict[5]}" for verdict in found),
                    *(_own(value) for value in case.extra.values()),
                )
                text = encodable("\n".join(filter(None, texts)))
                database.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (place, text))
                place += 1
        return place

    # ------------------------------------------------------------ out

    @property
    def size(self) -> int:
        """The number of cases that are in the index."""
        return int(self._rows("SELECT count(*) FROM cases")[0][0])

    def cases(self, places: Sequence[int], judge: str = "") -> list[IndexedCase]:
        """The cases at some positions of the input, in this order.

        Args:
            judge: the position of the judge whose verdicts are shown; empty for all.
        """
        marks = ",".join("?" * len(places))
        rows = self._rows(
            "SELECT place, name, db, question, reference, prediction FROM cases"
            f" WHERE place IN ({marks})",
            places,
        )
        only = " AND judge = ?" if judge else ""
        verdicts = self._rows(
            "SELECT place, judge, outcome, coalesce(cause, ''), reason FROM verdicts"
            f" WHERE place IN ({marks}){only} ORDER BY place, judge",
            [*places, *([judge] if judge else [])],
        )
        by_place = {
            place: tuple(one[1:] for one in group)
            for place, group in groupby(verdicts, key=lambda row: row[0])
        }
        found = {
            place: IndexedCase(
                place=place,
                name=name,
                db=db,
                question=question,
                reference=reference,
                prediction=prediction,
                verdicts=by_place.get(place, ()),
            )
            for place, name, db, question, reference, prediction in rows
        }
        return [found[place] for place in places]

    def places(self, chosen: CaseFilter) -> Sequence[int]:
        """The positions in the input of the cases that are found, in the order asked for.

        Once the index is ready, those of the latest filters are kept for the next page.
        """
        is_ready = self.ready.is_set()
        known = self._found.get(chosen)
        if known is not None:
            return known
        found = self._places(chosen)
        if is_ready:
            if len(self._found) >= _KEPT_FILTERS:
                self._found.clear()
            self._found[chosen] = found
        return found

    def _places(self, chosen: CaseFilter) -> Sequence[int]:
        conditions, values = self._conditions(chosen)
        order = SORTS.get(chosen.sort.removeprefix("-"), SORTS[""])
        source = "cases c"
        if "v." in order:
            by_judge = "verdicts v WHERE v.judge = ?"
            source = f"(SELECT * FROM {by_judge}) v JOIN cases c ON c.place = v.place"
            values = [chosen.judge or "0", *values]
            if conditions == _ALL:  # without a look at each case
                source = f"(SELECT * FROM {by_judge}) v"
        if chosen.sort.startswith("-"):
            order = ", ".join(f"{part} DESC" for part in order.split(", "))
        place = "v.place" if "v." in order else "c.place"
        sql = f"SELECT {place} FROM {source} WHERE {conditions} ORDER BY {order}"
        return array("l", (place for (place,) in self._rows(sql, values)))

    def others(self, place: int) -> list[IndexedCase]:
        """The answers of other systems to the question of a case."""
        sql = (
            "SELECT o.place FROM cases c JOIN cases o ON o.asked = c.asked AND o.place <> c.place"
            " WHERE c.place = ? ORDER BY o.place LIMIT 50"
        )
        return self.cases([row[0] for row in self._rows(sql, [place])])

    def place_of(self, name: str) -> int | None:
        """The position of the case of that name; None if there is none."""
        rows = self._rows("SELECT place FROM cases WHERE name = ?", [name])
        return rows[0][0] if rows else None

    def facets(self) -> Facets:
        """The values to filter by, each with its number of cases; kept once the index is ready."""
        if self._facets is not None:
            return self._facets
        is_ready = self.ready.is_set()
        values: dict[str, Sequence[tuple[str, int]]] = {}
        for name in ("system", "db", "difficulty", "people"):
            sql = f"SELECT {name}, count(*) FROM cases GROUP BY 1 ORDER BY 1 LIMIT ?"
            values[name] = self._values(sql)
        for name in ("outcome", "cause"):
            sql = (
                f"SELECT {name}, count(DISTINCT place) FROM verdicts WHERE {name} IS NOT NULL"
                " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?"
            )
            values[name] = self._values(sql)
        sql = "SELECT value, count(*) FROM tags WHERE kind = ? GROUP BY 1 ORDER BY 1 LIMIT ?"
        for kind in ("label", "feature"):
            values[kind] = self._values(sql, kind)
        columns: list[tuple[str, int]] = []
        for (kind,) in self._rows("SELECT DISTINCT kind FROM tags WHERE kind LIKE 'column:%'"):
            found = self._values(sql, kind)
            if 1 < len(found) <= _MOST_VALUES:
                name = kind.partition(":")[2]
                columns += [(f"{name}={value}", count) for value, count in found]
        values["column"] = columns
        facets = Facets(self.judges, values)
        if is_ready:
            self._facets = facets
        return facets

    def _values(self, sql: str, *values: str) -> list[tuple[str, int]]:
        found = self._rows(sql, [*values, _MOST_VALUES + 1])
        return [(value, count) for value, count in found if value != ""]

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._started.wait()
        if self._failure is not None:
            raise self._failure
        with closing(self._connection()) as database:
            return database.execute(sql, values).fetchall()

    def _conditions(self, chosen: CaseFilter) -> tuple[str, list[Any]]:
        """The WHERE of a filter and its values."""
        parts: list[tuple[str, list[Any]]] = [
            (f"c.{name} = ?", [value])
            for name in ("system", "db", "difficulty", "people")
            if (value := getattr(chosen, name))
        ]
        parts += list(self._of_verdicts(chosen))
        name, _, own = chosen.column.partition("=")
        tags = (("label", chosen.label), ("feature", chosen.feature), (f"column:{name}", own))
        for kind, value in tags:
            if value:
                tagged = "c.place IN (SELECT place FROM tags WHERE kind = ? AND value = ?)"
                parts.append((tagged, [kind, value]))
        if chosen.split:
            parts.append(("c.split", []))
        parts += list(_apart(chosen))
        if wanted := _search(chosen.q):
            parts.append(("c.place IN (SELECT rowid FROM words WHERE words MATCH ?)", [wanted]))
        conditions = " AND ".join(text for text, _ in parts) or _ALL
        return conditions, [value for _, values in parts for value in values]

    def _of_verdicts(self, chosen: CaseFilter) -> Iterator[tuple[str, list[Any]]]:
        """One condition for outcome and cause, which one verdict must meet together."""
        parts = ["1"]
        values: list[Any] = []
        if chosen.outcome == NOT_CORRECT:
            parts.append(f"outcome IN ({','.join('?' * len(_WRONG))})")
            values += _WRONG
        elif chosen.outcome:
            parts.append("outcome = ?")
            values.append(chosen.outcome)
        if chosen.cause:
            parts.append("cause = ?")
            values.append(chosen.cause)
        if values and chosen.judge:
            parts.append("judge = ?")
            values.append(chosen.judge)
        if values:
            yield f"c.place IN (SELECT place FROM verdicts WHERE {' AND '.join(parts)})", values


def _apart(chosen: CaseFilter) -> Iterator[tuple[str, list[Any]]]:
    """Conditions for one system being right and another wrong about the same question."""
    if not chosen.right and not chosen.wrong:
        return
    yield "c.system = ?", [chosen.wrong or chosen.right]
    judge = " AND v.judge = ?" if chosen.judge else ""
    judges = [chosen.judge] if chosen.judge else []
    for system, wanted in ((chosen.right, "v.outcome <> 'correct'"), (chosen.wrong, "")):
        if not system:
            continue
        bad = wanted or f"v.outcome NOT IN ({','.join('?' * len(_WRONG))})"
        yield (
            "EXISTS (SELECT 1 FROM cases o WHERE o.asked = c.asked AND o.system = ? AND NOT EXISTS"
            f" (SELECT 1 FROM verdicts v WHERE v.place = o.place AND {bad}{judge}))",
            [system, *(() if wanted else _WRONG), *judges],
        )


def _search(text: str) -> str:
    """The words as a query of SQLite's full-text search: each a phrase, the last word a prefix."""
    return " ".join('"' + word.replace('"', '""') + '"*' for word in text.split())


def _verdict(place: int, judge: int, record: Record) -> tuple[Any, ...]:
    verdict = record.verdict
    is_wrong = verdict.outcome is not Outcome.CORRECT and not verdict.outcome.left_out
    reason = next(iter(said(verdict)), "")
    return (
        *(place, judge, str(verdict.outcome), verdict.score),
        encodable(visible(cause_of(verdict))) if is_wrong else None,
        encodable(visible(_short(reason))),
    )


def _tags(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    for feature in records[0].features:
        yield "feature", feature
    for record in records:
        for label in record.verdict.labels:
            yield "label", label
    for column, value in records[0].case.extra.items():
        if isinstance(value, str | int | float | bool) and len(str(value)) <= _LONGEST_TEXT:
            yield f"column:{column}", _own(value)


def _own(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST_TEXT)
