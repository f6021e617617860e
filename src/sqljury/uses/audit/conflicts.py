"""References that answer the same question and are not the same query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqljury.case import Case
from sqljury.faults.wording import Wording, stem

_FILLERS = frozenset(
    {
        *("a", "an", "and", "are", "do", "does", "find", "for", "from", "get", "give", "have"),
        *("in", "is", "list", "me", "of", "on", "please", "return", "show", "tell", "that", "the"),
        *(
            "there",
            "these",
            "they",
            "those",
            "to",
            "us",
            "want",
            "was",
            "were",
            "what",
            "which",
            "who",
        ),
        *("whose", "with"),
    }
)
"""Words that questions of one meaning have or lack. None that counts, compares or negates."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two references of one question."""

    first: Case
    second: Case
    """The later one of the files; both hold their reference as ``predicted_sql``."""


def conflicts_of(references: Iterable[Case]) -> Iterator[Conflict]:
    """Each reference beside the first other one that answers the same question.

    Questions are the same where they are one question with several references; where another file
    has the same id for the same database (versions of a benchmark); and where they say the same
    words in the same order, but for fillers and the endings of plurals (paraphrases).

    Args:
        references: as :func:`references_of` gives them.
    """
    first: dict[tuple[str, ...], Case] = {}
    for case in references:
        for key in _keys(case):
            other = first.setdefault(key, case)
            if _text(other) != _text(case):
                yield Conflict(other, case)
                break


def _keys(case: Case) -> Iterator[tuple[str, ...]]:
    yield ("id", case.db_id, case.id)
    words = [stem(word) for word in Wording(case.question or "").words if word not in _FILLERS]
    if words:
        yield ("words", case.db_id, *words)


def _text(case: Case) -> str:
    return " ".join(str(case.predicted_sql).split()).rstrip("; ").casefold()
