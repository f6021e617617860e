"""From verdicts on candidates to labelled candidates: duplicates out, both classes balanced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from random import Random
from typing import NotRequired, TypedDict

from sqljury.case import Case, Json
from sqljury.learning.outcome_reward.examples import balanced_places
from sqljury.uses.labelling.statistics import LabelCounts, LabelStatistics
from sqljury.verdict import Outcome

_OF_A_CANDIDATE = ("sample", "logprob", "tokens", "problem", "count", "correct")
"""What ``generate`` and :func:`label_questions` say of a candidate, not of its question."""
_LABELS = {Outcome.CORRECT: "correct", Outcome.INCORRECT: "incorrect"}


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, and its different candidates; ``correct`` is true or false, absent where a
    candidate abstains."""

    case: Case
    candidates: tuple[Mapping[str, Json], ...]

    def count(self, correct: bool) -> int:
        """How many candidates are right, or wrong."""
        return sum(candidate.get("correct") is correct for candidate in self.candidates)


@dataclass(frozen=True, slots=True)
class LabelledPool:
    """All labelled questions; of the balanced ones each has as many right as wrong candidates."""

    questions: tuple[LabelledQuestion, ...]
    balanced: tuple[LabelledQuestion, ...]
    statistics: LabelStatistics


def label_questions(
    cases: Sequence[Case], outcomes: Sequence[Outcome], *, seed: int = 0
) -> LabelledPool:
    """Label the candidates of a pool.

    Right is ``correct``, wrong is ``incorrect``; candidates that do not run are discarded, and so
    are those that the judge does not decide. Any query is wrong for a question that cannot be
    answered. Candidates that abstain are kept without a label, beside labelled ones, and are not
    drawn. A question whose text and database came before is left out. Equal queries, but for white
    space and a semicolon at the end, are one candidate, with ``count`` saying how many there were.

    Args:
        cases: the candidates, those of a question together.
        outcomes: of each.
        seed: of what is drawn where one class is larger.

    Source: GradeSQL (2025), section 3.2, stage 2; section 5, "Dataset Imbalance"; table 3.
    """
    pairs = [(case, _outcome(case, one)) for case, one in zip(cases, outcomes, strict=True)]
    groups = [list(group) for _, group in groupby(pairs, key=_question)]
    distinct = list(_distinct(groups))
    questions = [_labelled(group) for group in distinct]
    kept = tuple(one for one in questions if one.count(True) or one.count(False))
    balanced = tuple(one for one in (_balanced(one, seed) for one in kept) if one.candidates)
    statistics = LabelStatistics(
        questions=len(groups),
        distinct_questions=len(distinct),
        candidates=sum(len(group) for group in distinct),
        outcomes=dict(Counter(str(outcome) for group in distinct for _, outcome in group)),
        all=_counts(kept),
        balanced=_counts(balanced),
    )
    return LabelledPool(kept, balanced, statistics)


def _outcome(case: Case, judged: Outcome) -> Outcome:
    """No query is right for a question that cannot be answered, whatever has no reference."""
    answered = case.answerable is False and isinstance(case.predicted_sql, str)
    return Outcome.INCORRECT if answered else judged


def _question(pair: tuple[Case, Outcome]) -> tuple[str, str]:
    return pair[0].benchmark, pair[0].id


def _distinct(
    groups: Iterable[list[tuple[Case, Outcome]]],
) -> Iterator[list[tuple[Case, Outcome]]]:
    seen: set[tuple[str, str]] = set()
    for group in groups:
        case = group[0][0]
        key = (case.db_id.casefold(), " ".join((case.question or case.name).casefold().split()))
        if key not in seen:
            seen.add(key)
            yield group


class _Labelled(TypedDict):
    """A distinct candidate of a question."""

    sql: str | None
    correct: NotRequired[bool]
    count: int


def _labelled(group: Sequence[tuple[Case, Outcome]]) -> LabelledQuestion:
    found: dict[str | None, _Labelled] = {}
    for case, outcome in group:
        sql = case.predicted_sql
        if sql is None:
            one = found.setdefault(None, {"sql": None, "count": 0})
        elif outcome not in _LABELS or not isinstance(sql, str):
            continue
        else:
            text = " ".join(sql.split()).rstrip("; ")
            right = outcome is Outcome.CORRECT
            one = found.setdefault(text, {"sql": sql, "correct": right, "count": 0})
        one["count"] += 1
    return LabelledQuestion(
        _question_of([case for case, _ in group]), tuple(map(dict, found.values()))
    )


def _question_of(cases: Sequence[Case]) -> Case:
    """The question with what its file says of it, and not of one candidate."""
    first, *others = cases
    extra = {
        key: value
        for key, value in first.extra.items()
        if key not in _OF_A_CANDIDATE
        and all(key in other.extra and other.extra[key] == value for other in others)
    }
    return replace(first, extra=extra)


def _balanced(question: LabelledQuestion, seed: int) -> LabelledQuestion:
    candidates = [one for one in question.candidates if "correct" in one]
    labels = [one["correct"] is True for one in candidates]
    places = sorted(balanced_places(labels, Random(f"{seed}/{question.case.name}")))
    return LabelledQuestion(question.case, tuple(candidates[i] for i in places))


def _counts(questions: Iterable[LabelledQuestion]) -> LabelCounts:
    listed = list(questions)
    return LabelCounts(
        questions=len(listed),
        correct=sum(one.count(True) for one in listed),
        incorrect=sum(one.count(False) for one in listed),
    )
