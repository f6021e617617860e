"""Two questions about the rows of one relation become one.

``EXISTS (R where p) OR EXISTS (R where q)`` is ``EXISTS (R where p OR q)``; and so is
``NOT EXISTS (R where p) AND NOT EXISTS (R where q)`` a single NOT EXISTS.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.exists_join import base_and_conjuncts
from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.conditions import (
    conjunction,
    disjunction,
    filtered,
)
from sqljury.trees.nodes import Call, Expression, Relation, Subquery, SubqueryKind
from sqljury.trees.order import sort_key
from sqljury.trees.volatile import has_volatile


@rule(EXPRESSION, at={"OR", "AND"}, needs={"Subquery"}, order=580)
def exists_merge(expression: Expression, scope: Scope) -> Expression | None:
    """``EXISTS (… WHERE p) OR EXISTS (… WHERE q)`` → ``EXISTS (… WHERE p OR q)``."""
    del scope
    if not isinstance(expression, Call):
        return None
    negated = expression.name == "AND"
    bases: dict[Relation, list[tuple[Expression, ...]]] = {}
    rest: list[Expression] = []
    for part in expression.operands:
        relation = _relation(part, negated)
        if relation is None or has_volatile(relation):
            rest.append(part)
        else:
            base, parts = base_and_conjuncts(relation)
            bases.setdefault(base, []).append(parts)
    if all(len(conditions) == 1 for conditions in bases.values()):
        return None
    merged = [_exists(base, conditions, negated) for base, conditions in bases.items()]
    return (conjunction if negated else disjunction)(rest + merged)


def _relation(part: Expression, negated: bool) -> Relation | None:
    if negated:
        if not isinstance(part, Call) or part.name != "NOT":
            return None
        part = part.operands[0]
    if isinstance(part, Subquery) and part.kind is SubqueryKind.EXISTS:
        return part.relation
    return None


def _exists(base: Relation, conditions: list[tuple[Expression, ...]], negated: bool) -> Expression:
    exists = Subquery(SubqueryKind.EXISTS, filtered(base, any_of(conditions)))
    return Call("NOT", (exists,)) if negated else exists


def any_of(conditions: list[tuple[Expression, ...]]) -> Expression:
    """That all of one list is true: what the lists have in common, and the OR of the rest."""
    common = [c for c in dict.fromkeys(conditions[0]) if all(c in parts for parts in conditions)]
    rest = {conjunction(p for p in parts if p not in common): None for parts in conditions}
    # What asks for nothing more is true for all that the others ask for.
    if conjunction(()) in rest:
        return conjunction(common)
    return conjunction((*common, disjunction(sorted(rest, key=sort_key))))
