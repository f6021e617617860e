"""A clause that the question asks for, and the query does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query

_SUPERLATIVE = (
    r"highest|lowest|largest|smallest|biggest|oldest|youngest|longest|shortest|"
    r"tallest|heaviest|earliest|latest|fewest|greatest|most common\w*|cheapest|"
    r"the most|the least|newest"
)
_EXTREME = r"\bORDER BY\b|\bMAX\b|\bMIN\b|\bRANK\b|\bALL\b|\bNOT EXISTS\b|\bROW_NUMBER\b|_RANK\b"
_SORTED = (
    r"(?:sort|sorted|order|ordered|ordering|rank|ranked|ranking) (?:\w+ ){0,4}(?:by|"
    r"from|according)|alphabetical\w*|(?:ascending|descending|chronological|"
    r"lexicographic\w*) order"
)
_GROUPED = r"(?:for|of|in|by|from|per|at|to) each"
_GROUPS = r"\bGROUP BY\b|\bPARTITION\b|\bOVER\b|\bDISTINCT\b"


@check("AU518", sees=Sees.TREE | Sees.QUESTION)
def superlative_missing(query: Query) -> Iterator[Finding]:
    """The question asks for the highest or the like, and the query neither sorts nor compares."""
    text = re.sub(r"at (?:the )?(?:most|least)|most recent\w*", " ", query.wording.lower)
    found = re.search(rf"\b(?:{_SUPERLATIVE})\b", text)
    if found and not re.search(_EXTREME, query.sql.upper()) and not _is_name(query, found[0]):
        reason = (
            f"the question says {found[0]!r}, and the query neither sorts nor takes an extreme."
        )
        yield Finding(reason=reason, part="ORDER BY")


@check("AU519", sees=Sees.TREE | Sees.QUESTION)
def order_missing(query: Query) -> Iterator[Finding]:
    """The question asks for an order, and the query has none."""
    found = re.search(rf"\b(?:{_SORTED})\b", query.wording.lower)
    if found and not re.search(r"\bORDER BY\b|\bRANK\b|ROW_NUMBER|_RANK", query.sql.upper()):
        reason = f"the question says {found[0]!r}, and the query has no ORDER BY."
        yield Finding(reason=reason, part="ORDER BY")


@check("AU520", sees=Sees.TREE | Sees.QUESTION, read=(4, 4))
def group_missing(query: Query) -> Iterator[Finding]:
    """The question asks for a figure for each of some things, and the query has no groups."""
    aggregates = re.search(r"\b(?:COUNT|SUM|AVG|MIN|MAX)\s*\(", query.sql.upper())
    found = re.search(rf"\b(?:{_GROUPED})\b", query.wording.lower)
    if found and aggregates and not re.search(_GROUPS, query.sql.upper()):
        reason = f"the question says {found[0]!r}, and the query has no GROUP BY."
        yield Finding(reason=reason, part="GROUP BY")


@check("AU521", sees=Sees.TREE | Sees.QUESTION)
def percentage_without_100(query: Query) -> Iterator[Finding]:
    """The question asks for a percentage, and the query divides without multiplying by 100."""
    divides = query.wording.says("percentages?|percent") and "/" in query.sql
    if divides and "100" not in query.sql and "100" in query.hint:
        yield Finding(reason="the query gives a fraction, not a percentage.", part="/")


def _is_name(query: Query, word: str) -> bool:
    """Whether a column or a value has the word in it, or the hint explains it otherwise."""
    root = word.split()[-1].removesuffix("st").removesuffix("e")
    return root in query.sql.lower() or word in query.hint.lower()
