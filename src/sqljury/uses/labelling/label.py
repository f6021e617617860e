"""From verdicts on candidates to labelled candidates: duplicates out, both classes balanced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

from sqljury.case import Case, Json
from sqljury.learning.balance import balanced_places
from sqljury.uses.labelling.statistics import Counts, LabelStatistics
from sqljury.verdict import Outcome

_LABELS = {Outcome.CORRECT: "correct", Outcome.INCORRECT: "incorrect"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, and its different candidates that have a label (``correct``: true or false)."""

    case: Case
    candidates: tuple[Mapping[str, Json], ...]

    def count(self, correct: bool) -> int:
        """How many candidates are right, or wrong."""
        return sum(candidate["correct"] is correct for candidate in self.candidates)


@dataclass(frozen=True, slots=True)
class LabelledPool:
    """All labelled questions; of the balanced ones each has as many right as wrong candidates."""

    questions: tuple[Labelled, ...]
    balanced: tuple[Labelled, ...]
    statistics: LabelStatistics


def label_questions(
    cases: Sequence[Case], outcomes: Sequence[Outcome], *, seed: int = 0
) -> LabelledPool:
    """Label the candidates of a pool.

    Right is ``correct``, wrong is ``incorrect``; candidates that do not run are discarded, and so
    are those that the judge does not decide. A question whose text and database came before is left
    out. Equal queries, but for white space and a semicolon at the end, are one candidate, with
    ``count`` saying how many there were.

    Args:
        cases: the candidates, those of a question together.
        outcomes: of each.
        seed: of what is drawn where one class is larger.

    Source: GradeSQL (2025), section 3.2, stage 2; section 5, "Dataset Imbalance"; table 3.
    """
    groups = [list(group) for _, group in groupby(zip(cases, outcomes, strict=True), key=_question)]
    distinct = list(_distinct(groups))
    questions = [_labelled(group) for group in distinct]
    kept = tuple(one for one in questions if one.candidates)
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


def _labelled(group: Sequence[tuple[Case, Outcome]]) -> Labelled:
    found: dict[str, dict[str, Json]] = {}
    for case, outcome in group:
        if outcome not in _LABELS or not isinstance(case.predicted_sql, str):
            continue
        sql = case.predicted_sql
        text = " ".join(sql.split()).rstrip("; ")
        one = found.setdefault(
            text, {"sql": sql, "correct": outcome is Outcome.CORRECT, "count": 0}
        )
        one["count"] += 1
    return Labelled(group[0][0], tuple(found.values()))


def _balanced(question: Labelled, seed: int) -> Labelled:
    labels = [one["correct"] is True for one in question.candidates]
    places = sorted(balanced_places(labels, Random(f"{seed}/{question.case.name}")))
    return Labelled(question.case, tuple(question.candidates[i] for i in places))


def _counts(questions: Iterable[Labelled]) -> Counts:
    listed = list(questions)
    return Counts(
        questions=len(listed),
        correct=sum(one.count(True) for one in listed),
        incorrect=sum(one.count(False) for one in listed),
    )
