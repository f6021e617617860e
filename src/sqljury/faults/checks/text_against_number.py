"""The text that a function returns, compared with a number."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import calls
from sqljury.trees.nodes import Call, Expression, Literal, Type

_TEXTS = frozenset(("STRFTIME", "SUBSTR", "SUBSTRING", "DATE", "TIME", "REPLACE", "TRIM", "LOWER"))
_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN")


@check("AU109", sees=Sees.TREE)
def text_against_number(query: Query) -> Iterator[Finding]:
    """The text that a function returns is compared with a number: in SQLite never equal."""
    if query.dialect != "sqlite":
        return
    for site in query.sites:
        for call in calls(site, *_COMPARED):
            text = next((one for one in call.operands if _is_text(one)), None)
            if isinstance(text, Call) and any(map(_is_number, call.operands)):
                yield Finding(
                    reason=f"{text.name}(…) is a text: in SQLite it is greater than every number.",
                    part=text.name,
                )


def _is_text(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.name in _TEXTS


def _is_number(expression: Expression) -> bool:
    numbers = (Type.INTEGER, Type.REAL, Type.SINGLE, Type.DECIMAL)
    return isinstance(expression, Literal) and expression.type in numbers
