"""Finds the differences between two queries by comparing their operator trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from sqljury.difference import Clause, Difference, DifferenceKind, one_sided
from sqljury.likeness.differences.blocks import QueryBlock, block_of, words
from sqljury.likeness.differences.pairing import (
    Found,
    described,
    distance,
    folded,
    pairs,
    ranked,
    renamed,
    representatives,
    shown_ends,
    subquery,
    ties,
    used_alike,
)
from sqljury.likeness.matching.trees import Node, Numbering, nodes, with_columns
from sqljury.trees.nodes import Distinct, Limit, Project, Relation, SetOperation, Sort


def differences(prediction: Relation, reference: Relation) -> tuple[Difference, ...]:
    """The differences of the prediction from the reference, the likeliest cause of a wrong result
    first.

    Args:
        prediction: its operator tree, best the canonical one, which is free of differences in
            mere writing.
        reference: its operator tree.

    Returns:
        Empty for equal trees. It may also be empty for unequal trees: if the clauses have the
        same parts and only their arrangement differs.
    """
    one, other = (block_of(*with_columns(tree)) for tree in (prediction, reference))
    return ranked(_blocks(one, other, Numbering()))


class _Apart:
    """The parts that only one of two blocks has, by clause."""

    def __init__(self, prediction: QueryBlock, reference: QueryBlock, number: Numbering) -> None:
        self.number = number
        self.missing: dict[Clause, list[Node]] = {}
        self.extra: dict[Clause, list[Node]] = {}
        for clause in Clause:
            extra, missing = _apart(prediction.of(clause), reference.of(clause), number)
            self.extra[clause], self.missing[clause] = extra, missing

    def match(self, wanted: Callable[[Node], Node], found: Callable[[Node], Node]) -> None:
        """Drops the parts that are equal once both sides' columns are renamed."""
        for clause, missing in self.missing.items():
            if clause is Clause.JOIN_CONDITION:
                continue  # join conditions define which columns are equal
            places: dict[int, list[int]] = {}
            for place, node in enumerate(self.extra[clause]):
                places.setdefault(self.number(found(node)), []).append(place)
            alone = []
            for node in missing:
                same = places.get(self.number(wanted(node)))
                if same:
                    same.pop(0)
                else:
                    alone.append(node)
            missing[:] = alone
            left = {place for same in places.values() for place in same}
            self.extra[clause][:] = [n for i, n in enumerate(self.extra[clause]) if i in left]


def _blocks(prediction: QueryBlock, reference: QueryBlock, number: Numbering) -> list[Difference]:
    if bool(prediction.inner) != bool(reference.inner):
        return _nearest(prediction, reference, number)
    apart = _Apart(prediction, reference, number)
    found = [*_orders(prediction, reference, apart)]
    _match_equal_columns(prediction, reference, apart)
    found += [
        *_swapped_table(apart),
        *_negated(apart),
        *_never(apart),
        *_repeats(prediction, reference, apart),
        *map(Found, ties(apart.missing, apart.extra, prediction, reference)),
        *map(Found, shown_ends(apart.missing, apart.extra)),
        *_widened(apart),
        *_inside(apart),
    ]
    _drop_told_aggregates(apart)
    again = {*prediction.tables()} & {*reference.tables()}
    for clause in Clause:
        missing, extra = apart.missing[clause], apart.extra[clause]
        for pair in pairs(clause, missing, extra):
            told = Difference(clause, pair.kind, words(pair.reference), words(pair.prediction))
            found.append(Found(told, pair.reference, pair.prediction))
        for kind, alone in ((DifferenceKind.MISSING, missing), (DifferenceKind.EXTRA, extra)):
            for node in alone:
                more = " once more" if clause is Clause.TABLE and node.value in again else ""
                told = one_sided(clause, kind, f"{words(node)}{more}")
                sides = (node, None) if kind is DifferenceKind.MISSING else (None, node)
                found.append(Found(told, *sides))
    outer = folded(found)
    operation = next((words(node) for node in prediction.of(Clause.SET_OPERATION)), "")
    inner = [d for d in _inner(prediction, reference, number) if d not in outer]
    return [*outer, *(replace(d, inside=d.inside or operation) for d in inner)]


def _orders(prediction: QueryBlock, reference: QueryBlock, apart: _Apart) -> Iterator[Found]:
    for clause in (Clause.COLUMN, Clause.ORDER):
        sides = [block.of(clause) for block in (reference, prediction)]
        numbers = [[*map(apart.number, side)] for side in sides]
        if not apart.missing[clause] and not apart.extra[clause] and numbers[0] != numbers[1]:
            told = (", ".join(map(words, side)) for side in sides)
            yield Found(Difference(clause, DifferenceKind.ORDER, *told))


def _match_equal_columns(prediction: QueryBlock, reference: QueryBlock, apart: _Apart) -> None:
    common = {*prediction.tables()} & {*reference.tables()}
    wanted, found = (representatives(block, common) for block in (reference, prediction))
    # A join condition that follows from those of the other query is no difference.
    for parts, renamed_ in ((apart.missing, found), (apart.extra, wanted)):
        joins = parts[Clause.JOIN_CONDITION]
        sides = [renamed_(join).children for join in joins]
        joins[:] = [join for join, (one, other) in zip(joins, sides, strict=True) if one != other]
    apart.match(wanted, found)


def _swapped_table(apart: _Apart) -> Iterator[Found]:
    """One table read in place of another; the change of its columns is not reported again."""
    missing, extra = apart.missing[Clause.TABLE], apart.extra[Clause.TABLE]
    if len(missing) != 1 or len(extra) != 1:
        return
    old, new = missing.pop().value, extra.pop().value

    def rename(name: str) -> str:
        table, _, column = name.partition(".")
        return f"{new}.{column}" if table == old else name

    apart.match(lambda node: renamed(node, rename), lambda node: node)
    for parts, table in ((apart.missing, old), (apart.extra, new)):
        joins = parts[Clause.JOIN_CONDITION]
        joins[:] = [each for each in joins if table not in _tables(each)]
    yield Found(Difference(Clause.TABLE, DifferenceKind.CHANGED, old, new))


def _tables(node: Node) -> set[str]:
    return {each.value.partition(".")[0] for each in nodes(node)}


def _negated(apart: _Apart) -> Iterator[Found]:
    """Differences of NOT EXISTS (…) on one side and a join with the same tables on the other."""
    for mine, others, wanted in (
        (apart.missing, apart.extra, True),
        (apart.extra, apart.missing, False),
    ):
        for condition in list(mine[Clause.FILTER]):
            block = subquery(condition) if condition.value == "NOT" else None
            tables = {*block.tables()} if block is not None else set()
            joined = [n for n in others[Clause.TABLE] if n.value in tables]
            if not joined:
                continue
            mine[Clause.FILTER].remove(condition)
            asked = _taken(others, {n.value for n in joined})
            none = f"asks that there is no row of {described(condition)}"
            some = f"asks for a row of {asked}"
            told = (none, some) if wanted else (some, none)
            yield Found(Difference(Clause.FILTER, DifferenceKind.NEGATION, *told))


def _taken(parts: dict[Clause, list[Node]], tables: set[str]) -> str:
    """Removes tables with their conditions from the parts, and returns them as text."""
    conditions = []
    for clause in (Clause.TABLE, Clause.JOIN_CONDITION, Clause.FILTER):
        for node in list(parts[clause]):
            if (clause is Clause.TABLE and node.value in tables) or _tables(node) & tables:
                parts[clause].remove(node)
                if clause is Clause.FILTER:
                    conditions.append(words(node))
    told = ", ".join(sorted(tables))
    return f"{told} with {' and '.join(conditions)}" if conditions else told


def _never(apart: _Apart) -> Iterator[Found]:
    for condition in list(apart.extra[Clause.FILTER]):
        if condition.value == "boolean False":
            apart.extra[Clause.FILTER].remove(condition)
            said = "its conditions contradict each other"
            yield Found(Difference(Clause.FILTER, DifferenceKind.NEVER, None, said))


def _repeats(prediction: QueryBlock, reference: QueryBlock, apart: _Apart) -> Iterator[Found]:
    missing, extra = apart.missing[Clause.DISTINCT], apart.extra[Clause.DISTINCT]
    for _ in missing:
        yield Found(Difference(Clause.DISTINCT, DifferenceKind.REPEATS, "DISTINCT missing", None))
    for _ in extra:
        yield Found(Difference(Clause.DISTINCT, DifferenceKind.REPEATS, None, "DISTINCT added"))
    distinct = bool(prediction.of(Clause.DISTINCT) or reference.of(Clause.DISTINCT))
    missing.clear()
    extra.clear()
    if distinct or prediction.of(Clause.GROUP) or reference.of(Clause.GROUP):
        return
    for one, other, said in (
        (reference, prediction, "one for each match in {}, the reference only asks for a match"),
        (prediction, reference, "one for any match in {}, the reference gives one for each"),
    ):
        tables = sorted((one.asked - other.asked) & {*other.tables()})
        if tables:
            told = said.format(", ".join(tables))
            yield Found(Difference(Clause.JOIN, DifferenceKind.REPEATS, None, told))


def _widened(apart: _Apart) -> Iterator[Found]:
    """Differences of a condition on one side and an OR with that condition on the other."""
    for mine, others, wanted in (
        (apart.missing, apart.extra, True),
        (apart.extra, apart.missing, False),
    ):
        for clause in (Clause.JOIN_CONDITION, Clause.FILTER):
            for one in list(mine[clause]):
                number = apart.number(one)
                choices = (n for n in others[Clause.FILTER] if n.value == "OR")
                wide = next((n for n in choices if number in map(apart.number, n.children)), None)
                if wide is None:
                    continue
                mine[clause].remove(one)
                others[Clause.FILTER].remove(wide)
                pair = (one, wide) if wanted else (wide, one)
                told = Difference(Clause.FILTER, DifferenceKind.CHANGED, *map(words, pair))
                yield Found(told, *pair)


def _inside(apart: _Apart) -> Iterator[Found]:
    """The differences inside pairs of subqueries that are used alike and share a table."""
    for clause in (Clause.FILTER, Clause.HAVING):
        missing, extra = apart.missing[clause], apart.extra[clause]
        for wanted in list(missing):
            one = subquery(wanted)
            if one is None:
                continue
            alike = next((node for node in extra if used_alike(wanted, node)), None)
            other = subquery(alike) if alike is not None else None
            if alike is None or other is None:
                continue
            inner = _blocks(other, one, apart.number)
            if inner:
                extra.remove(alike)
                missing.remove(wanted)
                place = words(wanted)
                yield from (Found(replace(d, inside=d.inside or place)) for d in inner)


def _drop_told_aggregates(apart: _Apart) -> None:
    """Drops aggregates that are part of another reported part, such as an output column."""
    for parts in (apart.missing, apart.extra):
        told = {
            apart.number(inner)
            for clause, unmatched in parts.items()
            if clause not in (Clause.AGGREGATE, Clause.OTHER)
            for part in unmatched
            for inner in nodes(part)
        }
        calls = parts[Clause.AGGREGATE]
        calls[:] = [each for each in calls if apart.number(each) not in told]


_OF_ALL: Final = (Clause.SET_OPERATION, Clause.COLUMN, Clause.DISTINCT)
"""Clauses of a set operation as a whole, which are left out when one operand is compared alone."""


def _nearest(prediction: QueryBlock, reference: QueryBlock, number: Numbering) -> list[Difference]:
    """The differences if only one of the queries is a set operation.

    These are the set operation itself, and the differences between the other query and the operand
    that is most similar to it."""
    together, alone = (prediction, reference) if prediction.inner else (reference, prediction)
    operation = words(together.of(Clause.SET_OPERATION)[0])
    if together.of(Clause.DISTINCT):
        operation = operation.removesuffix(" ALL")
    # The right operand of EXCEPT is only subtracted, so the other query cannot correspond to it.
    parts = together.inner[: 1 if operation.startswith("EXCEPT") else None]
    ways = []
    for part in parts:
        whole = QueryBlock(_parts(together, part), part.inner, together.asked | part.asked)
        pair = (whole, alone) if together is prediction else (alone, whole)
        ways.append((_blocks(*pair, number), part))
    told, nearest = min(ways, key=lambda way: distance(way[0]))
    others = [
        ", ".join(dict.fromkeys(part.tables())) or "other queries"
        for part in together.inner
        if part is not nearest
    ]
    kind = DifferenceKind.EXTRA if together is prediction else DifferenceKind.MISSING
    first = one_sided(Clause.SET_OPERATION, kind, operation)
    return [replace(first, note=f"with a query of {'; '.join(others)}"), *told]


def _parts(together: QueryBlock, part: QueryBlock) -> list[tuple[Clause, Node]]:
    """The parts of one operand of a set operation, with those that apply to the whole result."""
    if together.of(Clause.AGGREGATE):
        # The output columns are aggregates over all operands, so those of the operand are dropped.
        around = [each for each in together.parts if each[0] is not Clause.SET_OPERATION]
        return [*around, *(each for each in part.parts if each[0] is not Clause.COLUMN)]
    return [*(each for each in together.parts if each[0] not in _OF_ALL), *part.parts]


def _inner(
    prediction: QueryBlock, reference: QueryBlock, number: Numbering
) -> Iterator[Difference]:
    """The differences between the operands of two set operations; none if their numbers differ."""
    one, other = prediction.inner, reference.inner
    if len(one) == len(other):
        operations = {node.value.partition(" ")[0] for node in prediction.of(Clause.SET_OPERATION)}
        swappable = len(one) == 2 and "EXCEPT" not in operations
        ways = [one, one[::-1]] if swappable else [one]
        told = ([d for mine, its in zip(way, other, strict=True)
                 for d in _blocks(mine, its, number)] for way in ways)  # fmt: skip
        yield from min(told, key=distance)


def _apart(
    prediction: list[Node], reference: list[Node], number: Numbering
) -> tuple[list[Node], list[Node]]:
    """The parts that only the prediction has, and those that only the reference has, counting
    repetitions."""
    missing = list(reference)
    extra = []
    for node in prediction:
        same = next((other for other in missing if number(other) == number(node)), None)
        if same is None:
            extra.append(node)
        else:
            missing.remove(same)
    return extra, missing


Trees = tuple[Relation, Relation]
"""The operator trees of the prediction and of the reference."""

_MARGIN: Final = 1.0
"""How much smaller the distance of the trees as written must be for them to be preferred to the
canonical ones: they may differ in ways that do not matter."""


@dataclass(frozen=True, slots=True)
class Views:
    """The operator trees of two queries in three forms."""

    written: Trees
    """As the queries are written."""
    declared: Callable[[], Trees]
    """Returns the canonical trees that assume no more than the schema declares; called only if a
    difference is about NULL."""
    canonical: Trees
    """The canonical trees with all assumptions that rewrite rules can make."""
    known: tuple[tuple[Difference, ...], tuple[Difference, ...]] | None = None
    """The :func:`differences` of the canonical trees and of those as written, if they are known."""


def clearest(views: Views, *, equal: bool = False) -> tuple[Difference, ...]:
    """The differences of the prediction from the reference, from the trees that show fewer.

    Canonical trees leave out differences that do not matter, but rewriting can also make queries
    that are written alike less similar. It may assume that nothing ties and nothing is NULL: if
    only one query handles ties or NULL, that difference is added.

    Args:
        equal: True if the canonical trees are known to be equal; only differences about ties and
            NULL are added then.
    """
    found, plain = views.known or (differences(*views.canonical), differences(*views.written))
    assumed = [each for each in plain if each.kind is DifferenceKind.TIES]
    nulls = list(filter(_is_about_null, plain))
    if nulls:
        declared = differences(*views.declared())
        assumed += [each for each in nulls if each in declared]
    if equal:
        return ranked([*found, *assumed])
    never = [each for each in found if each.kind is DifferenceKind.NEVER]
    margin = 0 if never or assumed else _MARGIN
    much_clearer = not found or distance(found) >= distance(plain) + margin
    # If both forms show the same kinds of differences, prefer the text of the queries as written.
    clauses = [sorted((each.clause, each.inside != "") for each in side) for side in (found, plain)]
    is_alike = clauses[0] == clauses[1] and distance(plain) <= distance(found)
    if plain and (much_clearer or is_alike):
        found = plain
    # If both queries return each row once, a missing or added DISTINCT makes no difference.
    once = all(map(_gives_each_once, views.written))
    shown = [
        each
        for each in found
        if not (once and each.kind is DifferenceKind.REPEATS and each.clause is Clause.DISTINCT)
    ]
    return ranked([*never, *assumed, *shown])


def _is_about_null(difference: Difference) -> bool:
    """True for a condition IS NULL or IS NOT NULL that only one query has."""
    text = difference.reference or difference.prediction or ""
    one_sided = difference.kind in (DifferenceKind.MISSING, DifferenceKind.EXTRA)
    alone = not difference.inside and "(" not in text
    return one_sided and alone and text.endswith((" IS NULL", " IS NOT NULL"))


def _gives_each_once(relation: Relation) -> bool:
    while isinstance(relation, Sort | Limit | Project):
        relation = relation.input
    return isinstance(relation, Distinct) or (
        isinstance(relation, SetOperation) and not relation.all
    )
