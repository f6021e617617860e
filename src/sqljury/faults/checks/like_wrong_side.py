"""A pattern whose wildcard is on the other side than the question's start or end."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import with_text_replaced
from sqljury.faults.query import Query

_STARTS = (
    r"(?:start|starts|starting|begin|begins|beginning|started) (?:with|by|from|in)|"
    r"initial\w*|first letter\w*|prefix\w*"
)
_ENDS = r"(?:end|ends|ending|ended) (?:with|by|in)|last letters?|suffix\w*"
_CONTAINS = r"contain\w*|substrings?|includ(?:es|ing) the|has the word|have the word|with the word"


@check("AU106", sees=Sees.TREE | Sees.QUESTION)
def like_wrong_side(query: Query) -> Iterator[Finding]:
    """A LIKE pattern has its wildcard on the other side than the question says."""
    patterns = [
        one.constants[0].value for one in query.comparisons if one.operator in ("LIKE", "ILIKE")
    ]
    if len(patterns) != 1 or not isinstance(patterns[0], str) or not patterns[0].strip("%"):
        return
    wanted = _wanted(query, patterns[0].strip("%"))
    if wanted is not None and wanted != patterns[0] and "_" not in patterns[0]:
        yield Finding(
            reason=f"the question asks for LIKE {wanted!r}, and the query has {patterns[0]!r}.",
            part=patterns[0],
            proposal=with_text_replaced(query.sql, patterns[0], wanted, query.dialect),
        )


def _wanted(query: Query, core: str) -> str | None:
    says = [query.wording.says(one) for one in (_STARTS, _ENDS, _CONTAINS)]
    if sum(says) != 1 or query.wording.lower.count(core.lower()) > 1:
        return None
    return (f"{core}%", f"%{core}", f"%{core}%")[says.index(True)]
