"""A relation as a base with conditions, and the relation of an EXISTS as a side of a join."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sqljury.equivalence.blocks.block import Block, flatten, rebuilt
from sqljury.equivalence.blocks.forms import Assumed
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.nodes import (
    TRUE,
    Aggregate,
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Outer,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.volatile import any_volatile, has_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen_relation,
    map_outer_references,
    map_references,
    outer_references,
    over_pair,
    references,
    renumber,
    shift,
    substitute,
    width,
)

# ---------------------------------------------------------------- selection
# A relation as output expressions over those rows of a base that satisfy conditions.


@dataclass(frozen=True, slots=True)
class FilteredBase:
    """A selection: ``outputs`` over the rows of ``base`` where all ``conjuncts`` are true.

    ``base`` has no conditions itself, except those of outer joins.
    """

    base: Relation
    conjuncts: tuple[Expression, ...]
    outputs: tuple[Expression, ...]

    def relation(self, condition: Expression) -> Relation:
        """The selection as a relation, with this condition instead of its own."""
        return Project(filtered(self.base, condition), self.outputs)

    def where(self, *parts: Expression) -> Relation:
        """The selection as a relation, with these conditions instead of its own."""
        return self.relation(conjunction(parts))


def selection(relation: Relation) -> FilteredBase | None:
    """The relation as base, conditions and outputs; None if anything in it is volatile."""
    if has_volatile(relation):
        return None
    flat = flatten(relation)
    base = rebuilt(Block(flat.block.inputs, flat.block.outer_joined, []))
    return FilteredBase(base, tuple(dict.fromkeys(flat.block.conjuncts)), flat.outputs)


def with_questions(chosen: FilteredBase) -> FilteredBase | None:
    """The same set of rows with EXISTS in place of the inputs that no output reads.

    Duplicates may be lost. None if outputs read all inputs or none, or if there are outer joins.
    """
    block = flatten(chosen.base).block
    owners = block.owners()
    shown = {owners[c] for e in chosen.outputs for c in columns_read(e)}
    if block.outer_joined or not shown or len(shown) == len(block.inputs):
        return None
    core = [part for i, part in enumerate(block.inputs) if i in shown]
    rest = [part for i, part in enumerate(block.inputs) if i not in shown]
    place = _places(owners, shown)

    def in_core(level: int, index: int) -> Expression:
        return Ref(place[index]) if level == 0 else Outer(level, index)

    def in_rest(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level + 1, index)
        return Outer(1, place[index]) if owners[index] in shown else Ref(place[index])

    own, asked = [], []
    for part in chosen.conjuncts:
        if all(owners[c] in shown for c in columns_read(part)):
            own.append(map_references(part, in_core))
        else:
            asked.append(map_references(part, in_rest))
    others = deepen_relation(rebuilt(Block(rest)))
    question = Subquery(SubqueryKind.EXISTS, filtered(others, conjunction(asked)))
    outputs = tuple(map_references(e, in_core) for e in chosen.outputs)
    return FilteredBase(rebuilt(Block(core)), (*own, question), outputs)


def _places(owners: list[int], shown: set[int]) -> list[int]:
    """For each column its place among the columns of shown inputs, or among those of the others."""
    found: list[int] = []
    free = {True: 0, False: 0}
    for owner in owners:
        found.append(free[owner in shown])
        free[owner in shown] += 1
    return found


# ---------------------------------------------------------------- exists join
# The relation of an EXISTS, joined to the relation on whose rows the EXISTS is a condition.


def asked(condition: Expression) -> Relation | None:
    """The relation inside an EXISTS; None if the condition is no EXISTS."""
    if isinstance(condition, Subquery) and condition.kind is SubqueryKind.EXISTS:
        return condition.relation
    return None


def not_exists(relation: Relation) -> Expression:
    """The condition NOT EXISTS: the relation has no row."""
    return Call("NOT", (Subquery(SubqueryKind.EXISTS, relation),))


def questions(relation: Relation) -> tuple[Relation, tuple[Expression, ...]] | None:
    """The rows and the conditions of a filter or inner join whose conditions have subqueries.

    None for any other relation, or if a condition is volatile.
    """
    match relation:
        case Filter():
            rows = relation.input
        case Join(kind=JoinKind.INNER, lateral=False):
            rows = Join(JoinKind.INNER, relation.left, relation.right, TRUE)
        case _:
            return None
    parts = conjuncts(relation.condition)
    if any_volatile(parts) or not any(_has_query(part) for part in parts):
        return None
    return rows, parts


def with_inner(
    relation: Relation, rewritten: Callable[[Relation, Relation], tuple[Relation, Assumed] | None]
) -> tuple[Relation, Assumed] | None:
    """A relation with the first EXISTS or NOT EXISTS of its conditions rewritten, and the
    assumptions that needed; None if ``rewritten`` changes none.

    Args:
        rewritten: takes the rows that the condition filters and the relation inside EXISTS;
            returns a new relation for EXISTS and its assumptions, or None.
    """
    asking = questions(relation)
    if asking is None:
        return None
    rows, parts = asking
    for i, part in enumerate(parts):
        positive, negations = part, 0
        while isinstance(positive, Call) and positive.name == "NOT":
            positive, negations = positive.operands[0], negations + 1
        inner = asked(positive)
        found = None if inner is None or has_volatile(inner) else rewritten(rows, inner)
        if found is not None:
            new: Expression = Subquery(SubqueryKind.EXISTS, found[0])
            for _ in range(negations):
                new = Call("NOT", (new,))
            return Filter(rows, conjunction((*parts[:i], new, *parts[i + 1 :]))), found[1]
    return None


def _has_query(part: Expression) -> bool:
    if isinstance(part, Call):
        return part.name in ("AND", "OR", "NOT") and any(map(_has_query, part.operands))
    return isinstance(part, Subquery)


def base_and_conjuncts(relation: Relation) -> tuple[Relation, tuple[Expression, ...]]:
    """The joined inputs of a relation without any condition, and all conditions on them.

    The base has the columns of the inputs, not the relation's: computed columns are left out.
    """
    block = flatten(relation).block
    lifted = [_lifted(part) for part in block.inputs]
    parts = [
        shift(part, start)
        for start, (_, own) in zip(block.offsets(), lifted, strict=False)
        for part in own
    ]
    base = rebuilt(Block([part for part, _ in lifted], block.outer_joined, []))
    return base, (*block.conjuncts, *parts)


def _lifted(relation: Relation) -> tuple[Relation, list[Expression]]:
    """An aggregate without the conditions on its keys that read the outer row, and those.

    A condition on keys removes whole groups, so it may be before GROUP BY or after it.
    """
    if not isinstance(relation, Aggregate) or not relation.keys:
        return relation, []
    flat = flatten(relation.input)
    keys = [substitute(key, flat.outputs) for key in relation.keys]
    place = {key.index: i for i, key in enumerate(keys) if isinstance(key, Ref)}
    inside, lifted = [], []
    for part in flat.block.conjuncts:
        around = any(level == 1 for level, _ in references(part))
        if around and columns_read(part) <= place.keys():
            lifted.append(renumber(part, place.__getitem__))
        else:
            inside.append(part)
    if not lifted:
        return relation, []
    rows = rebuilt(Block(flat.block.inputs, flat.block.outer_joined, inside))
    return replace(relation, input=Project(rows, flat.outputs)), lifted


def beside(row: Relation, relation: Relation) -> tuple[Relation, tuple[Expression, ...]] | None:
    """The relation of an EXISTS on ``row`` as the right side of an inner join with ``row``.

    Returns the base of the relation, and its conditions over the joined row. None if anything is
    volatile, or if the base itself reads the outer row, which would need a lateral join.
    """
    if has_volatile(relation):
        return None
    base, parts = base_and_conjuncts(relation)
    if any(level == 1 for level, _ in outer_references(base)):
        return None
    by = width(row)
    moved = map_outer_references(base, lambda level, index: Outer(level - 1, index))
    return moved, tuple(over_pair(part, by) for part in parts)


def joined_rows(
    row: Relation, right: Relation, parts: Iterable[Expression], rest: Iterable[Expression]
) -> Relation:
    """The inner join of ``row`` and ``right`` under all conditions, with the columns of ``row``."""
    pair = Join(JoinKind.INNER, row, right, TRUE)
    rows = Filter(pair, conjunction([*parts, *rest]))
    return Project(rows, tuple(map(Ref, range(width(row)))))
