"""COUNT of a CASE for a condition on all that is counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def count_case(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``COUNT(CASE WHEN c THEN 1 END)`` for ``COUNT(*) … WHERE c``."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    alone = len(node.selects) == 1 and isinstance(node.selects[0], exp.Count)
    plain = not any(node.args.get(one) for one in ("group", "having", "limit"))
    if alone and plain and isinstance(node.selects[0].this, exp.Star):
        yield _case


def _case(select: exp.Select) -> None:
    from sqlglot import exp

    condition = select.args["where"].this.copy()
    case = exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))])
    select.set("expressions", [exp.Count(this=case, big_int=True)])
    select.set("where", None)
