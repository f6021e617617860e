"""LIKE with a pattern that has no wildcard."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import with_text_replaced
from sqljury.faults.query import Query
from sqljury.faults.searching import is_in

_PARTS = (
    r"contain\w*|includ\w*|substring|keyword|letters?|phrase|words?|starts?|begins?|ends?|part of"
)


@check("AU104", sees=Sees.TREE | Sees.QUESTION)
def like_without_wildcard(query: Query) -> Iterator[Finding]:
    """LIKE has a pattern without a wildcard where the question asks for a part of the text."""
    for one in query.comparisons:
        pattern = one.constants[0].value
        if one.operator not in ("LIKE", "ILIKE") or not isinstance(pattern, str):
            continue
        if "%" in pattern or "_" in pattern or not query.said.says(_PARTS):
            continue
        proposal = with_text_replaced(query.sql, pattern, f"%{pattern}%", query.dialect)
        table = query.result.table
        if proposal is None or table is None or query.rows(proposal) != table.rows:
            reason = f"LIKE {pattern!r} has no wildcard and finds whole values only."
            yield Finding(reason=reason, part=pattern, proposal=proposal)


@check("AU105", sees=Sees.TREE | Sees.ROWS)
def wildcard_in_equality(query: Query) -> Iterator[Finding]:
    """A text with a wildcard is compared by = and not by LIKE."""
    for one in query.comparisons:
        for constant in one.constants:
            text = constant.value
            if one.operator not in ("=", "<>", "IN") or not isinstance(text, str):
                continue
            if text.strip("%") != text and not is_in(query, one.table, one.column.name, text):
                reason = (
                    f"{one.column.name} {one.operator} {text!r} compares with the sign % itself."
                )
                yield Finding(reason=reason, part=text)
