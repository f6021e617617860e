"""Names for what is shown, and orders by those names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


_WORDS = {"Count": "num", "Sum": "total", "Avg": "average", "Max": "highest", "Min": "lowest"}


def output_names(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """AS after aggregates or after columns; or no names."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.parent_select is not None:
        return
    if any(isinstance(one, exp.Alias) for one in node.selects):
        return
    if any(isinstance(one, exp.AggFunc) for one in node.selects):
        yield _aggregates_named
    if all(isinstance(one, exp.Column) and not one.find(exp.Star) for one in node.selects):
        yield lambda n: n.set(
            "expressions", [exp.alias_(one.copy(), one.name.upper()) for one in n.selects]
        )


def _aggregates_named(select: exp.Select) -> None:
    from sqlglot import exp

    order = select.args.get("order")
    taken = {column.name.casefold() for column in select.find_all(exp.Column)}
    shown: list[exp.Expr] = []
    for place, one in enumerate(select.selects):
        if not isinstance(one, exp.AggFunc):
            shown.append(one.copy())
            continue
        name = _WORDS.get(type(one).__name__, "value")
        column = one.find(exp.Column)
        name = f"{name}_{column.name.lower()}" if column is not None else name
        while name in taken:
            name = f"{name}_{place}"
        taken.add(name)
        for key in order.expressions if order is not None else ():
            if key.this == one:
                key.set("this", exp.column(name))
        shown.append(exp.alias_(one.copy(), name))
    select.set("expressions", shown)
