"""A queue of written questions: nothing enters a benchmark before a person accepted it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from sqljury.errors import InputError
from sqljury.uses.building.kinds import KINDS, Unanswerable
from sqljury.uses.building.unanswerable import folded

TO_REVIEW: Final = "review"
ACCEPTED: Final = "accepted"
REJECTED: Final = "rejected"
PARAPHRASE: Final = "paraphrase"
"""The kind of another question for a reference that is known."""
STATUSES: Final = (TO_REVIEW, ACCEPTED, REJECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A question that somebody must look at; a reviewer changes ``status``, and may change all."""

    status: str = TO_REVIEW
    kind: str
    db_id: str
    question: str
    table: str = ""
    missing: str = ""
    """What the database lacks, in the writer's words."""
    why: str = ""
    doubts: tuple[str, ...] = ()
    """What rules found that speaks against it."""
    written_by: str = ""
    wording: str = ""
    """As it was written: a question that is reworded in review is not offered again."""
    of: str = ""
    """Of a paraphrase the id of the question whose ``sql`` it is to ask for."""
    sql: str = ""

    @property
    def written(self) -> str:
        """The question before any review."""
        return self.wording or self.question


def merged(known: Sequence[ReviewItem], new: Iterable[ReviewItem]) -> list[ReviewItem]:
    """The queue with new questions behind; what is in it stays as the review left it."""
    seen = {(one.db_id, folded(one.written)) for one in known}
    return [*known, *(one for one in new if (one.db_id, folded(one.written)) not in seen)]


def accepted(queue: Iterable[ReviewItem]) -> list[Unanswerable]:
    """The unanswerable questions that passed review."""
    return [
        Unanswerable(
            kind=one.kind,
            db_id=one.db_id,
            question=one.question,
            table=one.table,
            column=one.missing,
            written_by=one.written_by,
        )
        for one in queue
        if one.status == ACCEPTED and one.kind in KINDS
    ]


def counts(queue: Iterable[ReviewItem]) -> dict[str, int]:
    """How many questions have each status."""
    found = Counter(one.status for one in queue)
    return {status: found[status] for status in STATUSES}


def to_lines(queue: Iterable[ReviewItem]) -> Iterator[str]:
    """A line of JSON for each, the status first: it is what a reviewer changes."""
    for one in queue:
        yield json.dumps(asdict(one), ensure_ascii=False)


def from_lines(lines: Iterable[str], where: str) -> list[ReviewItem]:
    """The queue of a file.

    Raises:
        InputError: SJ561: a line that is no such question.
    """
    return [
        _candidate(line, f"{where}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


_NAMES = frozenset(field.name for field in fields(ReviewItem))
_HINT = "A review changes `status` to accepted or rejected, and may reword the question."


def _candidate(line: str, where: str) -> ReviewItem:
    try:
        found: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError("SJ561", f"broken JSON: {error.msg}.", where=where, hint=_HINT) from None
    if not isinstance(found, dict) or not {"kind", "db_id", "question", "status"} <= set(found):
        raise InputError("SJ561", "no question for review.", where=where, hint=_HINT)
    known = {name: value for name, value in found.items() if name in _NAMES}
    doubts = known.pop("doubts", ())
    if not all(isinstance(value, str) for value in known.values()) or not isinstance(
        doubts, list | tuple
    ):
        raise InputError("SJ561", "a field that is no text.", where=where, hint=_HINT)
    if known["status"] not in STATUSES:
        raise InputError(
            "SJ561",
            f"{known['status']!r} is no status.",
            where=where,
            hint=f"One of {', '.join(STATUSES)}.",
        )
    if known["kind"] not in (*KINDS, PARAPHRASE) or not known["question"].strip():
        raise InputError("SJ561", "no kind or no question.", where=where, hint=_HINT)
    return ReviewItem(**known, doubts=tuple(map(str, doubts)))
