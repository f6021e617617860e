"""Decisions and gates out of a run: one judge says what is right, others hold back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqljury.benchmarks.results import reply_of
from sqljury.case import Case
from sqljury.decision import Decision
from sqljury.uses.evaluate import counted_score
from sqljury.uses.trust.gates import Gate
from sqljury.uses.trust.structures import text_structure
from sqljury.verdict import Record, Verdict

_TYPES = ("type", "unanswerable_type")
_STRUCTURES = ("structure", "sql_structure")


def decisions_of(
    records: Iterable[Record],
    judge: str,
    threshold: float = 0.5,
    *,
    training: Iterable[str] = (),
    structure: Callable[[str], str] = text_structure,
) -> list[Decision]:
    """What became of each case by one judge's verdicts.

    A case that is not said to be unanswerable can be answered. Whether the answer to an
    unanswerable question is right is not asked.

    Args:
        judge: whose verdicts say what is right.
        threshold: the score from which on they do.
        training: SQL that the system was trained on; with it cases are cut into seen and unseen
            structures of the reference.
        structure: the structure of a query.

    Source: seen and unseen SQL: TrustSQL (Lee et al. 2024), section 3.4.
    """
    seen = frozenset(map(structure, training))
    out = []
    for record in records:
        if record.judge == judge:
            slices = _slices(record.case)
            if seen and record.case.reference_sqls:
                known = structure(record.case.reference_sqls[0]) in seen
                slices["structure"] = "seen" if known else "unseen"
            out.append(_decision(record, threshold, slices))
    return out


def _decision(record: Record, threshold: float, slices: Mapping[str, str]) -> Decision:
    case, verdict = record.case, record.verdict
    answerable = case.answerable is not False
    return Decision(
        id=case.id,
        answerable=answerable,
        reply=reply_of(case.predicted_sql),
        correct=_correct(verdict, threshold) if answerable else None,
        outcome=verdict.outcome if answerable else None,
        benchmark=case.benchmark,
        source=case.source,
        slices=slices,
        origin=case.origin,
        question=case.question or "",
        sql=case.predicted_sql if isinstance(case.predicted_sql, str) else "",
    )


def _correct(verdict: Verdict, threshold: float) -> bool:
    score = counted_score(verdict.outcome, verdict.score)
    return score is not None and score >= threshold


def _slices(case: Case) -> dict[str, str]:
    named = {
        "type": _first(case, _TYPES),
        "structure": _first(case, _STRUCTURES),
        "db_id": case.db_id,
        "difficulty": case.difficulty or "",
    }
    return {name: value for name, value in named.items() if value}


def _first(case: Case, keys: Iterable[str]) -> str:
    """What the case's file says under the first of these keys that it has."""
    return next((str(case.extra[key]) for key in keys if case.extra.get(key)), "")


def gate_of(records: Iterable[Record], judge: str, source: str, threshold: float = 0.5) -> Gate:
    """A judge of the run as a gate for one system's answers.

    A query that does not run is held back by every judge that needs its rows; where there is no
    database or no model the gate says nothing.
    """
    return Gate(
        name=judge,
        threshold=threshold,
        scores={
            (record.case.benchmark, record.case.id): record.verdict.score
            for record in records
            if record.judge == judge and record.case.source == source
        },
    )


def confidences_of(
    records: Iterable[Record], judge: str, source: str, measure: str = ""
) -> dict[tuple[str, str], float | None]:
    """A confidence for each case: a judge's score, or one of its measures."""
    return {
        (record.case.benchmark, record.case.id): (
            record.verdict.measures.get(measure) if measure else record.verdict.score
        )
        for record in records
        if record.judge == judge and record.case.source == source
    }
