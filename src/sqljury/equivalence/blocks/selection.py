"""Relations as selections from a base, and what EXISTS asks of, as the right side of a join."""

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
# A relation as a selection: expressions over the rows of a base that satisfy conditions.


@dataclass(frozen=True, slots=True)
class FilteredBase:
    """``base`` has no condition of its own but those of outer joins."""

    base: Relation
    conjuncts: tuple[Expression, ...]
    outputs: tuple[Expression, ...]

    def relation(self, condition: Expression) -> Relation:
        """The selection as a relation, under another condition."""
        return Project(filtered(self.base, condition), self.outputs)

    def where(self, *parts: Expression) -> Relation:
        """The selection as a relation, under other conditions."""
        return self.relation(conjunction(parts))


def selection(relation: Relation) -> FilteredBase | None:
    """What a relation selects; None where something in it is volatile."""
    if has_volatile(relation):
        return None
    flat = flatten(relation)
    base = rebuilt(Block(flat.block.inputs, flat.block.outer_joined, []))
    return FilteredBase(base, tuple(dict.fromkeys(flat.block.conjuncts)), flat.outputs)


def with_questions(chosen: FilteredBase) -> FilteredBase | None:
    """The same set of outputs, with EXISTS in place of what is joined but not put out.

    None where everything is put out, or where there are outer joins.
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
    """For each column its place among those that are put out, or among the others."""
    found: list[int] = []
    free = {True: 0, False: 0}
    for owner in owners:
        found.append(free[owner in shown])
        free[owner in shown] += 1
    return found


# ---------------------------------------------------------------- exists join
# A query that EXISTS asks of, put beside the relation whose rows ask.


def asked(condition: Expression) -> Relation | None:
    """The relation of an EXISTS."""
    if isinstance(condition, Subquery) and condition.kind is SubqueryKind.EXISTS:
        return condition.relation
    return None


def not_exists(relation: Relation) -> Expression:
    """That a relation has no row."""
    return Call("NOT", (Subquery(SubqueryKind.EXISTS, relation),))


def questions(relation: Relation) -> tuple[Relation, tuple[Expression, ...]] | None:
    """Rows, and what must be true of them; None if no query is asked there.

    A join's condition is such a list as well as a filter's.
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
    """A relation with the first EXISTS or NOT EXISTS of its conditions rewritten, and what that
    assumed; None where ``rewritten`` changes none.

    Args:
        rewritten: gets the rows that ask and the relation that is asked of, gives that relation
            anew.
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

    The columns of the base are not those of the relation: what is computed is left out.
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
    """Groups without the conditions on their keys that read the row around, and these.

    A condition on keys leaves whole groups out, so it may stand on either side of GROUP BY.
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
    """What an EXISTS on ``row`` asks of, as the right side of an inner join with ``row``.

    That is the base of the relation, and its conditions over the pair of rows. None where the
    base depends on the row: only a lateral join could say that.
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
    """The columns of ``row``, once for each partner."""
    pair = Join(JoinKind.INNER, row, right, TRUE)
    rows = Filter(pair, conjunction([*parts, *rest]))
    return Project(rows, tuple(map(Ref, range(width(row)))))
