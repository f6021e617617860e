"""A system's decision on one question: answered, abstained or missing, and if it was right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqljury.verdict import Outcome


class ReplyKind(StrEnum):
    """The kind of a system's reply to a question."""

    ANSWERED = "answered"
    """SQL, even if it does not run."""
    ABSTAINED = "abstained"
    MISSING = "missing"
    """Neither SQL nor "I don't know": no key, no line, no row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One question, whether it can be answered, what a system replied, and how sure it was."""

    id: str
    answerable: bool
    reply: ReplyKind
    correct: bool | None = None
    """True if the SQL answers the question, even if a gate withholds it; None if not known."""
    confidence: float | None = None
    """The system's confidence: any finite number; higher is surer."""
    outcome: Outcome | None = None
    """The judge's outcome for the SQL; None if it was not judged."""
    benchmark: str = ""
    source: str = ""
    slices: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""
    question: str = ""
    sql: str = ""
    """The replied SQL, even if a gate withholds it; empty without SQL."""

    @property
    def key(self) -> tuple[str, str]:
        """Benchmark and id, which identify the question; the same for all systems."""
        return (self.benchmark, self.id)

    @property
    def is_right(self) -> bool:
        """True for correct SQL as the answer to an answerable question."""
        return self.reply is ReplyKind.ANSWERED and self.answerable and bool(self.correct)

    @property
    def is_wrong(self) -> bool:
        """True for wrong SQL, or any SQL for a question that cannot be answered."""
        return self.reply is ReplyKind.ANSWERED and not self.is_right

    @property
    def left_out(self) -> bool:
        """True if the answer cannot be judged because a reference or a database fails."""
        return self.answerable and self.outcome is not None and self.outcome.left_out
