"""Where duplicates do not count, EXISTS is an inner join.

So it is below DISTINCT, in an input of UNION, below GROUP BY with no aggregates but MIN, MAX and
DISTINCT ones, and inside another EXISTS.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.exists_join import asked, beside, joined_rows, questions
from sqljury.equivalence.rules.base import EXPRESSION, RELATION, Rewritten, Scope, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Project,
    Relation,
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.volatile import any_volatile
from sqljury.trees.walk import inputs, with_inputs

_BLIND = frozenset(("MIN", "MAX", "BARE"))
"""Aggregates that duplicates do not change; the others are if they are DISTINCT."""


@rule(RELATION, at={"Distinct", "Aggregate"}, needs={"Subquery", "Distinct", "Sort"}, order=300)
def exists_in_set(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT DISTINCT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE …)`` → ``SELECT DISTINCT x
    FROM a JOIN b ON …``."""
    del context
    if not ignores_duplicates(relation):
        return None
    assert isinstance(relation, Distinct | Aggregate)
    below = with_joins(relation.input)
    return Rewritten(with_inputs(relation, (below,))) if below is not None else None


def ignores_duplicates(relation: Relation) -> bool:
    """Whether a relation's rows do not depend on how often each row of its input occurs."""
    match relation:
        case Distinct():
            return True
        case Aggregate():
            return all(map(is_blind, relation.calls))
        case _:
            return False


def is_blind(call: AggregateCall) -> bool:
    """Whether duplicates among its rows do not change an aggregate."""
    return (call.distinct or call.name in _BLIND) and not call.order


@rule(EXPRESSION, at={"Subquery"}, order=590)
def exists_in_exists(expression: Expression, scope: Scope) -> Expression | None:
    """``EXISTS (SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE …))`` → ``EXISTS (SELECT 1
    FROM a JOIN b ON …)``."""
    del scope
    if not isinstance(expression, Subquery) or expression.kind is not SubqueryKind.EXISTS:
        return None
    below = with_joins(expression.relation)
    return Subquery(SubqueryKind.EXISTS, below) if below is not None else None


def with_joins(relation: Relation) -> Relation | None:
    """The same set of rows with joins in place of EXISTS; None if there is none."""
    match relation:
        case Filter() | Join(kind=JoinKind.INNER, lateral=False):
            return _of_questions(relation) or _below(relation)
        case Distinct() | Sort():
            return with_joins(relation.input) or relation.input
        case Project() if not any_volatile(relation.expressions):
            return _below(relation)
        case SetOperation(kind=SetKind.UNION):
            return _below(relation)
    return None


def _below(relation: Relation) -> Relation | None:
    new = [with_joins(below) for below in inputs(relation)]
    if not any(new):
        return None
    return with_inputs(relation, tuple(map(_either, new, inputs(relation))))


def _either(new: Relation | None, old: Relation) -> Relation:
    return new if new is not None else old


def _of_questions(relation: Relation) -> Relation | None:
    asking = questions(relation)
    if asking is None:
        return None
    rows, parts = asking
    for i, part in enumerate(parts):
        inner = asked(part)
        found = beside(rows, inner) if inner is not None else None
        if found is not None:
            return joined_rows(rows, *found, parts[:i] + parts[i + 1 :])
    return None
