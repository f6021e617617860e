"""``x NOT IN (SELECT …)``, ``x op ALL (SELECT …)``: there is no row for which it is not true.

A comparison with NULL is not true either, so one NULL among the rows makes ``NOT IN`` true for
nobody. The NULLs are written out, unless there are none; that may be assumed.
"""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.exists_join import questions
from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.subquery.in_to_exists import NEGATED
from sqljury.trees.conditions import conjunction, disjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Expression,
    Filter,
    Join,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import deepen


@rule(
    RELATION,
    at={"Filter", "Join"},
    needs={"Subquery"},
    assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    order=200,
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
    """The condition with its parts under AND and OR rewritten, None if there are none."""
    if isinstance(condition, Call) and condition.name in ("AND", "OR"):
        if condition.name == "AND":
            # A row for which another part is not true does not count.
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
    """The condition as ``x op ALL (…)``; rows of several columns can only be ``<>``."""
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
    """The test for NULL, unless there is none to test for."""
    assumed = assumed_for_not_null((x,), row, context)
    return ([], assumed) if assumed is not None else ([Call("IS NULL", (x,))], NOTHING)
