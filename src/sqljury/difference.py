"""One difference between two queries: its clause, its kind, and its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import groupby

from sqljury.case import Json


class Clause(StrEnum):
    """The clause of a query that a part belongs to."""

    TABLE = "table"
    JOIN = "join"
    JOIN_CONDITION = "join condition"
    FILTER = "filter"
    GROUP = "grouping key"
    AGGREGATE = "aggregate"
    HAVING = "condition on groups"
    COLUMN = "output column"
    DISTINCT = "distinct"
    ORDER = "sort key"
    LIMIT = "limit"
    SET_OPERATION = "set operation"
    OTHER = "operator"


class DifferenceKind(StrEnum):
    """How a part of one query differs from the other."""

    NEVER = "never"
    """The prediction's conditions contradict each other: it returns no rows."""
    NEGATION = "negation"
    """One query requires that a row exists, the other that none exists."""
    MISSING = "missing"
    """The reference has it, the prediction does not."""
    EXTRA = "extra"
    """The prediction has it, the reference does not."""
    COLUMN = "column"
    """The same condition or calculation on another column."""
    AGGREGATE = "aggregate"
    """Another aggregate."""
    COMPARISON = "comparison"
    """Another operator between the same operands."""
    CONSTANT = "constant"
    """Another constant in the same condition."""
    LITERAL_CASE = "literal_case"
    """The same text with other capitals."""
    DIRECTION = "direction"
    """The same sort key the other way round."""
    CHANGED = "changed"
    """One part in place of another."""
    EMPTY = "empty"
    """On empty input, one query returns NULL and the other no row."""
    TIES = "ties"
    """One query returns all rows that tie, the other only a fixed number of them."""
    REPEATS = "repeats"
    """The same rows, but not equally often."""
    ORDER = "order"
    """The same parts in another order."""


_SAID = {
    DifferenceKind.COLUMN: "reads another column",
    DifferenceKind.AGGREGATE: "aggregates otherwise",
    DifferenceKind.COMPARISON: "compares otherwise",
    DifferenceKind.CONSTANT: "has another constant",
    DifferenceKind.LITERAL_CASE: "has other capitals",
    DifferenceKind.DIRECTION: "sorts the other way",
    DifferenceKind.CHANGED: "differs",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: the clause, the kind, and the part of each query as text.

    ``reference`` or ``prediction`` is None if that query has no such part."""

    clause: Clause
    kind: DifferenceKind
    reference: str | None
    prediction: str | None
    inside: str = ""
    """For a difference between subqueries, the condition that contains the subquery."""
    note: str = ""
    """A further fact for the text, such as the condition that a table is joined on."""

    @property
    def words(self) -> str:
        """The difference in a sentence about the prediction."""
        said = f"{self._plain} ({self.note})" if self.note else self._plain
        return f"inside {self.inside}: {said}" if self.inside else said

    def to_json(self) -> dict[str, Json]:
        """A JSON object, with the sentence."""
        return {**asdict(self), "words": self.words}

    @property
    def _plain(self) -> str:
        match self.kind:
            case DifferenceKind.NEVER:
                return f"no rows at all: {self.prediction}"
            case DifferenceKind.NEGATION:
                return f"negation: {self.prediction}, the reference {self.reference}"
            case DifferenceKind.EMPTY:
                return f"on no rows: {self.prediction}, not {self.reference}"
            case DifferenceKind.TIES:
                return f"ties: {self.prediction}, not {self.reference}"
            case DifferenceKind.REPEATS:
                return f"repeated rows: {self.prediction or self.reference}"
            case DifferenceKind.MISSING:
                return f"{self.clause} missing: {self.reference}"
            case DifferenceKind.EXTRA:
                return f"{self.clause} added: {self.prediction}"
            case DifferenceKind.ORDER:
                return f"{self.clause}s in another order: {self.prediction}, not {self.reference}"
        return f"{self.clause} {_SAID[self.kind]}: {self.prediction}, not {self.reference}"


def one_sided(clause: Clause, kind: DifferenceKind, part: str, inside: str = "") -> Difference:
    """A part that only the reference has (missing), or only the prediction (extra)."""
    if kind is DifferenceKind.MISSING:
        return Difference(clause, kind, part, None, inside)
    return Difference(clause, kind, None, part, inside)


def sentences(differences: Iterable[Difference], most: int | None = None) -> list[str]:
    """The differences as sentences; neighbours that only name missing parts, or only added parts,
    of the same clause share one sentence.

    Args:
        most: the most parts that one sentence names; of the others only the number is given.
    """
    said = []
    for _, alike in groupby(differences, key=_together):
        first, *others = alike
        rest = [each.reference or each.prediction or "" for each in others]
        shown = rest if most is None else rest[: most - 1]
        more = f" and {len(rest) - len(shown)} more" if len(rest) > len(shown) else ""
        said.append(", ".join([first.words, *shown]) + more)
    return said


def _together(difference: Difference) -> tuple[object, ...]:
    lists = (
        difference.kind in (DifferenceKind.MISSING, DifferenceKind.EXTRA) and not difference.note
    )
    return (difference.clause, difference.kind, difference.inside) if lists else (difference,)
