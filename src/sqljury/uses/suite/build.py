"""Test suites: few databases on which references differ from similar queries (neighbours)."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from sqljury.case import Case
from sqljury.databases import Database, open_databases, reached
from sqljury.databases.generated import DataProfile, Material, make_rows, plans_for
from sqljury.errors import InputError, SqljuryError
from sqljury.execution import Limits, ResultTable
from sqljury.isolation import Sandbox, mapped, without_secrets
from sqljury.judges.execution import is_ordered
from sqljury.schema import Schema
from sqljury.sql import merged_profiles, value_profile
from sqljury.tables import compare, make_policy
from sqljury.uses.inputs import cases_of, databases_spec
from sqljury.uses.suite.databases import (
    Contents,
    Original,
    Stage,
    completed,
    definitions_of,
    mutation,
)
from sqljury.value_profile import ColumnName, ColumnUse, Constant, ValueProfile
from sqljury.variants import neighbours
from sqljury.version import __version__
from sqljury.writing import PathLike, new_folder, write_text


def distil(told_apart: Sequence[frozenset[int]], *, times: int = 1) -> list[int]:
    """The indices of the databases to keep, those that distinguish most neighbours first.

    Args:
        told_apart: for each database, the neighbours whose result differs from their query's.
        times: how many kept databases should distinguish each neighbour, if that many do.

    Greedy set cover: the database that adds most (the first of equal ones) is kept, until none
    adds anything. For n neighbours it keeps at most ln(n) + 1 times the smallest possible number.

    >>> distil([frozenset({1}), frozenset({1, 2}), frozenset({3})])
    [1, 2]

    Source: Zhong, Yu and Klein (2020), section 3.3; Chvatal (1979).
    """
    there = {
        n: sum(1 for found in told_apart if n in found) for n in frozenset().union(*told_apart)
    }
    missing = {n: min(times, count) for n, count in there.items()}
    left = dict(enumerate(told_apart))
    kept: list[int] = []
    while left:
        best = max(left, key=lambda i: (sum(1 for n in left[i] if missing[n]), -i))
        added = [n for n in left.pop(best) if missing[n]]
        if not added:
            break
        for n in added:
            missing[n] -= 1
        kept.append(best)
    return kept


_PROFILES = (DataProfile.CLEAN, DataProfile.DUPLICATES)
"""A suite should look like real data: keys and foreign keys hold, NULL is not put in on
purpose."""


def generated(references: Sequence[str], schema: Schema, *, seed: int) -> Iterator[Contents]:
    """Small databases generated so that the queries' results are not empty or trivial.

    The most useful first; none if no query can be analysed.
    """
    profile = _profile(references, schema)
    if profile is None:
        return
    material = Material(_widened(profile, schema), schema)
    for plan in plans_for(material, _PROFILES, seed=seed):
        if not plan.empty:
            yield make_rows(material, plan)


def constants_of(references: Iterable[str], schema: Schema) -> dict[ColumnName, Sequence[Constant]]:
    """By column, the constants that queries compare it with, and values next to these."""
    profile = _profile(list(references), schema)
    if profile is None:
        return {}
    material = Material(_widened(profile, schema), schema)
    return {
        (relation.table.name, cell.name): cell.pool.constants
        for relation in material.relations.values()
        for cell in relation.cells
        if cell.pool.has_constants
    }


def _profile(references: Sequence[str], schema: Schema) -> ValueProfile | None:
    found: ValueProfile | None = None
    for sql in references:
        profile = value_profile(sql, schema)
        if profile is not None:
            found = profile if found is None else merged_profiles(found, profile)
    return found


def _widened(profile: ValueProfile, schema: Schema) -> ValueProfile:
    """The profile with all columns, and tables reached by foreign keys: predictions may use
    them."""
    names = set(profile.tables)
    while True:
        targets = {
            found.name
            for name in names
            if (table := schema.table(name)) is not None
            for key in table.foreign_keys
            if (found := schema.table(key.target_table)) is not None and not found.is_view
        }
        if targets <= names:
            break
        names |= targets
    tables = [table for table in schema.tables if table.name in names]
    columns = {
        (table.name, column.name): ColumnUse() for table in tables for column in table.columns
    }
    return replace(
        profile,
        tables=tuple(table.name for table in tables),
        columns={**columns, **profile.columns},
    )


MANIFEST = "suite.json"
_TIMES = 3
"""The number of kept databases that distinguish each neighbour, so as not to rely on one."""
_NEIGHBOURS = 60
_MUTATIONS = 2
"""Mutations of the original tried per generated database of a reference."""
_STAGE_LIMITS = Limits(seconds=0.5, rows=20_000)
_POLICY = make_policy("strict", free_ties=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOptions:
    """Settings for building suites.

    Args:
        databases: the place of the original databases, for
            :func:`sqljury.databases.open_databases`.
        databases_per_query: the number of generated databases tried per reference; twice as many
            mutations of the original are tried for all references together.
    """

    databases: str
    databases_per_query: int = 20
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The suite built for one database, or why none was.

    Args:
        references: the number of distinct references that run on the original.
        left_out: the other references, with their errors.
        neighbours: the number of neighbours of all references.
        by_original: how many neighbours have other results than their reference on the original.
        told_apart: how many do on some database of the suite; as many as on all databases tried.
        tried: the number of databases tried, including the original.
        databases: the names of the files, the original first, then those that distinguish most.
        failure: why no suite was built; empty if one was.
    """

    db_id: str
    references: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    neighbours: int = 0
    by_original: int = 0
    told_apart: int = 0
    tried: int = 0
    databases: tuple[str, ...] = ()
    failure: str = ""
    resumed: bool = False
    """True if the suite existed already and was not built again."""


def build_suites(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    databases: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    databases_per_query: int = 20,
    seed: int = 0,
    workers: int = 1,
    on_report: Callable[[SuiteReport, int], None] = lambda _report, _total: None,
) -> list[SuiteReport]:
    """Build a test suite for each database of the cases, from their references.

    A suite that exists already for the same references, database and options is not built again.

    Args:
        databases: the original databases, as for :func:`evaluate`; SQLite only.
        out: the folder of the suites (``DB_ID/*.sqlite``).
        databases_per_query: the number of generated databases to try for each reference.
        workers: the number of processes; each builds the suite of one database.
        on_report: called with each suite's report when it is built, and the number of suites.

    Raises:
        InputError: SJ550: no case has a reference, or no suite could be built; SJ552: ``out`` has
            other files in it.
    """
    options = SuiteOptions(
        databases=databases_spec(databases) or "",
        databases_per_query=databases_per_query,
        seed=seed,
    )
    folder = Path(out)
    references: dict[str, dict[str, None]] = {}
    for case in cases_of(cases):
        references.setdefault(case.db_id, {}).update(dict.fromkeys(case.reference_sqls))
    jobs = [
        _SuiteJob(db_id, tuple(found), options, folder)
        for db_id, found in references.items()
        if found
    ]
    if not jobs:
        raise InputError("SJ550", "no case has a reference.")
    reports = []
    folder.mkdir(parents=True, exist_ok=True)
    confined, variables = _sandbox(options, folder), without_secrets(os.environ)
    for report in mapped(_build, jobs, workers, sandbox=confined, environment=variables):
        reports.append(report)
        on_report(report, len(jobs))
    if not any(report.databases for report in reports):
        raise InputError("SJ550", f"{reports[0].db_id}: {reports[0].failure}")
    manifest = {
        "sqljury": __version__,
        "seed": options.seed,
        "databases_per_query": options.databases_per_query,
        "suites": [_plain(report) for report in sorted(reports, key=lambda r: r.db_id)],
    }
    _write_json(folder / "suites.json", manifest)
    return reports


def _sandbox(options: SuiteOptions, folder: Path) -> Sandbox:
    """A sandbox for running references: it can read the databases and write the suites only."""
    try:
        paths, _ = reached(open_databases(options.databases))
    except SqljuryError:
        paths = []  # each database's report will state the error
    return Sandbox(reads=tuple(map(str, paths)), writes=(str(folder),))


def _plain(report: SuiteReport) -> dict[str, Any]:
    return {name: value for name, value in asdict(report).items() if name != "resumed"}


def _write_json(path: Path, value: object) -> None:
    new_folder(path.parent)
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


# ---------------------------------------------------------------- one suite


@dataclass(frozen=True, slots=True)
class _SuiteJob:
    db_id: str
    references: tuple[str, ...]
    options: SuiteOptions
    folder: Path

    @property
    def place(self) -> Path:
        """The suite's folder, directly under the output folder also for names with slashes."""
        return self.folder / (re.sub(r"[/\\\0]", "_", self.db_id).lstrip(".") or "database")

    def check_place(self) -> None:
        """Raise an error if the suite's folder exists and is not an earlier suite.

        Raises:
            InputError: SJ552: the folder has no manifest.
        """
        if self.place.exists() and not (self.place / MANIFEST).is_file():
            raise InputError("SJ552", f"there is no {MANIFEST} in it.", where=str(self.place))


def _build(job: _SuiteJob) -> SuiteReport:
    try:
        database = open_databases(job.options.databases).open(job.db_id)
        if database is None:
            return SuiteReport(job.db_id, failure="there is no such database")
        job.check_place()
        with closing(database):
            return _resumed(job, database) or _Builder(job, database).build()
    except SqljuryError as error:
        return SuiteReport(job.db_id, failure=str(error))


def _fingerprint(job: _SuiteJob, database: Database) -> str:
    options = {**asdict(job.options), "databases": ""}
    parts = [job.db_id, list(job.references), options, database.fingerprint()]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _resumed(job: _SuiteJob, database: Database) -> SuiteReport | None:
    try:
        found = json.loads((job.place / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if found.get("fingerprint") != _fingerprint(job, database):
        return None
    report = found["report"]
    return SuiteReport(**{**report, "databases": tuple(report["databases"]), "resumed": True})


@dataclass(frozen=True, slots=True)
class _Tried:
    """A database that was tried, how it was made, and the numbers of the neighbours whose results
    differ on it from their reference's."""

    made: str
    contents: Contents
    told_apart: frozenset[int]


@dataclass(frozen=True, slots=True)
class _SuiteReference:
    sql: str
    ordered: bool
    neighbours: dict[int, str]
    """Similar queries by number; the numbers are unique over all references."""


class _Builder:
    """Builds the suite of one database."""

    def __init__(self, job: _SuiteJob, database: Database) -> None:
        self._job = job
        self._database = database
        schema = database.schema()
        self._schema = Schema(
            dialect=schema.dialect, tables=tuple(t for t in schema.tables if not t.is_view)
        )
        self._definitions = definitions_of(database, Limits())
        self._contents = {table.name: self._rows(table.name) for table in self._schema.tables}
        self._stage = Stage(job.db_id, self._definitions, self._schema)
        self._left_out: dict[str, str] = {}
        self._references: list[_SuiteReference] = []

    def _rows(self, table: str) -> list[tuple[Any, ...]]:
        quoted = table.replace('"', '""')
        found = self._database.execute(f'SELECT * FROM "{quoted}"', Limits())
        if found.table is None:
            raise InputError("SJ551", f"{table}: {found.message}.", where=self._job.db_id)
        return found.table.rows

    def build(self) -> SuiteReport:
        """Try many databases and write the few that are kept."""
        with closing(self._stage):
            self._stage.fill(self._contents)
            self._read_references()
            tried = list(self._tried())
        kept = [0, *[i for i in distil([t.told_apart for t in tried], times=_TIMES) if i]]
        stem = self._job.place.name
        further = (f"{stem}_{number:03}.sqlite" for number in range(1, len(kept)))
        report = SuiteReport(
            self._job.db_id,
            references=len(self._references),
            left_out=self._left_out,
            neighbours=sum(len(r.neighbours) for r in self._references),
            by_original=len(tried[0].told_apart),
            told_apart=len(frozenset().union(*(t.told_apart for t in tried))),
            tried=len(tried),
            databases=(f"{stem}.sqlite", *further),
        )
        self._write(report, [tried[i] for i in kept])
        return report

    # ------------------------------------------------------------ references and neighbours

    def _read_references(self) -> None:
        number = 0
        for sql in self._job.references:
            run = self._stage.execute(sql, _STAGE_LIMITS)
            if run.table is None:
                self._left_out[sql] = f"{run.status}: {run.message}"
                continue
            found = {}
            for text in neighbours(sql, self._schema, most=_NEIGHBOURS):
                if self._stage.execute(text, _STAGE_LIMITS).ok:
                    found[number] = text
                    number += 1
            self._references.append(_SuiteReference(sql, is_ordered(_POLICY, sql, "sqlite"), found))

    # ------------------------------------------------------------ databases

    def _tried(self) -> Iterator[_Tried]:
        yield self._try("original", self._contents, self._references)
        each = self._job.options.databases_per_query
        seed = self._job.options.seed
        constants = constants_of([r.sql for r in self._references], self._schema)
        original = Original(self._schema, self._contents, constants)
        for number, reference in enumerate(self._references):
            for count, contents in enumerate(
                islice(generated([reference.sql], self._schema, seed=seed), each)
            ):
                made = f"generated {count} for reference {number}"
                whole = completed(original, contents, f"{seed}/{self._job.db_id}/{made}")
                yield self._try(made, whole, [reference])
        for number in range(_MUTATIONS * each):
            contents = mutation(original, number, f"{seed}/{self._job.db_id}")
            yield self._try(f"mutation {number}", contents, self._references)

    def _try(self, made: str, contents: Contents, references: Sequence[_SuiteReference]) -> _Tried:
        self._stage.fill(contents)
        told: list[int] = []
        for reference in references:
            rows = self._stage.execute(reference.sql, _STAGE_LIMITS).table
            if rows is not None:
                told += self._told_apart(reference, rows)
        return _Tried(made, contents, frozenset(told))

    def _told_apart(self, reference: _SuiteReference, rows: ResultTable) -> Iterator[int]:
        for number, sql in reference.neighbours.items():
            other = self._stage.execute(sql, _STAGE_LIMITS).table
            if other is None:
                continue
            if compare(rows, other, _POLICY, ordered=reference.ordered).equal is False:
                yield number

    # ------------------------------------------------------------ files

    def _write(self, report: SuiteReport, kept: Sequence[_Tried]) -> None:
        """Write the suite to a temporary folder, then rename it: it is complete or not there."""
        place = self._job.place
        half_done = place.with_name(f".{place.name}.half-done")
        shutil.rmtree(half_done, ignore_errors=True)
        half_done.mkdir(parents=True)
        for name, database in zip(report.databases, kept, strict=True):
            with closing(Stage(self._job.db_id, self._definitions, self._schema)) as stage:
                stage.fill(database.contents)
                stage.save(half_done / name)
        told = Counter(n for database in kept for n in database.told_apart)
        _write_json(
            half_done / MANIFEST,
            {
                "fingerprint": _fingerprint(self._job, self._database),
                "report": _plain(report),
                "made": {
                    name: {"from": database.made, "tells_apart": len(database.told_apart)}
                    for name, database in zip(report.databases, kept, strict=True)
                },
                "told_apart_once": sum(1 for count in told.values() if count == 1),
            },
        )
        shutil.rmtree(place, ignore_errors=True)
        half_done.rename(place)


def report_text(report: SuiteReport) -> str:
    """One suite's report on one line."""
    if report.failure:
        return f"{report.db_id}: none: {report.failure}"
    left_out = f", {len(report.left_out)} references left out" if report.left_out else ""
    there = ", there already" if report.resumed else ""
    return (
        f"{report.db_id}: {len(report.databases)} of {report.tried} databases tell "
        f"{report.told_apart:,} of {report.neighbours:,} neighbours of {report.references} "
        f"references apart (the original alone {report.by_original:,}){left_out}{there}"
    )


def total_text(reports: Sequence[SuiteReport]) -> str:
    """The sums of all reports on one line."""
    built = [report for report in reports if not report.failure]
    return (
        f"{len(built)} suites with {sum(len(r.databases) for r in built):,} databases tell "
        f"{sum(r.told_apart for r in built):,} of {sum(r.neighbours for r in built):,} "
        f"neighbours apart; the originals alone {sum(r.by_original for r in built):,}"
    )
