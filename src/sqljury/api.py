"""The Python face: what the command line does, as functions on values."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, cast

import sqljury
from sqljury.benchmarks import (
    find_rose_outputs,
    fingerprint,
    read_cases,
    read_labels,
    read_results,
    read_rose_methods,
    read_rose_output,
)
from sqljury.case import Case, Json
from sqljury.databases import open_databases, schema_of
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.judges import Judge
from sqljury.runs import Run, RunOptions, UnderWay, open_run, run_in_batches, run_judges
from sqljury.uses.agree import Agreement, agree
from sqljury.uses.evaluate import Summary, summarise
from sqljury.verdict import Record, Scored

if TYPE_CHECKING:
    from sqljury.llm import ClientSettings, Collected, Estimate
    from sqljury.queries.differences import Difference
    from sqljury.queries.trees.nodes import Relation

if TYPE_CHECKING:
    from sqljury.judges.pair import PairAnswer, Server
    from sqljury.schema import Schema
    from sqljury.tables import Policy
    from sqljury.uses.diagnose import DiagnosisReport
    from sqljury.uses.methods import Methods
    from sqljury.uses.rose_vec import RoseVec
    from sqljury.uses.stability import Stability
    from sqljury.uses.suite import SuiteReport

PathLike = str | os.PathLike[str]


class Evaluation:
    """What an evaluation found: a summary, and the records behind it.

    A run that was given no folder lives in a temporary one, until it is closed.
    """

    def __init__(self, run: Run, temporary: tempfile.TemporaryDirectory[str] | None = None) -> None:
        self.run = run
        self._temporary = temporary
        signatures = {judge.name: judge.signature for judge in run.judges}
        self.summary: Summary = summarise(
            run.records(whole=False, with_evidence=False), signatures, str(run.folder)
        )

    def records(self, *, case_id: str = "") -> Iterator[Record]:
        """One record per case and judge, with evidence, in the order of the input."""
        return self.run.records(case_id=case_id)

    def scores(self) -> dict[str, float | None]:
        """The score of each judge, in [0, 1]."""
        return {judge.name: judge.score for judge in self.summary.judges}

    def close(self) -> None:
        """Close the run; a temporary one is removed."""
        self.run.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def evaluate(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    judges: Sequence[str | Judge] = ("execution",),
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    descriptions: PathLike | None = None,
    schemas: PathLike | None = None,
    suites: PathLike | None = None,
    run: PathLike | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    llm: ClientSettings | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Evaluation:
    """Judge cases and aggregate the verdicts.

    Args:
        cases: cases, or files that hold them (see :func:`sqljury.read_cases`).
        judges: names such as ``execution:spider``, or judges.
        databases: a folder in Spider or BIRD layout, a file, or a URL with ``{db_id}``; not
            needed by judges that look at texts alone.
        descriptions: a folder with column descriptions.
        schemas: a file of schemas (CREATE TABLE statements, or Spider's tables.json), for judges
            that compare queries without running them.
        suites: a folder of test suites (DB_ID/*.sqlite or DB_ID.tar.xz), for ``test_suite``.
        run: the folder that the verdicts are kept in; the same folder again resumes.
        limits: what one query may use.
        workers: processes; by default one per core.
        llm: how chat models are asked; by default with a ledger in the run's folder.
        on_progress: called with verdicts found and verdicts in all.

    Raises:
        InputError: input that cannot be used at all.
        InfrastructureError: a server or a worker that cannot be had.

    >>> case = Case(id="1", predicted_sql="SELECT 1", reference_sqls=("SELECT 1.0",), db_id="m")
    >>> import sqlite3, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> sqlite3.connect(folder / "m.sqlite").execute("CREATE TABLE t (a)").connection.close()
    >>> with evaluate([case], ["execution"], folder, workers=1) as found:
    ...     found.scores()
    {'execution:strict': 1.0}
    """
    temporary = tempfile.TemporaryDirectory(prefix="sqljury-") if run is None else None
    folder = Path(run) if run is not None else Path(temporary.name if temporary else "")
    options = _options(databases, descriptions, schemas, suites, limits, workers, llm)
    done = run_judges(_cases(cases), judges, options, folder=folder, on_progress=on_progress)
    return Evaluation(done, temporary)


def evaluate_in_batches(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    judges: Sequence[str | Judge],
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    run: PathLike,
    descriptions: PathLike | None = None,
    schemas: PathLike | None = None,
    suites: PathLike | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    llm: ClientSettings | None = None,
    wait: bool = False,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    on_look: Callable[[Collected], None] = lambda _: None,
) -> Evaluation | UnderWay:
    """As :func:`evaluate`, with models asked in batches: the same call again goes on.

    Args:
        run: the folder that the verdicts are kept in.
        wait: go on until everything is judged; otherwise what is not answered yet is
            :class:`UnderWay`.
        on_look: called with each look at batches that are waited for.

    Raises:
        InputError: as :func:`evaluate`, and where a model's provider takes no batches.
        InfrastructureError: as :func:`evaluate`, and where a batch fails as a whole.
    """
    done = run_in_batches(
        _cases(cases),
        judges,
        _options(databases, descriptions, schemas, suites, limits, workers, llm),
        folder=Path(run),
        wait=wait,
        on_progress=on_progress,
        on_look=on_look,
    )
    return done if isinstance(done, UnderWay) else Evaluation(done)


def dry_run(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    judges: Sequence[str | Judge],
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    llm: ClientSettings,
    descriptions: PathLike | None = None,
    schemas: PathLike | None = None,
    suites: PathLike | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    batch: bool = False,
) -> Estimate:
    """What the judges would ask that the ledger does not hold, if every answer were a yes.

    Queries are executed, as which questions are asked depends on rows; no model is called.

    Args:
        batch: what it would cost in batches, without what is under way in one already.

    Raises:
        InputError, InfrastructureError: as :func:`evaluate`.
    """
    from sqljury.llm import Estimate

    options = _options(databases, descriptions, schemas, suites, limits, workers, llm)
    options = replace(options, dry_run=True, batch=batch)
    with (
        tempfile.TemporaryDirectory(prefix="sqljury-") as folder,
        run_judges(_cases(cases), judges, options, folder=folder) as run,
    ):
        found: Counter[str] = Counter()
        for record in run.records(whole=False, with_evidence=False):
            found.update(record.verdict.measures)
    return Estimate(
        calls=int(found["calls"]),
        prompt_tokens=int(found["prompt_tokens"]),
        completion_tokens=int(found["completion_tokens"]),
        money=None if found["unpriced"] else float(found["money"]),
    )


def _options(
    databases: PathLike | Sequence[PathLike] | None,
    descriptions: PathLike | None,
    schemas: PathLike | None,
    suites: PathLike | None,
    limits: Limits | None,
    workers: int | None,
    llm: ClientSettings | None,
) -> RunOptions:
    return RunOptions(
        databases=_spec(databases),
        descriptions=None if descriptions is None else str(descriptions),
        schemas=None if schemas is None else str(schemas),
        suites=None if suites is None else str(suites),
        limits=limits or Limits(),
        workers=workers or os.cpu_count() or 1,
        llm=llm,
        version=sqljury.__version__,
    )


def _spec(databases: PathLike | Sequence[PathLike] | None) -> str | None:
    if databases is None:
        return None
    if isinstance(databases, (str, os.PathLike)):
        return str(databases)
    return ",".join(str(part) for part in databases)


def _cases(cases: Iterable[Case] | PathLike | Sequence[PathLike]) -> Iterable[Case]:
    if isinstance(cases, (str, os.PathLike)):
        return read_cases([cases])
    if isinstance(cases, Sequence) and cases and not isinstance(cases[0], Case):
        return read_cases(cast("Sequence[PathLike]", cases))
    return cast("Iterable[Case]", cases)


def load_run(folder: PathLike) -> Evaluation:
    """The evaluation that a run's folder holds.

    Raises:
        InputError: the folder is not a run.
    """
    return Evaluation(open_run(Path(folder)))


def default_run(files: Sequence[PathLike], options: Mapping[str, Json]) -> Path:
    """Where a run goes when no folder is named: the same command finds the same folder."""
    text = json.dumps([fingerprint(files), dict(options)], sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(files[0]).name.split(".")[0]) or "run"
    return Path("sqljury-runs") / f"{stem}-{digest}"


# ---------------------------------------------------------------- test suites


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

    Args:
        databases: the original databases, as for :func:`evaluate`; SQLite only.
        out: the folder of the suites (``DB_ID/*.sqlite``); what it holds already is not built
            again.
        databases_per_query: generated databases tried for each reference.
        workers: processes, one database each; more than one need an importable main module.
        on_report: called with each report as it comes, and how many there will be.

    Raises:
        InputError: no references, no databases, or ``out`` holds something else.
    """
    from sqljury.uses.suite import SuiteOptions, build_suites

    options = SuiteOptions(
        databases=_spec(databases) or "",
        databases_per_query=databases_per_query,
        seed=seed,
        version=sqljury.__version__,
    )
    return build_suites(_cases(cases), options, Path(out), workers=workers, on_report=on_report)


# ---------------------------------------------------------------- agree


@dataclass(frozen=True, slots=True)
class AgreeInput:
    """One argument of ``agree``: a name and the files (or the run) pooled under it."""

    name: str
    paths: tuple[Path, ...]

    @classmethod
    def parse(cls, text: str) -> AgreeInput:
        """From ``[NAME=]FILE[,FILE…]``."""
        name, equals, rest = text.partition("=")
        # A path may hold "=": only what looks like a name is one.
        if not equals or "/" in name or Path(text).exists():
            name, rest = "", text
        paths = tuple(Path(part) for part in rest.split(",") if part)
        if not paths:
            raise InputError("SJ510", f"{text!r} names no file.", hint="Write NAME=FILE[,FILE].")
        return cls(name, paths)


def agree_files(
    inputs: Sequence[str],
    *,
    label: str = "label",
    labels: Sequence[PathLike] = (),
    unknown: str = "no",
    seed: int = 0,
) -> Agreement:
    """Agreement of judges with people, from runs or results files.

    Args:
        inputs: ``RUN`` or ``[NAME=]FILE[,FILE…]``; files joined by commas are pooled.
        label: the column that holds what people say.
        labels: files to take the labels from instead, joined by id; where the inputs pool
            several files, as many as they do, with paths that differ in the same parts.
        unknown: ``no`` counts cases without a score as no, ``exclude`` leaves them out.
        seed: of the bootstrap.

    Raises:
        InputError: files that cannot be used, judges of the same name.
    """
    parsed = [AgreeInput.parse(text) for text in inputs]
    single = all(len(given.paths) == 1 for given in parsed)
    people = _People(labels, label, single)
    judges: dict[str, list[Scored]] = {}
    for given in parsed:
        for name, rows in _scored(given, label, single).items():
            if name in judges:
                raise InputError(
                    "SJ511", f"two inputs are named {name!r}.", hint="Write NAME=FILE."
                )
            judges[name] = people.label(rows)
    return agree(judges, unknown="exclude" if unknown == "exclude" else "no", seed=seed)


class _People:
    """Labels from files of their own. Ids repeat from benchmark to benchmark, so that pooled
    results are joined by benchmark and id."""

    def __init__(self, files: Sequence[PathLike], column: str, single: bool) -> None:
        paths = [Path(file) for file in files]
        self._by_benchmark = {
            benchmark: read_labels(path, column)
            for benchmark, path in zip(
                benchmark_names(paths, single or len(paths) == 1), paths, strict=True
            )
        }

    def label(self, rows: list[Scored]) -> list[Scored]:
        """The rows with these labels; as they are where there are no label files."""
        if not self._by_benchmark:
            return rows
        return [replace(row, label=self._label_of(row)) for row in rows]

    def _label_of(self, row: Scored) -> bool | None:
        labels = self._labels_of(row)
        # Rows of a prediction source are id/source; the labels of a question have no source.
        return labels.get(row.id, labels.get(row.id.rpartition("/")[0]))

    def _labels_of(self, row: Scored) -> Mapping[str, bool]:
        if len(self._by_benchmark) == 1:
            return next(iter(self._by_benchmark.values()))
        found = self._by_benchmark.get(row.benchmark)
        if found is None:
            raise InputError(
                "SJ512",
                f"no label file for {row.benchmark!r}; there are "
                f"{', '.join(map(repr, self._by_benchmark))}.",
                hint="Give one --labels file per pooled file, with names that differ alike.",
            )
        return found


def _scored(given: AgreeInput, label: str, single: bool) -> dict[str, list[Scored]]:
    pooled: dict[str, list[Scored]] = {}
    for path, benchmark in zip(given.paths, benchmark_names(given.paths, single), strict=True):
        found = _of_run(path, label) if path.is_dir() else read_results(path, label=label)
        for judge, rows in found.items():
            name = _judge_name(given, judge, len(found), path)
            pooled.setdefault(name, []).extend(
                row if row.benchmark else replace(row, benchmark=benchmark) for row in rows
            )
    return pooled


def _judge_name(given: AgreeInput, judge: str, judges: int, path: Path) -> str:
    if not given.name:
        return judge or path.name.split(".")[0]
    return f"{given.name}/{judge}" if judges > 1 else given.name


def _of_run(folder: Path, label: str) -> dict[str, list[Scored]]:
    rows: dict[str, list[Scored]] = {}
    with open_run(folder) as run:
        thresholds = {judge.name: judge.threshold for judge in run.judges}
        for record in run.records(with_evidence=False):
            row = _scored_record(record, label, thresholds[record.judge])
            rows.setdefault(record.judge, []).append(row)
    return rows


def _scored_record(record: Record, label: str, threshold: float) -> Scored:
    case = record.case
    said = case.label if label == "label" else case.extra.get(label)
    slices = {
        "db_id": case.db_id,
        "difficulty": case.difficulty or "",
        "source": case.source,
        **_feature_slices(record.features),
    }
    return Scored(
        id="/".join(part for part in (case.id, case.source) if part),
        score=record.verdict.score,
        label=None if said is None else bool(said),
        outcome=record.verdict.outcome,
        threshold=threshold,
        benchmark=case.benchmark,
        slices={name: value for name, value in slices.items() if value},
        origin=case.origin,
    )


def _feature_slices(features: Sequence[str]) -> dict[str, str]:
    """``hardness:easy`` is a value of ``hardness``; a plain feature is there or is not."""
    if not features:
        return {}
    stated = dict(feature.split(":", 1) for feature in features if ":" in feature)
    plain = {name: "yes" if name in features else "no" for name in ("grouping", "set_operation")}
    return stated | plain


def benchmark_names(paths: Sequence[Path], single: bool) -> list[str]:
    """What tells pooled files apart: the parts of their paths that they do not share.

    So the files of one judge and those of the next get the same names, and can be paired.

    >>> benchmark_names([Path("a/bird/EX/eval.json"), Path("a/spider/EX/eval.json")], False)
    ['bird', 'spider']
    """
    if single:
        return [""] * len(paths)
    if len(paths) == 1:
        return [paths[0].name.split(".")[0]]
    tokens = [re.split(r"[/_.]", str(path)) for path in paths]
    start = _common_length(tokens)
    end = _common_length([list(reversed(parts[start:])) for parts in tokens])
    return ["_".join(parts[start : len(parts) - end]) or str(i) for i, parts in enumerate(tokens)]


def _common_length(lists: Sequence[Sequence[str]]) -> int:
    length = 0
    for parts in zip(*lists, strict=False):
        if len(set(parts)) > 1:
            break
        length += 1
    return length


# ---------------------------------------------------------------- ROSE's recordings


def rose_vec(
    folder: PathLike, *, labels: Sequence[PathLike] = (), bootstrap: int = 1000, seed: int = 0
) -> RoseVec:
    """The tables of ROSE's paper from a tree of its output folders.

    Args:
        labels: the files with the experts' labels, one for each set; by default the
            ``rose-vec-*.json`` in the folder or in one above it.
        bootstrap: resamples for the intervals; 0 for none.

    Raises:
        InputError: no recordings, no labels, or recordings of other cases.
    """
    from sqljury.uses.rose_vec import Recording
    from sqljury.uses.rose_vec import rose_vec as tables

    recordings = (
        # Set, model and metric, however far down the tree the folder begins.
        Recording(folders=run.folder.resolve().parts[-3:], judgements=read_rose_output(run.folder))
        for run in find_rose_outputs(folder)
    )
    files = [Path(file) for file in labels] or _label_files(Path(folder))
    sets = {path.name.split(".")[0]: list(read_cases(path)) for path in files}
    return tables(recordings, sets, bootstrap=bootstrap, seed=seed)


def _label_files(folder: Path) -> list[Path]:
    for place in (folder, *folder.resolve().parents[:3]):
        found = sorted(path for path in place.glob("rose-vec-*.json*") if path.is_file())
        if found:
            return found
    raise InputError(
        "SJ521",
        "no rose-vec-*.json with the experts' labels beside the recordings.",
        where=str(folder),
        hint="Name them with --labels FILE, once for each set.",
    )


def methods(folder: PathLike, *, seed: int = 0) -> Methods:
    """EX and ROSE of recorded methods, and the four findings about them.

    Raises:
        InputError: no recorded methods.
    """
    from sqljury.uses.methods import methods as compare

    return compare(read_rose_methods(folder), seed=seed)


def diagnose_run(folder: PathLike) -> DiagnosisReport:
    """What the verdicts of a run say of its benchmark.

    Raises:
        InputError: the folder is not a run, or nothing in it speaks of references.
    """
    from sqljury.uses.diagnose import diagnose

    with open_run(Path(folder)) as run:
        return diagnose(run.records())


def stability_of_run(folder: PathLike) -> list[Stability]:
    """How much the repeats of each judge agree (``rose,model=…,repeats=5``); none where nobody
    was asked twice.

    Raises:
        InputError: the folder is not a run.
    """
    from sqljury.uses.stability import stability_of_repeats

    with open_run(Path(folder)) as run:
        return stability_of_repeats(run.records())


# ---------------------------------------------------------------- two queries

COMPARED_PROFILES = "clean+nulls+duplicates+foreign_keys_violated"
"""All that a database of the schema can hold; most engines enforce foreign keys, SQLite asks."""


def compare_queries(
    left: str,
    right: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    policy: str | Policy = "strict",
    profiles: str = COMPARED_PROFILES,
    seed: int = 0,
    seconds: float = 5.0,
    second_opinion: bool = True,
    assuming: str | None = None,
    prove: bool | None = None,
    dialect: str | None = None,
    replay: str | None = None,
) -> PairAnswer:
    """Whether two queries give the same rows whatever the data, or a database where they do not.

    Args:
        left: the reference: its ORDER BY is the one that binds.
        schema: a schema, or a file of CREATE TABLE statements or in the form of Spider's
            ``tables.json``.
        database: a database to take the schema from: a file, or a URL; nothing in it is read.
        db_id: which schema or database, where there are several.
        policy: when two results are the same: a policy or its name.
        profiles: the data on which a difference counts, joined by ``+``.
        seed: of the generated databases.
        seconds: most time for them.
        second_opinion: run a counterexample in DuckDB, too, where it is installed.
        assuming: what a proof may assume at most, joined by ``+``: ``primary_key``,
            ``foreign_key``, ``types``, ``not_null``, ``no_ties``, ``not_empty``,
            ``no_overflow``; or ``all``, ``nothing``. None for what the schema declares, and no
            overflow.
        prove: look for a proof with z3: None where it is installed, False for none at all.
        dialect: of the queries, and of the types of a schema given as a file; by default the
            database's, else SQLite's.
        replay: URL of a PostgreSQL, MySQL or MariaDB server on which a counterexample is run,
            too. Its rows stand in the query that is sent: no table there is read or written. A
            server of the queries' own dialect decides: the same rows there, and the queries are
            not refuted.

    Raises:
        InputError: no schema, or no such policy, profile, assumption, dialect or database.
        InfrastructureError: the server cannot be reached.
        MissingExtraError: a proof is demanded, and z3 is not installed.

    >>> table = "CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)"
    >>> from sqljury.databases import schema_from_ddl
    >>> found = compare_queries("SELECT id FROM boat WHERE length > 3",
    ...     "SELECT id FROM boat WHERE length >= 3", schema=schema_from_ddl(table))
    >>> found.verdict, found.witness.right.rows
    ('refuted', [(1,)])
    """
    from sqljury.evidence import DatabaseEvidence, ExecutionCache
    from sqljury.judges.canonical import assumptions
    from sqljury.judges.equivalence import data_profiles
    from sqljury.judges.pair import compare_pair
    from sqljury.judges.proving import Proofs
    from sqljury.tables import make_policy

    try:
        counted = data_profiles(profiles)
        allowed = None if assuming is None else assumptions(assuming)
    except ValueError as error:
        raise InputError("SJ315", str(error)) from error
    rules = make_policy(policy) if isinstance(policy, str) else policy
    tables = schema_of(schema, database, db_id)
    if dialect is not None:
        tables = replace(tables, dialect=_known_dialect(dialect))
    proofs = Proofs(left, right, tables, rules, counted, allowed, demanded=prove is True)
    with _server(replay) if replay is not None else nullcontext() as server:
        return compare_pair(
            left,
            right,
            tables,
            DatabaseEvidence(Case(id="compare"), None, ExecutionCache(), Limits()),
            policy=rules,
            profiles=counted,
            seed=seed,
            seconds=seconds,
            identity=None if prove is False else proofs.identity,
            prove=None if prove is False else proofs.prove,
            second_opinion=second_opinion,
            server=server,
        )


@contextmanager
def _server(url: str) -> Iterator[Server]:
    """A server that counterexamples are run on.

    Raises:
        InputError: SJ328: it is none of those that can be asked, or has no such database.
    """
    from sqljury.judges.pair import Server

    scheme = url.partition("://")[0]
    if scheme not in ("postgresql", "postgres", "mysql", "mariadb"):
        raise InputError("SJ328", f"a counterexample cannot be run on {scheme!r}.")
    database = open_databases(url).open("")
    if database is None:
        raise InputError("SJ328", f"the {scheme} server has no such database.")
    engine = re.match(r"[a-z]*", database.engine)
    try:
        yield Server(
            engine[0] if engine is not None else database.engine,
            database.dialect,
            lambda sql: database.execute(sql, Limits()),
        )
    finally:
        database.close()


@dataclass(frozen=True, slots=True)
class QueryDifferences:
    """What a prediction does differently, after what does not matter is rewritten away."""

    equal: bool
    """Whether the trees are the same, output columns in any order."""
    assumptions: tuple[str, ...]
    """What the data must satisfy for them to be equal."""
    differences: tuple[Difference, ...]

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return {
            "equal": self.equal,
            "assumptions": list(self.assumptions),
            "differences": [each.to_json() for each in self.differences],
        }


def diff_queries(
    reference: str,
    prediction: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    as_written: bool = False,
) -> QueryDifferences:
    """What two queries do differently, from their operator trees; nothing is executed.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the form of Spider's
            ``tables.json``.
        database: a database to take the schema from: a file, or a URL; nothing in it is read.
        db_id: which schema or database, where there are several.
        as_written: compare the trees as written, without rewriting them first.

    Raises:
        InputError: SJ316: no schema; SJ318: a query that cannot be read.

    >>> from sqljury.databases import schema_from_ddl
    >>> boats = schema_from_ddl("CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)")
    >>> found = diff_queries("SELECT id FROM boat WHERE length > 3",
    ...     "SELECT id FROM boat WHERE 3 <= length", schema=boats)
    >>> found.differences[0].words
    'filter compares otherwise: boat.length >= 3, not boat.length > 3'
    """
    from sqljury.queries.canonical import canonical, trees_equal_under
    from sqljury.queries.differences import differences
    from sqljury.queries.trees.context import Context

    known = schema_of(schema, database, db_id)
    left, right = (
        _tree_of(sql, known, which)
        for which, sql in (("reference", reference), ("prediction", prediction))
    )
    proof = trees_equal_under(left, right, known, known.dialect, permuted=True)
    if not as_written:
        context = Context(known, known.dialect)
        left, right = (canonical(tree, context).relation for tree in (left, right))
    return QueryDifferences(
        proof is not None,
        tuple(sorted(each.value for each in proof or ())),
        differences(right, left),
    )


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What a query computes: its operator tree, as written or rewritten into canonical form."""

    tree: Relation
    assumptions: tuple[str, ...] = ()
    """What the data must satisfy for the rewritten tree to have the same rows."""
    rules: tuple[str, ...] = ()
    """The rules of whole operators that rewrote it, each once."""

    @property
    def text(self) -> str:
        """The tree as indented text."""
        from sqljury.queries.trees.text import tree_text

        return tree_text(self.tree)

    @property
    def svg(self) -> str:
        """The tree as a picture."""
        from sqljury.queries.trees.svg import tree_svg

        return tree_svg(self.tree)

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        from sqljury.queries.trees.as_json import tree_json

        return {
            "tree": tree_json(self.tree),
            "assumptions": list(self.assumptions),
            "rules": list(self.rules),
        }


def plan_query(
    sql: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    dialect: str | None = None,
    canonical: bool = False,
) -> QueryPlan:
    """The operator tree of a query; nothing is executed.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the form of Spider's
            ``tables.json``.
        database: a database to take the schema from: a file, or a URL; nothing in it is read.
        db_id: which schema or database, where there are several.
        dialect: the query's, by sqlglot's name; without it the schema's.
        canonical: rewrite away what does not change the rows.

    Raises:
        InputError: SJ316: no schema; SJ318: the query cannot be read; SJ319: no such dialect.

    >>> from sqljury.databases import schema_from_ddl
    >>> boats = schema_from_ddl("CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)")
    >>> print(plan_query("SELECT b.id FROM boat AS b WHERE b.length > 3", schema=boats).text)
    project id
      filter length > 3
        scan boat
    """
    from sqljury.queries.canonical import canonical as rewritten
    from sqljury.queries.trees.context import Context

    known = schema_of(schema, database, db_id)
    spoken = _known_dialect(dialect or known.dialect)
    tree = _tree_of(sql, known, "query", spoken)
    if not canonical:
        return QueryPlan(tree)
    found = rewritten(tree, Context(known, spoken))
    return QueryPlan(
        found.relation, tuple(sorted(found.assumptions)), tuple(dict.fromkeys(found.rules))
    )


def _known_dialect(name: str) -> str:
    from sqlglot.dialects.dialect import Dialect

    if Dialect.get(name) is None:
        raise InputError("SJ319", f"there is no dialect {name!r}.")
    return name


def _tree_of(sql: str, schema: Schema, which: str, dialect: str = "") -> Relation:
    from sqljury.queries.trees import build_tree
    from sqljury.queries.trees.nodes import Unreadable

    tree = build_tree(sql, schema, dialect or schema.dialect)
    if isinstance(tree, Unreadable):
        raise InputError("SJ318", f"the {which} cannot be read: {tree.reason}.")
    return tree
