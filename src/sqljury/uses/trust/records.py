"""Decisions, gates, confidences and training examples of detectors, from a run's records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from sqljury.benchmarks.results import reply_of
from sqljury.case import Case
from sqljury.decision import Decision
from sqljury.sql import normalise_text
from sqljury.sql.tokens import tokenize
from sqljury.uses.evaluate.summary import counted_score
from sqljury.uses.trust.decisions import Gate
from sqljury.verdict import Record

if TYPE_CHECKING:
    from sqlglot.tokens import TokenType


def text_structure(sql: str, dialect: str = "sqlite") -> str:
    """The normalised SQL with ``?`` for every literal; without ``?`` if it cannot be tokenised.

    In SQLite a text in double quotes may be a name or a value. It counts as a value directly after
    a comparison operator.

    >>> text_structure("SELECT a FROM t WHERE b = 'x' LIMIT 3")
    'select a from t where b = ? limit ?'
    """
    normal = normalise_text(sql, dialect)
    tokens = tokenize(normal, dialect)
    if tokens is None:
        return normal
    literals, quoted, comparisons = _types()
    words: list[str] = []
    before: TokenType | None = None
    for token in tokens:
        kind = token.token_type
        is_value = kind in literals or (kind is quoted and before in comparisons)
        words.append("?" if is_value else normal[token.start : token.end + 1])
        before = kind
    return " ".join(words)


@cache
def _types() -> tuple[frozenset[TokenType], TokenType, frozenset[TokenType]]:
    from sqlglot.tokens import TokenType as T

    literals = (T.STRING, T.NUMBER, T.NATIONAL_STRING, T.HEX_STRING, T.BIT_STRING, T.BYTE_STRING)
    comparisons = (T.EQ, T.NEQ, T.LT, T.LTE, T.GT, T.GTE, T.LIKE, T.ILIKE, T.GLOB, T.BETWEEN)
    return frozenset(literals), T.IDENTIFIER, frozenset(comparisons)


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
    """A decision per case, which one judge's verdicts call right or wrong.

    A case counts as answerable unless its file says otherwise. Answers to unanswerable questions
    are not judged.

    Args:
        judge: the judge whose verdicts count.
        threshold: an answer with at least this score is right.
        training: SQL on which the system was trained; with it, decisions get the slice
            ``structure``: ``seen`` if the reference has the structure of one of these, else
            ``unseen``.
        structure: returns a query's structure.

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
    score = counted_score(verdict.outcome, verdict.score)
    return Decision(
        id=case.id,
        answerable=answerable,
        reply=reply_of(case.predicted_sql),
        correct=score is not None and score >= threshold if answerable else None,
        outcome=verdict.outcome if answerable else None,
        benchmark=case.benchmark,
        source=case.source,
        slices=slices,
        origin=case.origin,
        question=case.question or "",
        sql=case.predicted_sql if isinstance(case.predicted_sql, str) else "",
    )


def _slices(case: Case) -> dict[str, str]:
    named = {
        "type": _first(case, _TYPES),
        "structure": _first(case, _STRUCTURES),
        "db_id": case.db_id,
        "difficulty": case.difficulty or "",
    }
    return {name: value for name, value in named.items() if value}


def _first(case: Case, keys: Iterable[str]) -> str:
    """The value of the first of these keys that the case's file has; empty if it has none."""
    return next((str(case.extra[key]) for key in keys if case.extra.get(key)), "")


def gate_of(records: Iterable[Record], judge: str, source: str, threshold: float = 0.5) -> Gate:
    """A gate for one system's answers, made of a judge's scores in the run.

    A query that does not run scores 0 by every judge that needs its rows. Without a database or a
    model there is no score, and the answer passes.
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
    """A confidence per case of one system: a judge's score, or its measure ``measure``."""
    return {
        (record.case.benchmark, record.case.id): (
            record.verdict.measures.get(measure) if measure else record.verdict.score
        )
        for record in records
        if record.judge == judge and record.case.source == source
    }


# ------------------------------------------------------------
# Training examples of detectors: texts, and whether answering was right.


class DetectorExample(NamedTuple):
    """One training example of a detector."""

    question: str
    sql: str
    """Empty if the detector reads the question only."""
    is_right: bool


def answerable_examples(cases: Iterable[Case]) -> Iterator[DetectorExample]:
    """Training examples of an answerability detector: questions, right if answerable.

    A question is answerable if its file says so, or if the file says nothing and there is a
    reference. Questions of which neither is known are left out.

    Source: TrustSQL (Lee et al. 2024), section 4.2, RF.
    """
    for case in cases:
        known = case.answerable
        if known is None and case.reference_sqls:
            known = True
        if case.question and known is not None:
            yield DetectorExample(case.question, "", known)


def right_examples(
    records: Iterable[Record], judge: str, threshold: float = 0.5
) -> Iterator[DetectorExample]:
    """Training examples of an error detector: questions with their SQL, and whether it is right.

    An answer to an unanswerable question is wrong; cases left out of scores give no example.

    Source: TrustSQL (Lee et al. 2024), section 4.2, RF*.
    """
    kept = [record for record in records if record.judge == judge]
    for record, decision in zip(kept, decisions_of(kept, judge, threshold), strict=True):
        case = record.case
        known = (decision.is_right or decision.is_wrong) and not decision.left_out
        if known and case.question and isinstance(case.predicted_sql, str):
            yield DetectorExample(case.question, case.predicted_sql, decision.is_right)
