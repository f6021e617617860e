"""Build pairs of queries with labels from references and databases."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sqljury.api import PathLike, evaluate
from sqljury.benchmarks import read_cases
from sqljury.case import Case, Json
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.judges.equivalence import Equivalence
from sqljury.judges.execution import Execution
from sqljury.reports.build_pairs_card import pairs_card_text
from sqljury.reports.writing import json_line_safe, new_file
from sqljury.schema import Schema
from sqljury.uses.building.pairs import (
    Exclusion,
    Labelled,
    Pair,
    PairsCard,
    Proposed,
    by_equivalence,
    by_rows,
    chosen,
    exclusion_of,
    pairs_card,
    planned,
    propose,
    splits,
    tables_of_schemas,
    tree_form,
)
from sqljury.verdict import Outcome, Record

_LIMITS = Limits(seconds=2.0, rows=20_000)
_ROWS = Execution(policy="strict", column_order="any")
_EQUIVALENCE = Equivalence(policy="strict", column_order="any", seconds=1.0)

OnStep = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def build_pairs_files(
    files: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    databases: PathLike,
    exclude: Sequence[PathLike] = (),
    most: int = 18_000,
    seed: int = 0,
    workers: int = 1,
    mapping: Mapping[str, str] | None = None,
    on_step: OnStep = lambda _step, _done, _total: None,
) -> PairsCard:
    """Write labelled pairs of queries: ``pairs.jsonl``, ``undecided.jsonl``, ``card.json`` and
    ``README.md``.

    References are rewritten and changed by realistic mistakes; what becomes of them is labelled
    by rows, proofs and generated databases. Cases that have a prediction are pairs as they are.
    Labels are kept in ``labels``: the same call again goes on.

    Args:
        files: references, or pairs, as :func:`sqljury.read_cases` reads them.
        out: the folder.
        databases: the databases of the references.
        exclude: files whose queries are evaluated on: none of them, by canonical form, is in a
            pair that is made.
        most: pairs at most, half of them equivalent; given pairs are all kept.
        workers: processes; more than one need an importable main module.

    Raises:
        InputError: SJ580: no reference, or no pair that is labelled; and whatever is wrong with
            the files.
    """
    sources = [files] if isinstance(files, str | os.PathLike) else list(files)
    cases = [case for case in read_cases(sources, mapping=mapping) if case.reference_sqls]
    if not cases:
        raise InputError("SJ580", "no case has a reference.")
    schema_of = _schemas(str(databases))
    schemas = [schema_of(db_id) for db_id in dict.fromkeys(case.db_id for case in cases)]
    known = tables_of_schemas(schema for schema in schemas if schema is not None)
    asked = (case for path in exclude for case in read_cases(path))
    excluded = exclusion_of(asked, schema_of, known)
    proposed = list(_proposed(cases, schema_of, excluded, seed, workers, on_step))
    pairs = [pair for one in proposed for pair in one.pairs]
    pairs += [Pair.of(case) for case in cases if _is_pair(case)]
    folder = Path(out)
    labelled = _labelled(pairs, databases, folder / "labels", workers, on_step)

    @cache
    def form(db_id: str, sql: str) -> str:
        return tree_form(sql, schema_of(db_id))

    kept = chosen(labelled, form, most=most, seed=seed)
    if not kept:
        raise InputError("SJ580", f"of {len(pairs)} pairs none can be used.")
    kept = [_planned(one, schema_of(one.pair.db_id), seed) for one in kept]
    split_of = splits(kept, seed=seed)
    card = pairs_card(
        proposed,
        labelled,
        kept,
        split_of,
        name=folder.resolve().name,
        seed=seed,
        sources=[Path(path).name for path in sources],
        excluded_sources=[Path(path).name for path in exclude],
    )
    left = [one for one in labelled if one.label is None]
    _write_lines(folder / "pairs.jsonl", (one.to_json(split_of[one.pair.db_id]) for one in kept))
    _write_lines(folder / "undecided.jsonl", (one.to_json("") for one in left))
    with new_file(folder / "card.json") as file:
        file.write(json.dumps(card.to_json(), indent=2) + "\n")
    with new_file(folder / "README.md") as file:
        file.write(pairs_card_text(card))
    return card


def _is_pair(case: Case) -> bool:
    return isinstance(case.predicted_sql, str)


def _schemas(spec: str) -> Callable[[str], Schema | None]:
    """The schemas of databases by name, each read once."""
    databases = open_databases(spec)

    @cache
    def schema_of(db_id: str) -> Schema | None:
        database = databases.open(db_id)
        if database is None:
            return None
        with closing(database):
            return database.schema()

    return schema_of


def _planned(one: Labelled, schema: Schema | None, seed: int) -> Labelled:
    return one if schema is None else replace(one, pair=planned(one.pair, schema, seed))


def _write_lines(path: Path, lines: Iterable[Mapping[str, Json]]) -> None:
    with new_file(path) as file:
        for line in lines:
            file.write(json_line_safe(json.dumps(line, ensure_ascii=False)) + "\n")


# ---------------------------------------------------------------- proposals


class _Job(NamedTuple):
    db_id: str
    references: list[str]
    schema: Schema
    exclusion: Exclusion
    seed: int


def _propose(job: _Job) -> Proposed:
    return propose(job.db_id, job.references, job.schema, job.exclusion, seed=job.seed)


def _proposed(
    cases: Sequence[Case],
    schema_of: Callable[[str], Schema | None],
    exclusion: Exclusion,
    seed: int,
    workers: int,
    on_step: OnStep,
) -> Iterator[Proposed]:
    """The pairs that are made of references that have no prediction, database by database."""
    references: dict[str, list[str]] = {}
    for case in cases:
        if not _is_pair(case):
            references.setdefault(case.db_id, []).extend(case.reference_sqls)
    jobs = [
        _Job(db_id, found, schema, exclusion, seed)
        for db_id, found in sorted(references.items())
        if (schema := schema_of(db_id)) is not None
    ]
    for done, found in enumerate(_mapped(jobs, workers)):
        on_step("making pairs", done + 1, len(jobs))
        yield found


def _mapped(jobs: Sequence[_Job], workers: int) -> Iterator[Proposed]:
    if workers == 1 or len(jobs) < 2:
        yield from map(_propose, jobs)
        return
    # Not forked: the caller may have threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=context) as pool:
        yield from pool.map(_propose, jobs)


# ---------------------------------------------------------------- labels


def _labelled(
    pairs: Sequence[Pair], databases: PathLike, folder: Path, workers: int, on_step: OnStep
) -> list[Labelled]:
    """Labels by rows first, then by proofs and generated databases where these leave it open."""
    found: dict[str, Labelled] = {}
    same_rows: dict[str, bool] = {}
    still_open: list[Pair] = []

    def judged(judge: Execution | Equivalence, of: Sequence[Pair], step: str) -> Iterator[Record]:
        with evaluate(
            [pair.case() for pair in of],
            [judge],
            databases,
            run=folder / step,
            limits=_LIMITS,
            workers=workers,
            on_progress=lambda done, total: on_step(f"labelling by {step}", done, total),
        ) as run:
            yield from run.records()

    once = list({pair.id: pair for pair in pairs}.values())
    for record in judged(_ROWS, once, "rows"):
        pair = Pair.of(record.case)
        label = by_rows(pair, record.verdict)
        same_rows[pair.id] = record.verdict.outcome is Outcome.CORRECT
        if label is None:
            still_open.append(pair)
        else:
            found[pair.id] = label
    if still_open:
        for record in judged(_EQUIVALENCE, still_open, "equivalence"):
            pair = Pair.of(record.case)
            found[pair.id] = by_equivalence(pair, record.verdict, same_rows=same_rows[pair.id])
    return [found[pair.id] for pair in once if pair.id in found]
