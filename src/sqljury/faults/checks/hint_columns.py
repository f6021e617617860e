"""A column that the hint names, and the query does not read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query

_REFERS = re.compile(
    r"(?:refers? to|represents?|means?|is|=|as)\s+(?:the\s+)?(?:(?:max|min|sum|avg|count)\s*\(\s*)?"
    r"(?:distinct\s+)?(?:\w+\.)?[`\"']?(?P<name>[A-Za-z_][\w ()%/-]*?)[`\"']?\s*\)?\s*"
    r"(?:[;,.]|$| in the | = | < | > | is )",
    re.IGNORECASE,
)


@check("AU504", sees=Sees.TREE | Sees.HINT, read=(4, 6))
def hint_column_unused(query: Query) -> Iterator[Finding]:
    """The hint says which column is meant, and the query reads no column of that name."""
    assert query.schema is not None, "there is a tree"
    names = {c.name.casefold(): c.name for t in query.schema.tables for c in t.columns}
    for found in _REFERS.finditer(query.hint):
        name = found["name"].strip().casefold()
        if name in names and name not in query.columns_read:
            yield Finding(
                reason=f"the hint speaks of {names[name]}, which the query does not read.",
                evidence={"hint": found[0].strip()},
            )


@check("AU505", sees=Sees.TREE | Sees.HINT, read=(1, 1))
def hint_formula_missing(query: Query) -> Iterator[Finding]:
    """The hint writes a division, an average or a distinct count, and the query has none."""
    sql = query.sql.upper()
    for pattern, needed, what in _FORMULAS:
        if re.search(pattern, query.hint, re.IGNORECASE) and not re.search(needed, sql):
            yield Finding(reason=f"the hint has {what}, and the query has none.")


_FORMULAS = (
    (r"\bdivide\s*\(", r"/|\bAVG\b", "a division"),
    (r"\bavg\s*\(", r"\bAVG\b|/", "an average"),
    (r"(?<!max\()(?<!min\()\bsubtract\s*\(", r"-", "a difference"),
    (r"\bmax\s*\(", r"\bMAX\b|\bORDER BY\b|\bRANK\b", "a maximum"),
    (r"\bmin\s*\(", r"\bMIN\b|\bORDER BY\b|\bRANK\b", "a minimum"),
)
