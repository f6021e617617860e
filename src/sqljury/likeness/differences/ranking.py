"""Which difference is told first, and which follow from others and are told with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqljury.likeness.differences.blocks import Clause, mentioned
from sqljury.likeness.differences.kinds import Difference, DifferenceKind, one_sided, words
from sqljury.likeness.matching.trees import Node

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


_TELLING = (Clause.COLUMN, Clause.FILTER)
"""Where a table is read for one of these alone, the difference is there, not in the table."""


_MOST = 200
"""Of more differences nobody reads what follows from which."""

_SAID = {DifferenceKind.MISSING: "missing", DifferenceKind.EXTRA: "added"}


@dataclass(slots=True, eq=False)
class Found:
    """A difference, and the parts of both queries that it is about."""

    told: Difference
    reference: Node | None = None
    prediction: Node | None = None

    def part(self, kind: DifferenceKind) -> Node | None:
        """The part on the side that lacks a match."""
        return self.reference if kind is DifferenceKind.MISSING else self.prediction


def folded(found: list[Found]) -> list[Difference]:
    """The differences, those of tables with the conditions they are joined on as one."""
    if len(found) > _MOST:
        return [each.told for each in found]
    for kind in (DifferenceKind.MISSING, DifferenceKind.EXTRA):
        for group in _groups(found, kind):
            found = _fold(found, group, kind)
        found = _grouped(found, kind)
    return [each.told for each in found]


def _grouped(found: list[Found], kind: DifferenceKind) -> list[Found]:
    """A grouping key that is an output column as well is one difference."""
    columns = [x for x in found if x.told.clause is Clause.COLUMN and x.told.kind is kind]
    for key in [x for x in found if x.told.clause is Clause.GROUP and x.told.kind is kind]:
        shown = [x for x in columns if x.part(kind) == key.part(kind)]
        if shown:
            key.told = replace(key.told, note=f"output column {_SAID[kind]}, too")
            found = [x for x in found if x not in shown]
    return found


def _groups(found: list[Found], kind: DifferenceKind) -> Iterator[list[Found]]:
    """The tables that are missing (or added), together where they are joined with each other."""
    tables = (x for x in found if x.told.clause is Clause.TABLE and x.told.kind is kind)
    waiting = [x for x in tables if x.part(kind) is not None]
    while waiting:
        group = [waiting.pop(0)]
        names = {_table(group[0], kind)}
        growing = True
        while growing:
            near = {t for x in _joins(found, kind, names) for t in _mentioned(x, kind)}
            more = [x for x in waiting if _table(x, kind) in near | names]
            group += more
            names |= {_table(x, kind) for x in more}
            waiting = [x for x in waiting if x not in more]
            growing = bool(more)
        yield group


def _fold(found: list[Found], group: list[Found], kind: DifferenceKind) -> list[Found]:
    names = {_table(each, kind) for each in group}
    joins = [x for x in _joins(found, kind, names) if x.told.kind is kind]
    users = [x for x in found if x not in group and x not in joins and names & _mentioned(x, kind)]
    tables = ", ".join(dict.fromkeys(_said(each, kind) for each in group))
    rest = [x for x in found if x not in joins and x not in group]
    clauses = {x.told.clause for x in users}
    if len(clauses) == 1 and clauses <= set(_TELLING):
        users[0].told = replace(users[0].told, note=f"table {_SAID[kind]}: {tables}")
        return rest
    conditions = " and ".join(dict.fromkeys(_condition(x, kind) for x in joins))
    notes = [f"on {conditions}"] if joins else []
    kept = any(x.told.clause is Clause.JOIN for x in found)  # a LEFT JOIN reads it for its rows
    if not users and kind is DifferenceKind.EXTRA and joins and not kept:
        notes.append("nothing else reads it")
    told = one_sided(Clause.TABLE, kind, tables)
    group[0].told = replace(told, note="; ".join(notes))
    return [group[0], *rest]


def _joins(found: list[Found], kind: DifferenceKind, tables: set[str]) -> list[Found]:
    return [
        x for x in found if x.told.clause is Clause.JOIN_CONDITION and tables & _mentioned(x, kind)
    ]


def _mentioned(found: Found, kind: DifferenceKind) -> set[str]:
    part = found.part(kind)
    return set() if part is None else {*mentioned(part)}


def _table(found: Found, kind: DifferenceKind) -> str:
    part = found.part(kind)
    return "" if part is None else part.value


def _said(found: Found, kind: DifferenceKind) -> str:
    told = found.told
    return (told.reference if kind is DifferenceKind.MISSING else told.prediction) or ""


def _condition(found: Found, kind: DifferenceKind) -> str:
    part = found.part(kind)
    return "" if part is None else words(part)
