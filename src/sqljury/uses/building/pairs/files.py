"""Build pairs of queries with labels from references and databases."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sqljury.benchmarks import check_shared_ids, read_cases
from sqljury.case import Case
from sqljury.databases import open_databases, schema_reader
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.isolation import mapped
from sqljury.judges import Judge
from sqljury.judges.equivalence import Equivalence
from sqljury.judges.execution import ExecutionMatch
from sqljury.schema import Schema
from sqljury.uses.building.pairs import (
    GIVEN,
    Exclusion,
    LabelledPair,
    PairsCard,
    Proposed,
    QueryPair,
    by_equivalence,
    by_rows,
    chosen,
    decisions_of,
    exclusion_of,
    pairs_card,
    propose,
    splits,
    tables_of_schemas,
    tree_form,
    with_people,
    with_second,
)
from sqljury.uses.building.pairs.card import pairs_card_text
from sqljury.uses.building.pairs.values import column_values, one_table_queries
from sqljury.uses.evaluate.evaluation import evaluate
from sqljury.variants.base import ColumnValues
from sqljury.verdict import Outcome, Verdict
from sqljury.writing import PathLike, new_file, write_json_lines

_LIMITS = Limits(seconds=2.0, rows=20_000)
_ROWS = ExecutionMatch(policy="strict", column_order="any")
_EQUIVALENCE = Equivalence(policy="strict", column_order="any", seconds=1.0)

OnStep = Callable[[str, int, int], None]
"""Called with the name of a step, the parts of it that are done, and all its parts."""


def build_pairs_files(
    files: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    databases: PathLike,
    exclude: Sequence[PathLike] = (),
    most: int = 18_000,
    rounds: int = 1,
    one_table: int = 0,
    seed: int = 0,
    workers: int = 1,
    mapping: Mapping[str, str] | None = None,
    overlay: Sequence[PathLike] | None = None,
    second: str | None = None,
    reviewed: PathLike | None = None,
    on_step: OnStep = lambda _step, _done, _total: None,
) -> PairsCard:
    """Write labelled pairs of queries to a folder; return the card that describes them.

    Writes ``pairs.jsonl``, ``review.jsonl``, ``card.json`` and ``README.md``. Made pairs join a
    reference with an equivalent rewriting of it, or with a copy that has a realistic mistake. They
    are labelled by rows, proofs and generated databases. Given pairs are cases with a prediction;
    they are used as they are. Labels are kept in the subfolder ``labels``: the same call again
    resumes. Pairs without a label go to ``review.jsonl``: people fill in labels, and the next call
    gets the file as ``reviewed``.

    Args:
        files: files of references, or of pairs, as :func:`sqljury.read_cases` reads them.
        out: the folder to write.
        databases: the databases of the references.
        exclude: files of evaluation data: no made pair has a query whose canonical form equals that
            of one of their queries.
        most: most made pairs, half of them equivalent; given pairs are all kept.
        rounds: so many times as many pairs are proposed for each reference.
        one_table: for each database so many references more, made from its values; see
            :func:`~sqljury.uses.building.pairs.values.one_table_queries`.
        workers: the number of processes.
        overlay: files of corrections that replace references.
        second: a judge, usually a model such as ``llm_sql_solver,model=…``, that gives given pairs
            a second opinion. A pair whose label it contradicts goes to ``review.jsonl``.
        reviewed: a copy of ``review.jsonl`` with labels filled in.

    Raises:
        InputError: SJ580: no reference, or no pair with a label; SJ581: a line of ``reviewed`` is
            no pair; other codes: a file cannot be used.
    """
    sources = [files] if isinstance(files, str | os.PathLike) else list(files)
    cases = [
        case
        for case in read_cases(sources, mapping=mapping, overlay=overlay)
        if case.reference_sqls
    ]
    if not cases:
        raise InputError("SJ580", "no case has a reference.")
    schema_of = schema_reader(databases)
    schemas = [schema_of(db_id) for db_id in dict.fromkeys(case.db_id for case in cases)]
    known = tables_of_schemas(schema for schema in schemas if schema is not None)
    asked = (case for path in exclude for case in read_cases(path))
    excluded = exclusion_of(asked, schema_of, known)
    plan = _Plan(os.fspath(databases), seed, rounds, one_table)
    proposed = list(_proposed(cases, schema_of, excluded, plan, workers, on_step))
    pairs = [pair for one in proposed for pair in one.pairs]
    pairs += [QueryPair.of(case) for case in cases if _is_pair(case)]
    folder = Path(out)
    labelled = _labelled(pairs, databases, folder / "labels", workers, on_step)
    if second is not None:
        opinions = _second(pairs, second, databases, folder / "labels", workers, on_step)
        labelled = with_second(labelled, opinions)
    if reviewed is not None:
        decided = decisions_of(read_cases(reviewed))
        check_shared_ids(decided, [one.pair.id for one in labelled], reviewed)
        labelled = with_people(labelled, decided)

    @cache
    def form(db_id: str, sql: str) -> str:
        return tree_form(sql, schema_of(db_id))

    kept = chosen(labelled, form, most=most, seed=seed)
    if not kept:
        raise InputError(
            "SJ580", f"of {len(pairs)} pairs none is kept: no labels, or all the same."
        )
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
    lines = (one.to_json(split_of[one.pair.db_id]) for one in kept)
    write_json_lines(folder / "pairs.jsonl", lines)
    write_json_lines(folder / "review.jsonl", (one.to_json("") for one in left))
    with new_file(folder / "card.json") as file:
        file.write(json.dumps(card.to_json(), indent=2) + "\n")
    with new_file(folder / "README.md") as file:
        file.write(pairs_card_text(card))
    return card


def _is_pair(case: Case) -> bool:
    return isinstance(case.predicted_sql, str)


# ---------------------------------------------------------------- proposals


class _Plan(NamedTuple):
    databases: str
    seed: int
    rounds: int
    one_table: int


class _PairJob(NamedTuple):
    db_id: str
    references: list[str]
    schema: Schema
    exclusion: Exclusion
    plan: _Plan


def _propose(job: _PairJob) -> Proposed:
    db_id, references, schema, exclusion, plan = job
    database = open_databases(plan.databases).open(db_id)
    values: ColumnValues = {}
    if database is not None:
        with closing(database):
            values = column_values(database)
    seed = f"{plan.seed}/{db_id}"
    made = one_table_queries(schema, values, most=plan.one_table, seed=seed)
    return propose(
        db_id,
        [*references, *made],
        schema,
        exclusion,
        seed=plan.seed,
        rounds=plan.rounds,
        values=values,
    )


def _proposed(
    cases: Sequence[Case],
    schema_of: Callable[[str], Schema | None],
    exclusion: Exclusion,
    plan: _Plan,
    workers: int,
    on_step: OnStep,
) -> Iterator[Proposed]:
    """The made pairs: from references without a prediction, one result for each database."""
    references: dict[str, list[str]] = {}
    for case in cases:
        if not _is_pair(case):
            references.setdefault(case.db_id, []).extend(case.reference_sqls)
    jobs = [
        _PairJob(db_id, found, schema, exclusion, plan)
        for db_id, found in sorted(references.items())
        if (schema := schema_of(db_id)) is not None
    ]
    for done, found in enumerate(mapped(_propose, jobs, workers)):
        on_step("making pairs", done + 1, len(jobs))
        yield found


# ---------------------------------------------------------------- labels


def _labelled(
    pairs: Sequence[QueryPair], databases: PathLike, folder: Path, workers: int, on_step: OnStep
) -> list[LabelledPair]:
    """The label of each pair: by rows, then by proofs and generated databases."""
    found: dict[str, LabelledPair] = {}
    same_rows: dict[str, bool] = {}
    still_open: list[QueryPair] = []
    once = list({pair.id: pair for pair in pairs}.values())
    for pair, verdict in _verdicts(once, _ROWS, databases, folder / "rows", workers, on_step):
        label = by_rows(pair, verdict)
        same_rows[pair.id] = verdict.outcome is Outcome.CORRECT
        if label is None:
            still_open.append(pair)
        else:
            found[pair.id] = label
    where = folder / "equivalence"
    for pair, verdict in _verdicts(still_open, _EQUIVALENCE, databases, where, workers, on_step):
        found[pair.id] = by_equivalence(pair, verdict, same_rows=same_rows[pair.id])
    return [found[pair.id] for pair in once]


def _second(
    pairs: Sequence[QueryPair],
    judge: str,
    databases: PathLike,
    folder: Path,
    workers: int,
    on_step: OnStep,
) -> dict[str, Verdict]:
    """The verdicts of another judge on the given pairs, by the pair's id."""
    given = [pair for pair in pairs if pair.origin == GIVEN]
    asked = _verdicts(given, judge, databases, folder / "second", workers, on_step)
    return {pair.id: verdict for pair, verdict in asked}


def _verdicts(
    pairs: Sequence[QueryPair],
    judge: Judge | str,
    databases: PathLike,
    folder: Path,
    workers: int,
    on_step: OnStep,
) -> Iterator[tuple[QueryPair, Verdict]]:
    """Each pair with a judge's verdict; verdicts in the run's folder are read, not judged again."""
    if not pairs:
        return

    def progress(done: int, total: int) -> None:
        on_step(f"labelling by {folder.name}", done, total)

    with evaluate(
        [pair.case() for pair in pairs],
        [judge],
        databases,
        run=folder,
        limits=_LIMITS,
        workers=workers,
        on_progress=progress,
    ) as run:
        for record in run.records():
            yield QueryPair.of(record.case), record.verdict
