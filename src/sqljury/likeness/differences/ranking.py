"""Which difference is told first, and how far apart two queries are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqljury.likeness.differences.blocks import Clause
from sqljury.likeness.differences.kinds import Difference, DifferenceKind

_KINDS: Final = {
    DifferenceKind.NEVER: 0,
    DifferenceKind.NEGATION: 1,
    DifferenceKind.TIES: 80,
    DifferenceKind.REPEATS: 81,
    DifferenceKind.ORDER: 82,
    DifferenceKind.EMPTY: 83,
}
_CLAUSES: Final = {
    Clause.SET_OPERATION: 10,
    Clause.TABLE: 12,
    Clause.JOIN_CONDITION: 20,
    Clause.FILTER: 20,
    Clause.JOIN: 22,
    Clause.HAVING: 24,
    Clause.COLUMN: 26,
    Clause.GROUP: 25,
    Clause.AGGREGATE: 32,
    Clause.LIMIT: 34,
    Clause.ORDER: 36,
    Clause.OTHER: 50,
    Clause.DISTINCT: 60,
}
_SMALL: Final = {
    DifferenceKind.ORDER: 0.2,
    DifferenceKind.TIES: 0.3,
    DifferenceKind.EMPTY: 0.2,
    DifferenceKind.REPEATS: 0.3,
    DifferenceKind.LITERAL_CASE: 0.5,
    DifferenceKind.CONSTANT: 0.5,
    DifferenceKind.COMPARISON: 0.5,
    DifferenceKind.DIRECTION: 0.5,
    DifferenceKind.COLUMN: 0.6,
    DifferenceKind.AGGREGATE: 0.6,
}


def ranked(found: Iterable[Difference]) -> tuple[Difference, ...]:
    """The likeliest cause of a wrong result first; each once."""
    return tuple(sorted(dict.fromkeys(found), key=_rank))


def _rank(difference: Difference) -> tuple[int, int]:
    """What changes which rows there are comes before what changes their columns or number."""
    rank = _KINDS.get(difference.kind, _CLAUSES[difference.clause])
    extra = difference.kind is DifferenceKind.EXTRA
    if extra and difference.clause is Clause.COLUMN:
        rank = 70  # the answer is there, beside something else
    return rank, extra + (difference.kind is DifferenceKind.MISSING)


def distance(found: Sequence[Difference]) -> float:
    """How much is told; of two ways to tell the same the lesser is the clearer."""
    return sum(_weight(each) for each in found)


def _weight(difference: Difference) -> float:
    if difference.clause in (Clause.OTHER, Clause.SET_OPERATION):
        # Little is said of what stands inside; but of INTERSECT, which becomes a join of the
        # same tables, the name says most.
        said = difference.reference or difference.prediction or ""
        return 0.2 if said.startswith("INTERSECT") else 2.0
    if difference.clause is Clause.GROUP and difference.kind is DifferenceKind.CHANGED:
        return 2.0  # more than one key that is added: what a key implies is left out of the tree
    return _SMALL.get(difference.kind, 1.0)
