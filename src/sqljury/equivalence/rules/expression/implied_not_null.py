"""``x IS NOT NULL`` beside a condition that is never true for NULL."""

from __future__ import annotations

from sqljury.equivalence.rules.base import CONDITION, Scope, rule
from sqljury.trees.nodes import FALSE, Call, Expression, Ref
from sqljury.trees.types import null_rejected


@rule(CONDITION, at={"AND", "OR"}, order=150)
def implied_not_null(expression: Expression, _: Scope) -> Expression | None:
    """``x = y AND x IS NOT NULL`` → ``x = y``; ``x = y AND x IS NULL`` → FALSE; ``x = y OR x IS
    NOT NULL`` → ``x IS NOT NULL``."""
    assert isinstance(expression, Call)
    tested = {part: _tested(part) for part in expression.operands}
    if all(found is None for found in tested.values()):
        return None
    others = [part for part in expression.operands if tested[part] is None]
    rejected = [null_rejected(part) for part in others]
    if expression.name == "OR":
        not_null = {found[0] for found in tested.values() if found is not None and found[1]}
        gone = [o for o, r in zip(others, rejected, strict=True) if not_null & r]
        return _without(expression, gone)
    all_rejected = frozenset[int]().union(*rejected)
    gone = []
    for part, found in tested.items():
        if found is not None and found[0] in all_rejected:
            if not found[1]:
                return FALSE
            gone.append(part)
    return _without(expression, gone)


def _tested(part: Expression) -> tuple[int, bool] | None:
    """The column that is tested for NULL, and whether it must not be."""
    match part:
        case Call(name="IS NULL", operands=(Ref(index=index),)):
            return index, False
        case Call(name="NOT", operands=(Call(name="IS NULL", operands=(Ref(index=index),)),)):
            return index, True
        case _:
            return None


def _without(expression: Call, gone: list[Expression]) -> Expression | None:
    if not gone:
        return None
    kept = tuple(part for part in expression.operands if part not in gone)
    return kept[0] if len(kept) == 1 else Call(expression.name, kept)
