"""Which part of one query stands for which of the other; subqueries, ties; what is said first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from sqljury.likeness.differences.blocks import (
    Clause,
    Difference,
    DifferenceKind,
    QueryBlock,
    block_of,
    columns_of,
    constant,
    is_column,
    mentioned,
    one_sided,
    words,
)
from sqljury.likeness.matching.trees import Node, nodes
from sqljury.sql.comparisons import COMPARISONS

AGGREGATES: Final = ("COUNT", "SUM", "AVG", "MIN", "MAX", "TOTAL", "GROUP_CONCAT")
_DIRECTIONS: Final = frozenset(("ascending", "descending"))
_COMPARISONS: Final = COMPARISONS | {"LIKE", "IS", "IN"}
_ONE_FOR_ONE: Final = (
    Clause.LIMIT,
    Clause.SET_OPERATION,
    Clause.JOIN,
    Clause.COLUMN,
    Clause.ORDER,
    Clause.GROUP,
    Clause.HAVING,
    Clause.AGGREGATE,
)
"""Clauses in which one part in place of another is one difference and not two."""
_ALIKE: Final = 0.75
"""Parts that cost more to change than this are two differences."""


_TRIED: Final = 60
"""Of more parts in a clause, only so many are tried in pairs."""


@dataclass(frozen=True, slots=True)
class PartPair:
    """Two parts that are about the same."""

    reference: Node
    prediction: Node
    kind: DifferenceKind


def pairs(clause: Clause, missing: list[Node], extra: list[Node]) -> Iterator[PartPair]:
    """The cheapest pairs first; what is paired is taken out of both lists."""
    costs = sorted(
        (cost(one, other), m, e)
        for m, one in enumerate(missing[:_TRIED])
        for e, other in enumerate(extra[:_TRIED])
    )
    one_for_one = clause in _ONE_FOR_ONE and len(missing) == len(extra)
    most = inf if one_for_one or clause is Clause.COLUMN else _ALIKE
    found: dict[int, int] = {}
    for least, m, e in costs:
        if least <= most and m not in found and e not in found.values():
            found[m] = e
    wanted, told = [missing[m] for m in found], [extra[e] for e in found.values()]
    missing[:] = [node for m, node in enumerate(missing) if m not in found]
    extra[:] = [node for e, node in enumerate(extra) if e not in found.values()]
    for one, other in zip(wanted, told, strict=True):
        yield PartPair(one, other, _kind(one, other))


def cost(one: Node, other: Node) -> float:
    """From 0 (the same) to about 1 (nothing in common)."""
    if one == other:
        return 0.0
    if is_column(one) and is_column(other):
        (table, _, name), (other_table, _, other_name) = (
            node.value.partition(".") for node in (one, other)
        )
        return 0.4 if name == other_name else 0.5 if table == other_table else 0.7
    if constant(one) is not None and constant(other) is not None:
        return 0.1 if _same_text(one, other) else 0.3
    below, other_below = one.children, other.children
    own = 0.0 if one.value == other.value else _other_operator(one.value, other.value)
    if len(below) != len(other_below) or not below:
        read, other_read = _columns(one), _columns(other)
        apart = read and other_read and not read & other_read
        return own + 0.4 + 0.4 * bool(apart)
    straight = sum(map(cost, below, other_below))
    if _swappable(one, other):
        straight = min(straight, sum(map(cost, below, reversed(other_below))))
    return min(1.0, own + straight)


def _swappable(one: Node, other: Node) -> bool:
    """Comparisons only: trying both ways at every + and * below each other takes too long."""
    equal = {one.value, other.value} & {"=", "<>", "IS"}
    return bool(equal) and not (one.ordered and other.ordered) and len(one.children) == 2


def _other_operator(one: str, other: str) -> float:
    if {one, other} <= _DIRECTIONS:
        return 0.2
    if {one, other} <= _COMPARISONS:
        return 0.3
    return 0.4 if _aggregates(one) and _aggregates(other) else 0.8


def _aggregates(value: str) -> bool:
    return value.partition(" ")[0] in AGGREGATES


def _columns(node: Node) -> set[str]:
    return {each.value for each in nodes(node) if is_column(each)}


def _same_text(one: Node, other: Node) -> bool:
    texts = [constant(node) or "" for node in (one, other)]
    return texts[0].casefold() == texts[1].casefold()


def _kind(one: Node, other: Node) -> DifferenceKind:
    """How two parts that are about the same differ."""
    changed = list(_changes(one, other))
    if len(changed) != 1:
        return DifferenceKind.CHANGED
    (wanted, found), *_ = changed
    if {wanted.value, found.value} == _DIRECTIONS:
        return DifferenceKind.DIRECTION
    if is_column(wanted) and is_column(found):
        return DifferenceKind.CHANGED if wanted is one else DifferenceKind.COLUMN
    if constant(wanted) is not None and constant(found) is not None:
        return DifferenceKind.LITERAL_CASE if _same_text(wanted, found) else DifferenceKind.CONSTANT
    if _aggregates(wanted.value) and _aggregates(found.value):
        return DifferenceKind.AGGREGATE
    if {wanted.value, found.value} <= _COMPARISONS:
        return DifferenceKind.COMPARISON
    return DifferenceKind.CHANGED


def _changes(one: Node, other: Node) -> Iterator[tuple[Node, Node]]:
    """The innermost nodes that differ, at the same places."""
    if one == other:
        return
    below, other_below = one.children, other.children
    if one.value != other.value or len(below) != len(other_below):
        yield one, other
        if below and len(below) == len(other_below):
            yield from _below(below, other_below)
        return
    if _swappable(one, other) and cost(below[0], other_below[1]) < cost(below[0], other_below[0]):
        other_below = other_below[::-1]
    yield from _below(below, other_below)


def _below(one: tuple[Node, ...], other: tuple[Node, ...]) -> Iterator[tuple[Node, Node]]:
    for each, its in zip(one, other, strict=True):
        yield from _changes(each, its)


# ------------------------------------------------------------
# Conditions with subqueries, ties, and columns that conditions make equal.


def representatives(block: QueryBlock, common: Iterable[str]) -> Callable[[Node], Node]:
    """Puts one column for all that the block's join conditions make equal.

    Args:
        common: the tables that both queries read; their columns are preferred.

    A table that is read twice has no part in it: which of its rows a column is of is not said.
    """
    often = Counter(block.tables())
    once = {table for table, count in often.items() if count == 1}
    shared = set(common)
    classes: dict[str, set[str]] = {}
    for condition in block.of(Clause.JOIN_CONDITION):
        names = [_name(side) for side in condition.children]
        if all(name is not None and name.partition(".")[0] in once for name in names):
            members = set().union(*(classes.get(n, {n}) for n in names if n is not None))
            classes.update(dict.fromkeys(members, members))
    chosen = {
        name: min(members, key=lambda n: (n.partition(".")[0] not in shared, n))
        for name, members in classes.items()
    }
    return lambda node: renamed(node, lambda name: chosen.get(name, name))


def renamed(node: Node, name: Callable[[str], str]) -> Node:
    """An expression with other columns."""
    if is_column(node):
        return Node(name(node.value))
    return Node(node.value, tuple(renamed(c, name) for c in node.children), node.ordered)


def _name(node: Node) -> str | None:
    inner = node.children[0] if node.value == "outer" else node
    return inner.value if is_column(inner) else None


_ASKING = ("exists", "in", "scalar")


def subquery(condition: Node) -> QueryBlock | None:
    """The clauses of the only query that a condition asks; None where it asks none or several."""
    found = list(_asked(condition))
    if len(found) != 1:
        return None
    *operands, tree = found[0].children
    shown = () if found[0].value == "exists" else columns_of(tree)
    if found[0].value == "scalar":
        return block_of(tree, shown)
    block = block_of(tree)
    equal = zip(operands, shown, strict=False)
    block.add(Clause.JOIN_CONDITION, *(Node("=", (other, one)) for one, other in equal))
    return block


def _asked(node: Node) -> Iterator[Node]:
    if node.value in _ASKING:
        yield node
        return
    for child in node.children:
        yield from _asked(child)


def used_alike(one: Node, other: Node) -> bool:
    """Whether two conditions say the same but for a query that reads a table in common."""
    blocks = [block for block in (subquery(one), subquery(other)) if block is not None]
    if len(blocks) != 2 or _around(one) != _around(other):
        return False
    tables = [{table for each in _all(block) for table in each.tables()} for block in blocks]
    return bool(tables[0] & tables[1])


def _all(block: QueryBlock) -> Iterator[QueryBlock]:
    yield block
    for inner in block.inner:
        yield from _all(inner)


def _around(node: Node) -> Node:
    if node.value in _ASKING:
        # IN and EXISTS ask the same; what IN compares stands in the block.
        return Node("scalar" if node.value == "scalar" else "exists")
    return Node(node.value, tuple(map(_around, node.children)), node.ordered)


def described(condition: Node) -> str:
    """The tables that a condition asks, and with what."""
    block = subquery(condition)
    if block is None:
        return words(condition)
    tables = ", ".join(dict.fromkeys(block.tables()))
    filters = " and ".join(map(words, block.of(Clause.FILTER)))
    return f"{tables} with {filters}" if filters else tables


Parts = dict[Clause, list[Node]]

_ENDS: Final = {"MAX": ("highest", "descending"), "MIN": ("lowest", "ascending")}
_ONE: Final = Node("count", (Node("integer 1"),))


def ties(
    missing: Parts, extra: Parts, prediction: QueryBlock, reference: QueryBlock
) -> list[Difference]:
    """``x = (SELECT MAX(x) …)`` on one side, ``ORDER BY x DESC LIMIT 1`` on the other.

    Both are taken out of the parts. What the subquery leaves out of the other's filters is told:
    it seeks the highest among other rows.
    """
    for keeping, cutting, block, kept in (
        (missing, extra, prediction, True),
        (extra, missing, reference, False),
    ):
        for condition in list(keeping[Clause.FILTER]):
            found = _tied_pair(condition, cutting)
            if found is None:
                continue
            key, end = found
            keeping[Clause.FILTER].remove(condition)
            cutting[Clause.ORDER].remove(key)
            cutting[Clause.LIMIT].remove(_ONE)
            value = f"the {end} {words(key.children[0])}"
            every, one = f"all rows with {value}", f"only one row with {value}"
            # What comes second refers to what comes first, the prediction.
            told = ("all of them", one) if kept else ("only one of them", every)
            first = Difference(Clause.LIMIT, DifferenceKind.TIES, *told)
            alike = [n for n in block.of(Clause.FILTER) if n not in cutting[Clause.FILTER]]
            inner = subquery(condition)
            assert inner is not None, "a pair was found"
            left_out = [n for n in alike if n not in inner.of(Clause.FILTER)]
            kind = DifferenceKind.EXTRA if kept else DifferenceKind.MISSING
            return [first, *(one_sided(Clause.FILTER, kind, words(n), value) for n in left_out)]
    return []


def _tied_pair(condition: Node, cutting: Parts) -> tuple[Node, str] | None:
    block = subquery(condition) if condition.value == "=" else None
    shown = block.of(Clause.COLUMN) if block is not None else []
    if len(shown) != 1 or shown[0].value not in _ENDS or _ONE not in cutting[Clause.LIMIT]:
        return None
    end, direction = _ENDS[shown[0].value]
    key = Node(direction, shown[0].children)
    return (key, end) if cutting[Clause.ORDER] == [key] else None


def shown_ends(missing: Parts, extra: Parts) -> list[Difference]:
    """``MAX(x)`` on one side, ``x … ORDER BY x DESC LIMIT 1`` on the other: the same value."""
    for calling, cutting, called in ((missing, extra, True), (extra, missing, False)):
        for call in list(calling[Clause.COLUMN]):
            end = _ENDS.get(call.value)
            key = Node(end[1], call.children) if end is not None else None
            column = call.children[0] if len(call.children) == 1 else None
            if cutting[Clause.ORDER] != [key] or _ONE not in cutting[Clause.LIMIT]:
                continue
            if calling[Clause.GROUP]:
                continue  # a value for each group
            if column not in cutting[Clause.COLUMN]:
                continue
            calling[Clause.COLUMN].remove(call)
            cutting[Clause.COLUMN].remove(column)
            cutting[Clause.ORDER].clear()
            calling[Clause.AGGREGATE] = [n for n in calling[Clause.AGGREGATE] if n != call]
            cutting[Clause.LIMIT].remove(_ONE)
            told = ("NULL", "nothing") if called else ("nothing", "NULL")
            note = f"{words(call)} is the first by {words(column)}"
            return [Difference(Clause.LIMIT, DifferenceKind.EMPTY, *told, note=note)]
    return []


# ------------------------------------------------------------
# Which difference is told first, and which follow from others and are told with them.

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
        names = {_table_of(group[0], kind)}
        growing = True
        while growing:
            near = {t for x in _joins(found, kind, names) for t in _mentioned(x, kind)}
            more = [x for x in waiting if _table_of(x, kind) in near | names]
            group += more
            names |= {_table_of(x, kind) for x in more}
            waiting = [x for x in waiting if x not in more]
            growing = bool(more)
        yield group


def _fold(found: list[Found], group: list[Found], kind: DifferenceKind) -> list[Found]:
    names = {_table_of(each, kind) for each in group}
    joins = [x for x in _joins(found, kind, names) if x.told.kind is kind]
    users = [x for x in found if x not in group and x not in joins and names & _mentioned(x, kind)]
    sides = [(x.told.reference, x.told.prediction) for x in group]
    side = 0 if kind is DifferenceKind.MISSING else 1
    tables = ", ".join(dict.fromkeys(each[side] or "" for each in sides))
    rest = [x for x in found if x not in joins and x not in group]
    clauses = {x.told.clause for x in users}
    if len(clauses) == 1 and clauses <= set(_TELLING):
        users[0].told = replace(users[0].told, note=f"table {_SAID[kind]}: {tables}")
        return rest
    parts = [part for x in joins if (part := x.part(kind)) is not None]
    conditions = " and ".join(dict.fromkeys(map(words, parts)))
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


def _table_of(found: Found, kind: DifferenceKind) -> str:
    part = found.part(kind)
    return "" if part is None else part.value
