"""What became of one question: answered, abstained from, or missing; and was the answer right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqljury.verdict import Outcome


class ReplyKind(StrEnum):
    """What a system gave for a question."""

    ANSWERED = "answered"
    """Some SQL, be it SQL that does not run."""
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
    """Whether the SQL answers the question, also where it was withheld; None: not known."""
    confidence: float | None = None
    """The higher, the surer; any finite number."""
    outcome: Outcome | None = None
    """What a judge said of the SQL, where one was asked."""
    benchmark: str = ""
    source: str = ""
    slices: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""
    question: str = ""
    sql: str = ""
    """What was replied, also where a gate withholds it; empty without SQL."""

    @property
    def key(self) -> tuple[str, str]:
        """The question, whoever replied to it."""
        return (self.benchmark, self.id)

    @property
    def is_right(self) -> bool:
        """An answer to an answerable question that answers it."""
        return self.reply is ReplyKind.ANSWERED and self.answerable and bool(self.correct)

    @property
    def is_wrong(self) -> bool:
        """An answer that does harm: wrong SQL, or any SQL for what cannot be answered."""
        return self.reply is ReplyKind.ANSWERED and not self.is_right

    @property
    def left_out(self) -> bool:
        """Nothing could be learnt about the answer: a reference or a database fails."""
        return self.answerable and self.outcome is not None and self.outcome.left_out
