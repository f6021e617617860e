"""What the question asks to compute, and the query does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query

_ASKED = (
    (r"how many", r"COUNT|SUM|\+|-|/", "a count"),
    (r"the average|mean (?:of|value)", r"\bAVG\b|/|AVERAGE|AVG|MEAN", "an average"),
    (
        r"(?:is|are|calculate) the (?:percentage|proportion|ratio)",
        r"/|PERCENT|RATIO|RATE|AVG",
        "a ratio",
    ),
)


@check("AU512", sees=Sees.TREE | Sees.QUESTION, read=(2, 4))
def asked_function(query: Query) -> Iterator[Finding]:
    """The question asks for a count, an average or a ratio, and the query computes none."""
    sql = query.sql.upper()
    for asked, needed, what in _ASKED:
        if (
            query.wording.says(asked)
            and not re.search(needed, sql)
            and not _is_stored(query, asked)
        ):
            yield Finding(reason=f"the question asks for {what}, and the query computes none.")


def _plain(sql: str) -> str:
    """In capitals, without quotation marks, and without spaces behind signs."""
    return re.sub(r"(?<==)\s+", "", sql.upper().replace("'", "").replace('"', ""))


def _is_stored(query: Query, asked: str) -> bool:
    """Whether a column of numbers that the query reads may hold the answer already."""
    kinds = ("int", "real", "float", "num", "dec", "doub")
    return asked == "how many" and any(
        column.name.casefold() in query.columns_shown and column.type.lower().startswith(kinds)
        for table in query.tables
        for column in table.columns
    )


@check("AU513", sees=Sees.TREE | Sees.QUESTION, read=(1, 1))
def negation_missing(query: Query) -> Iterator[Finding]:
    """The question says not, never or without, and the query negates nothing."""
    asked = (
        r"(?:do|does|did|have|has|had|are|is|was|were|can) not|don't|doesn't|didn't|never|"
        r"without|haven't|hasn't|isn't|aren't|wasn't|weren't|except"
    )
    negates = r"\bNOT\b|\bEXCEPT\b|!=|<>|\bNULL\b|\bLEFT\b|=(?:0|N|F)|\bMINUS\b|<"
    if query.wording.says(asked) and not re.search(negates, _plain(query.sql)) and not query.hint:
        yield Finding(reason="the question has a negation, and the query has none.")
