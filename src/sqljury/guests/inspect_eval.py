"""inspect_ai: text-to-SQL as a task, cases as a data set, judges as a scorer.

`inspect eval sqljury/text_to_sql -T cases=dev.json -T databases=spider/database --model …`
"""

from __future__ import annotations

import asyncio
import atexit
from dataclasses import replace
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate, system_message

import sqljury as sj
from sqljury.databases import Places
from sqljury.extraction import statement_in
from sqljury.guests.assertion import message
from sqljury.judges import spec_of
from sqljury.judges.prompts.sections import create_table
from sqljury.uses.inputs import databases_spec

INSTRUCTIONS = "Write one SQL query that answers the question. Reply with the query alone."
"""The system message of the task; for another one write a task of your own."""


@task
def text_to_sql(cases: str, databases: str | None = None, judge: str = "execution:strict") -> Task:
    """Questions answered by one SQL query each, judged against their references.

    Args:
        cases: a file of questions with references, in any format that sqljury reads.
        databases: a folder, a file, or a URL with ``{db_id}``.
        judge: the judge's name.
    """
    return Task(
        dataset=sql_dataset(cases, databases),
        solver=[system_message(INSTRUCTIONS), generate()],
        scorer=sql_scorer(databases, judge),
    )


def sql_dataset(cases: str, databases: str | None = None) -> MemoryDataset:
    """A data set with a sample for each case.

    The input is the schema, the question and the hint; the target is the references. The scorer
    takes the case from the metadata.

    Args:
        cases: a file of cases.
        databases: the schemas are read from here; None: the input has no schema.
    """
    with Places(databases_spec(databases), None) as places:
        samples = [_sample(case, places) for case in sj.read_cases(cases)]
    return MemoryDataset(samples, name=cases.rpartition("/")[2].partition(".")[0])


def _sample(case: sj.Case, places: Places) -> Sample:
    schema = places.schema(case.db_id)
    parts = [
        "" if schema is None else "\n".join(create_table(schema, None)),
        f"Question: {case.question or ''}",
        f"Hint: {case.hint}" if case.hint else "",
    ]
    return Sample(
        id=case.name,
        input="\n\n".join(part.strip() for part in parts if part),
        target=list(case.reference_sqls),
        metadata={"case": replace(case, predicted_sql=sj.MISSING, extra={}).to_dict()},
    )


@scorer(metrics=[accuracy(), stderr()])
def sql_scorer(databases: str | None = None, judge: str = "execution:strict") -> Scorer:
    """Scores the query in a model's answer by a judge.

    A sample without a case in its metadata is judged by its target as the reference, with
    ``db_id`` and ``question`` from the metadata. Cases whose reference or database fails are left
    out of the metrics; the explanation has the judge's reason, the queries and rows that differ.
    """
    name = spec_of(sj.make_judge(judge))
    ready: list[sj.Evaluator] = []
    lock = asyncio.Lock()

    async def score(state: TaskState, target: Target) -> Score:
        case = _case(state, target)
        async with lock:  # a worker judges one case at a time
            if not ready:
                ready.append(sj.Evaluator(databases, [judge]))
                atexit.register(ready[0].close)
            found = await asyncio.to_thread(ready[0].judge, case)
        return _score(case, name, found[name], databases)

    return score


def _case(state: TaskState, target: Target) -> sj.Case:
    known: dict[str, Any] = dict(state.metadata.get("case") or {})
    if not known:
        named = ("db_id", "question", "hint")
        known = {key: state.metadata[key] for key in named if state.metadata.get(key)}
        known = {"id": str(state.sample_id), "reference_sqls": list(target), **known}
    return replace(sj.Case.from_dict(known), predicted_sql=statement_in(state.output.completion))


def _score(case: sj.Case, judge: str, verdict: sj.Verdict, databases: str | None) -> Score:
    answer = None if case.predicted_sql in (None, sj.MISSING) else str(case.predicted_sql)
    metadata = {
        "judge": judge,
        "outcome": str(verdict.outcome),
        "score": verdict.score,
        "labels": list(verdict.labels),
        "evidence": dict(verdict.evidence),
    }
    is_right = verdict.outcome is sj.Outcome.CORRECT
    said = verdict.reason if is_right else message(case, judge, verdict, databases)
    if verdict.outcome.left_out:
        return Score.unscored(
            reason=str(verdict.outcome), answer=answer, explanation=said, metadata=metadata
        )
    return Score(
        value=CORRECT if is_right else INCORRECT,
        answer=answer,
        explanation=said,
        metadata=metadata,
    )
