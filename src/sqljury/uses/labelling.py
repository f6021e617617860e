"""Labels candidates by verdicts, to train verifiers: without duplicates, classes balanced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING, NotRequired, TypedDict

from sqljury.case import Case, Json
from sqljury.learning.outcome_reward.examples import balanced_places
from sqljury.verdict import Outcome

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """The sizes of a set of labelled candidates."""

    questions: int
    correct: int
    incorrect: int

    @property
    def size(self) -> int:
        """The number of candidates."""
        return self.correct + self.incorrect

    def to_json(self) -> dict[str, Json]:
        """A JSON object: sizes, and the classes' shares in [0, 1], null for an empty set."""
        shares = [None if not self.size else n / self.size for n in (self.correct, self.incorrect)]
        return {
            "questions": self.questions,
            "size": self.size,
            "correct": self.correct,
            "incorrect": self.incorrect,
            "share_correct": shares[0],
            "share_incorrect": shares[1],
        }


@dataclass(frozen=True, slots=True)
class LabelStatistics:
    """Counts of questions with and without duplicates, candidates by outcome, and labelled sets."""

    questions: int
    distinct_questions: int
    candidates: int
    outcomes: Mapping[str, int]
    all: LabelCounts
    balanced: LabelCounts

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        removed = self.questions - self.distinct_questions
        return {
            "questions": {
                "before": self.questions,
                "after": self.distinct_questions,
                "removed": removed,
                "share_removed": removed / self.questions if self.questions else None,
            },
            "candidates": self.candidates,
            "outcomes": dict(self.outcomes),
            "unbalanced": self.all.to_json(),
            "balanced": self.balanced.to_json(),
        }

    def said(self) -> str:
        """The outcomes with their counts, on one line."""
        return ", ".join(f"{name} {n:,}" for name, n in sorted(self.outcomes.items())) or "none"


_OF_A_CANDIDATE = ("sample", "logprob", "tokens", "problem", "count", "correct")
"""Fields that ``generate`` and :func:`label_questions` add for a candidate, not its question."""
_LABELS = {Outcome.CORRECT: "correct", Outcome.INCORRECT: "incorrect"}


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and its distinct candidates; each has ``correct`` unless it abstains."""

    case: Case
    candidates: tuple[Mapping[str, Json], ...]

    def count(self, correct: bool) -> int:
        """The number of right candidates, or of wrong ones."""
        return sum(candidate.get("correct") is correct for candidate in self.candidates)


@dataclass(frozen=True, slots=True)
class LabelledPool:
    """All labelled questions, and balanced ones with as many right as wrong candidates each."""

    questions: tuple[LabelledQuestion, ...]
    balanced: tuple[LabelledQuestion, ...]
    statistics: LabelStatistics


def label_questions(
    cases: Sequence[Case], outcomes: Sequence[Outcome], *, seed: int = 0
) -> LabelledPool:
    """Label the candidates of a pool.

    ``correct`` is right and ``incorrect`` is wrong; candidates with any other outcome are
    discarded. Any query is wrong for an unanswerable question. Candidates that abstain are kept
    without a label, but not among the balanced ones. A question that repeats the text and database
    of an earlier one is left out. Queries that differ only in white space or a final semicolon are
    one candidate; its ``count`` is their number.

    Args:
        cases: the candidates; those of a question must be adjacent.
        outcomes: the outcome of each case.
        seed: of the choice of candidates from the larger class.

    Source: GradeSQL (2025), section 3.2, stage 2; section 5, "Dataset Imbalance"; table 3.
    """
    # Any query is wrong for an unanswerable question, also without a reference to judge by.
    pairs = [
        (
            case,
            Outcome.INCORRECT
            if case.answerable is False and isinstance(case.predicted_sql, str)
            else judged,
        )
        for case, judged in zip(cases, outcomes, strict=True)
    ]
    groups = [list(group) for _, group in groupby(pairs, key=lambda pair: pair[0].key[:2])]
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
    """The question with those fields of ``extra`` that do not belong to a single candidate."""
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


def print_labels(found: LabelStatistics, console: Console) -> None:
    """Print the counts of questions and outcomes, and the sizes of both labelled sets."""
    from rich.table import Table

    removed = found.questions - found.distinct_questions
    console.print(
        f"questions: {found.questions:,}, of which {removed:,} came twice\n"
        f"candidates: {found.candidates:,} ({found.said()})"
    )
    table = Table()
    for name in ("labelled set", "questions", "size", "incorrect", "correct"):
        table.add_column(name, justify="left" if name == "labelled set" else "right")
    for name, counts in (("unbalanced", found.all), ("balanced", found.balanced)):
        shares = [
            "-" if not counts.size else f"{n:,} ({100 * n / counts.size:.2f} %)"
            for n in (counts.incorrect, counts.correct)
        ]
        table.add_row(name, f"{counts.questions:,}", f"{counts.size:,}", *shares)
    console.print(table)
