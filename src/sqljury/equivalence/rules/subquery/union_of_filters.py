"""A UNION of selections from one relation is one selection with OR.

What is joined only to ask whether there is a partner is a condition here: ``SELECT id FROM t WHERE
x = 1 UNION SELECT t.id FROM t JOIN u …`` has all rows with x = 1 or with a partner.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.equivalence.blocks.selection import FilteredBase, selection, with_questions
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.subquery.exists_merge import any_of
from sqljury.trees.context import Context
from sqljury.trees.nodes import Distinct, Expression, Relation, SetKind, SetOperation


@rule(RELATION, at={"Distinct"}, order=230)
def union_of_filters(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT … WHERE p UNION SELECT … WHERE q`` → ``SELECT DISTINCT … WHERE p OR q``."""
    del context
    match relation:
        case Distinct(input=SetOperation(kind=SetKind.UNION) as union):
            found = [selection(part) for part in union.inputs]
        case _:
            return None
    parts = _merged(union.inputs, found)
    if parts is None:
        asking = [each and (with_questions(each) or each) for each in found]
        parts = _merged(union.inputs, asking)
    if parts is None:
        return None
    one = parts[0] if len(parts) == 1 else SetOperation(SetKind.UNION, True, tuple(parts))
    return Rewritten(Distinct(one))


def _merged(
    inputs: Sequence[Relation], found: Sequence[FilteredBase | None]
) -> list[Relation] | None:
    """The inputs with those of one base and output merged; None if there are no such."""
    groups: dict[tuple[Relation, tuple[Expression, ...]], list[int]] = {}
    for i, each in enumerate(found):
        if each is not None:
            groups.setdefault((each.base, each.outputs), []).append(i)
    if all(len(group) == 1 for group in groups.values()):
        return None
    merged = {i for group in groups.values() if len(group) > 1 for i in group}
    parts = [part for i, part in enumerate(inputs) if i not in merged]
    for group in groups.values():
        same = [each for i in group if (each := found[i]) is not None]
        if len(same) > 1:
            parts.append(same[0].relation(any_of([each.conjuncts for each in same])))
    return parts
