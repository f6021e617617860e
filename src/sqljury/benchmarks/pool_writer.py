"""Pools of candidates as lines of JSON, which the format ``pools`` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqljury.case import Case, Json


def pool_record(case: Case, candidates: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """A question with its candidates, as one object; what is not known has no key.

    Reading it gives back all that is known of the question, what else its file said included.

    >>> pool_record(Case(id="7", question="How many?", db_id="d"), [{"sql": "SELECT 1"}])
    {'question_id': '7', 'db_id': 'd', 'question': 'How many?', 'candidates': [{'sql': 'SELECT 1'}]}
    """
    references = list(case.reference_sqls)
    known: dict[str, Json] = {
        "question_id": case.id,
        "benchmark": case.benchmark or None,
        "db_id": case.db_id or None,
        "schema_sql": case.schema_sql,
        "question": case.question,
        "evidence": case.hint,
        "criteria": case.criteria,
        "difficulty": case.difficulty,
        "answerable": case.answerable,
        "gold_sql": references[0] if len(references) == 1 else references or None,
    }
    kept = {key: value for key, value in known.items() if value is not None}
    own = {key: value for key, value in case.extra.items() if key not in known}
    return {**own, **kept, "candidates": [dict(candidate) for candidate in candidates]}
