"""What a labelled pool holds, as GradeSQL's table 3 says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqljury.case import Json


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """A set of labelled candidates."""

    questions: int
    correct: int
    incorrect: int

    @property
    def size(self) -> int:
        """Candidates in all."""
        return self.correct + self.incorrect

    def to_json(self) -> dict[str, Json]:
        """Sizes, and the shares of both classes in [0, 1]; null where there is nothing."""
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
    """Questions before and after duplicates went, candidates by outcome, both labelled sets."""

    questions: int
    distinct_questions: int
    candidates: int
    outcomes: Mapping[str, int]
    all: LabelCounts
    balanced: LabelCounts

    def to_json(self) -> dict[str, Json]:
        """All of it."""
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
        """The outcomes in a line."""
        return ", ".join(f"{name} {n:,}" for name, n in sorted(self.outcomes.items())) or "none"
