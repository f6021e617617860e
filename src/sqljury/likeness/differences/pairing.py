"""Pairs the parts of two queries that differ, and decides the order of their differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from sqljury.difference import Clause, Difference, DifferenceKind, one_sided
from sqljury.likeness.differences.blocks import (
    QueryBlock,
    block_of,
    columns_of,
    constant,
    is_column,
    mentioned,
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
"""Clauses in which any part in place of any other is one difference, if both sides have the same
number of parts."""
_ALIKE: Final = 0.75
"""In other clauses, parts with a higher cost are two differences: one missing, one added."""


_TRIED: Final = 60
"""At most so many parts of a clause are compared with each other."""


@dataclass(frozen=True, slots=True)
class PartPair:
    """A part of the reference and the similar part that the prediction has in its place."""

    reference: Node
    prediction: Node
    kind: DifferenceKind


def pairs(clause: Clause, missing: list[Node], extra: list[Node]) -> Iterator[PartPair]:
    """Pairs of similar parts, the most similar first; they are removed from both lists."""
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
    """How different two expressions are, from 0 (equal) to about 1 (nothing in common)."""
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
    """True if the operands may also be compared the other way round.

    For comparisons only: trying both ways at every nested + and * takes too long."""
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
    """How two similar parts differ."""
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
    """A function that replaces columns by one of those that join conditions make equal to them.

    Tables that are read twice are left out: it is not known which of the two a column belongs to.

    Args:
        common: the tables that both queries read; their columns are preferred.
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
    """An expression with its columns renamed."""
    if is_column(node):
        return Node(name(node.value))
    return Node(node.value, tuple(renamed(c, name) for c in node.children), node.ordered)


def _name(node: Node) -> str | None:
    inner = node.children[0] if node.value == "outer" else node
    return inner.value if is_column(inner) else None


_ASKING = ("exists", "in", "scalar")


def subquery(condition: Node) -> QueryBlock | None:
    """The clauses of a condition's subquery; None if it has none or several."""
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
    """True if two conditions differ only in their subquery, and the subqueries share a table."""
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
        # IN and EXISTS count as the same; the block of the subquery has what IN compares.
        return Node("scalar" if node.value == "scalar" else "exists")
    return Node(node.value, tuple(map(_around, node.children)), node.ordered)


def described(condition: Node) -> str:
    """The tables of a condition's subquery and its filters, as text."""
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
    """The differences of ``x = (SELECT MAX(x) …)`` on one side and ``ORDER BY x DESC LIMIT 1`` on
    the other.

    Both are removed from the parts. Filters of the outer query that the subquery lacks are
    differences, too: it takes the highest value among more rows.
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
            # The sentence names the prediction first, so only the reference's part says "of them".
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
    """The difference of ``MAX(x)`` on one side and ``x … ORDER BY x DESC LIMIT 1`` on the other.

    Both return the same value, except that MAX gives NULL on empty input."""
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
# The order of differences, and which ones follow from others and are merged with them.

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
    """The differences without repetitions, the likeliest cause of a wrong result first."""
    return tuple(sorted(dict.fromkeys(found), key=_rank))


def _rank(difference: Difference) -> tuple[int, int]:
    """The sort key: differences in which rows are returned come before those in their columns or
    their number."""
    rank = _KINDS.get(difference.kind, _CLAUSES[difference.clause])
    extra = difference.kind is DifferenceKind.EXTRA
    if extra and difference.clause is Clause.COLUMN:
        rank = 70  # the answer is in the result, with an additional column
    return rank, extra + (difference.kind is DifferenceKind.MISSING)


def distance(found: Sequence[Difference]) -> float:
    """The total weight of the differences; of two descriptions the one with less is clearer."""
    return sum(_weight(each) for each in found)


def _weight(difference: Difference) -> float:
    if difference.clause in (Clause.OTHER, Clause.SET_OPERATION):
        # These are heavy because their text hides what is inside. INTERSECT is light: in the
        # other query it is usually a join of the same tables, so its name says most.
        said = difference.reference or difference.prediction or ""
        return 0.2 if said.startswith("INTERSECT") else 2.0
    if difference.clause is Clause.GROUP and difference.kind is DifferenceKind.CHANGED:
        return 2.0  # heavier than an added key: canonical trees drop keys that follow from others
    return _SMALL.get(difference.kind, 1.0)


_TELLING = (Clause.COLUMN, Clause.FILTER)
"""If a table is used in one of these clauses only, its difference is merged into theirs."""


_MOST = 200
"""With more differences than this nothing is merged, which would take too long."""

_SAID = {DifferenceKind.MISSING: "missing", DifferenceKind.EXTRA: "added"}


@dataclass(slots=True, eq=False)
class Found:
    """A difference, and the expressions of both queries that it is about."""

    told: Difference
    reference: Node | None = None
    prediction: Node | None = None

    def part(self, kind: DifferenceKind) -> Node | None:
        """The reference's part for ``missing``, the prediction's for ``extra``."""
        return self.reference if kind is DifferenceKind.MISSING else self.prediction


def folded(found: list[Found]) -> list[Difference]:
    """The differences, with those of tables and of their join conditions merged into one."""
    if len(found) > _MOST:
        return [each.told for each in found]
    for kind in (DifferenceKind.MISSING, DifferenceKind.EXTRA):
        for group in _groups(found, kind):
            found = _fold(found, group, kind)
        found = _grouped(found, kind)
    return [each.told for each in found]


def _grouped(found: list[Found], kind: DifferenceKind) -> list[Found]:
    """Merges a grouping key and an equal output column into one difference."""
    columns = [x for x in found if x.told.clause is Clause.COLUMN and x.told.kind is kind]
    for key in [x for x in found if x.told.clause is Clause.GROUP and x.told.kind is kind]:
        shown = [x for x in columns if x.part(kind) == key.part(kind)]
        if shown:
            key.told = replace(key.told, note=f"output column {_SAID[kind]}, too")
            found = [x for x in found if x not in shown]
    return found


def _groups(found: list[Found], kind: DifferenceKind) -> Iterator[list[Found]]:
    """The missing (or added) tables, in groups that are joined with each other."""
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
