"""Rules for IN, NOT IN, ANY and ALL with a subquery."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.block import Block, flatten, rebuilt
from sqljury.equivalence.blocks.chain import reading
from sqljury.equivalence.blocks.forms import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.blocks.selection import questions, with_inner
from sqljury.equivalence.rules.base import CONDITION, RELATION, Rewritten, Scope, rule
from sqljury.equivalence.rules.exists import with_joins
from sqljury.equivalence.rules.joins import foreign_key_join
from sqljury.sql.comparisons import NEGATED
from sqljury.trees.conditions import conjunction, disjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Distinct,
    Expression,
    Filter,
    Join,
    Outer,
    Project,
    Ref,
    Relation,
    Scan,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import deepen

# ---------------------------------------------------------------- in to exists
# ``x IN (SELECT …)``, ``x op ANY (SELECT …)``: EXISTS of a row for which the comparison is true.
#
# In conditions only: as a value, IN may be NULL where EXISTS is false.


@rule(CONDITION, at={"Subquery", "NOT"}, needs={"Subquery"})
def in_to_exists(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE x IN (SELECT y FROM t)`` → ``WHERE EXISTS (SELECT 1 FROM t WHERE x = y)``.

    Only in conditions: as a value, IN may be NULL where EXISTS is false.
    """
    match expression:
        case Subquery(kind=SubqueryKind.IN):
            return _some_row(expression.relation, expression.operands, "=")
        case Subquery(kind=SubqueryKind.ANY):
            return _some_row(expression.relation, expression.operands, expression.operator)
        case Call(name="NOT", operands=(Subquery(kind=SubqueryKind.ALL) as every,)):
            # ALL is FALSE, and not NULL, if the comparison with one row is false.
            if every.operator in NEGATED:
                return _some_row(every.relation, every.operands, NEGATED[every.operator])
    return None


def _some_row(
    relation: Relation, operands: tuple[Expression, ...], operator: str
) -> Expression | None:
    if is_volatile(*operands) or (len(operands) > 1 and operator != "="):
        return None
    equal = (Call(operator, (deepen(x, 1), Ref(i))) for i, x in enumerate(operands))
    return Subquery(SubqueryKind.EXISTS, Filter(relation, conjunction(equal)))


# ---------------------------------------------------------------- not in to not exists
# ``x NOT IN (SELECT …)``, ``x op ALL (SELECT …)``: NOT EXISTS of a row for which the comparison is
# not true.
#
# A comparison with NULL is not true, so a NULL in the subquery makes ``NOT IN`` return no rows. The
# result therefore tests for NULLs, unless there are none, which may be assumed.


@rule(
    RELATION,
    at={"Filter", "Join"},
    needs={"Subquery"},
    assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
)
def not_in_to_not_exists(relation: Relation, context: Context) -> Rewritten | None:
    """``x NOT IN (SELECT y …)`` → ``NOT EXISTS (SELECT 1 … WHERE x = y OR x IS NULL OR y IS
    NULL)``.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    asking = questions(relation)
    if asking is None:
        return None
    assert isinstance(relation, Filter | Join)
    found = _of_condition(relation.condition, asking[0], context)
    if found is None:
        return None
    return Rewritten(replace(relation, condition=found[0]), found[1])


def _of_condition(
    condition: Expression, row: Relation, context: Context
) -> tuple[Expression, Assumed] | None:
    """The condition with all its NOT IN and ALL rewritten, and the assumptions; None if none."""
    if isinstance(condition, Call) and condition.name in ("AND", "OR"):
        if condition.name == "AND":
            # Only rows for which all parts are true matter, so NULL can be excluded by any part.
            row = Filter(row, condition)
        parts = [_of_condition(part, row, context) for part in condition.operands]
        if not any(parts):
            return None
        new = tuple(p[0] if p else o for p, o in zip(parts, condition.operands, strict=True))
        return Call(condition.name, new), NOTHING.union(*(p[1] for p in parts if p))
    every = _for_every_row(condition)
    if every is None or is_volatile(*every.operands):
        return None
    return _no_row(every, row, context)


def _for_every_row(condition: Expression) -> Subquery | None:
    """The condition as ``x op ALL (…)``, or None; with several columns only ``<>`` is possible."""
    match condition:
        case Call(name="NOT", operands=(Subquery(kind=SubqueryKind.IN) as sub,)):
            return Subquery(SubqueryKind.ALL, sub.relation, sub.operands, "<>")
        case Call(name="NOT", operands=(Subquery(kind=SubqueryKind.ANY) as sub,)):
            operator = NEGATED.get(sub.operator)
            if operator is None or (len(sub.operands) > 1 and operator != "<>"):
                return None
            return Subquery(SubqueryKind.ALL, sub.relation, sub.operands, operator)
        case Subquery(kind=SubqueryKind.ALL) if condition.operator in NEGATED:
            several = len(condition.operands) > 1
            return None if several and condition.operator != "<>" else condition
    return None


def _no_row(every: Subquery, row: Relation, context: Context) -> tuple[Expression, Assumed]:
    assumed: Assumed = NOTHING
    parts = []
    for i, x in enumerate(every.operands):
        outside, known_outside = _if_null(x, row, context)
        inside, known_inside = _if_null(Ref(i), every.relation, context)
        assumed |= known_outside | known_inside
        compared = Call(NEGATED[every.operator], (deepen(x, 1), Ref(i)))
        nulls = (*(deepen(e, 1) for e in outside), *inside)
        parts.append(disjunction((compared, *nulls)))
    rows = Filter(every.relation, conjunction(parts))
    return Call("NOT", (Subquery(SubqueryKind.EXISTS, rows),)), assumed


def _if_null(x: Expression, row: Relation, context: Context) -> tuple[list[Expression], Assumed]:
    """The condition that x is NULL; empty if x is never NULL under the returned assumptions."""
    assumed = assumed_for_not_null((x,), row, context)
    return ([], assumed) if assumed is not None else ([Call("IS NULL", (x,))], NOTHING)


# ---------------------------------------------------------------- is to equal
# ``IS`` between columns is ``=`` if one of them is never NULL, which may be assumed.
#
# Set operations compare by IS and are rewritten to EXISTS. So only conditions inside EXISTS are
# rewritten, not an IS that the query itself has elsewhere.


@rule(
    RELATION,
    at={"Filter", "Join"},
    needs={"IS"},
    assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
)
def is_to_equal(relation: Relation, context: Context) -> Rewritten | None:
    """``EXISTS (… WHERE x IS y)`` → ``EXISTS (… WHERE x = y)`` where x or y is never NULL.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """

    def with_equalities(rows: Relation, inner: Relation) -> tuple[Relation, Assumed] | None:
        block = flatten(inner).block
        base = rebuilt(Block(block.inputs, block.outer_joined, []))
        found = [_equal(each, base, rows, context) for each in block.conjuncts]
        if not any(found):
            return None
        new = [f[0] if f else old for f, old in zip(found, block.conjuncts, strict=True)]
        made = rebuilt(Block(block.inputs, block.outer_joined, new))
        return made, NOTHING.union(*(f[1] for f in found if f))

    changed = with_inner(relation, with_equalities)
    return None if changed is None else Rewritten(*changed)


def _equal(
    part: Expression, base: Relation, rows: Relation, context: Context
) -> tuple[Expression, Assumed] | None:
    """``=`` in place of IS, with its assumptions; None if both columns may be NULL."""
    match part:
        case (
            Call(name="IS", operands=(Ref() as inside, Outer(level=1) as around))
            | Call(name="IS", operands=(Outer(level=1) as around, Ref() as inside))
        ):
            pass
        case _:
            return None
    sides = (
        assumed_for_not_null((inside,), base, context),
        assumed_for_not_null((Ref(around.index),), rows, context),
    )
    known = [assumed for assumed in sides if assumed is not None]
    if not known:
        return None
    return Call("=", part.operands), min(known, key=lambda a: (len(a), sorted(a)))


# ---------------------------------------------------------------- key of children
# The keys of rows that have children are the values of the children's foreign key.
#
# ``SELECT id FROM t WHERE id IN (SELECT t_id FROM c)`` is ``SELECT DISTINCT t_id FROM c`` without
# NULLs, because only the key of ``t`` is read.


_MOST_QUESTIONS = 8


@rule(
    RELATION,
    at={"Project"},
    needs={"Subquery"},
    assumes={Assumption.PRIMARY_KEY, Assumption.FOREIGN_KEY},
)
def key_of_children(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT id FROM t WHERE id IN (SELECT t_id FROM c)`` → ``SELECT DISTINCT t_id FROM c
    WHERE t_id IS NOT NULL``.

    Assumes foreign key: every child has a parent row; and primary key: it has only one.
    """
    match relation:
        case Project(input=Filter(input=Scan()), expressions=(Ref() as key,)):
            unique = assumed_for_unique(relation.input, (key.index,), context)
        case _:
            return None
    if unique is None or not context.may(Assumption.FOREIGN_KEY):
        return None
    joined = _all_joined(relation.input)
    found = reading(Project(joined, (key,), relation.names)) if joined is not None else None
    assumed = foreign_key_join(found, context) if found is not None else None
    if found is None or assumed is None:
        return None
    return Rewritten(Distinct(found.rebuilt()), unique | assumed)


def _all_joined(rows: Relation) -> Relation | None:
    """The same set of rows with joins in place of every EXISTS; None if there is no EXISTS."""
    joined = None
    for _ in range(_MOST_QUESTIONS):
        more = with_joins(rows)
        if more is None:
            break
        joined = rows = more
    return joined
