"""``x IN (SELECT …)``, ``x op ANY (SELECT …)``: there is a row for which the comparison is true.

As a condition only: as a value, IN is NULL where EXISTS is false.
"""

from __future__ import annotations

from sqljury.equivalence.rules.base import CONDITION, Scope, rule
from sqljury.trees.conditions import conjunction
from sqljury.trees.nodes import (
    Call,
    Expression,
    Filter,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import deepen

NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@rule(CONDITION, at={"Subquery", "NOT"}, needs={"Subquery"}, order=180)
def in_to_exists(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE x IN (SELECT y FROM t)`` → ``WHERE EXISTS (SELECT 1 FROM t WHERE x = y)``.

    As a value IN is NULL where EXISTS is false.
    """
    del scope
    match expression:
        case Subquery(kind=SubqueryKind.IN):
            return _some_row(expression.relation, expression.operands, "=")
        case Subquery(kind=SubqueryKind.ANY):
            return _some_row(expression.relation, expression.operands, expression.operator)
        case Call(name="NOT", operands=(Subquery(kind=SubqueryKind.ALL) as every,)):
            # False, and not NULL, where the comparison with some row is false.
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
