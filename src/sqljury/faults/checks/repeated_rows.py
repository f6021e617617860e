"""Rows that are listed more than once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import edited
from sqljury.faults.query import Query, shown
from sqljury.faults.sites import blocks, leaves
from sqljury.trees.nodes import Aggregate, Distinct

_LISTS = r"which|list|what are|find|show|give|name|who|tell"
_DIFFERENT = r"different|distinct|unique"


@check("AU206", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, weak=True, read=(1, 4))
def repeated_rows(query: Query) -> Iterator[Finding]:
    """A join lists the same thing more than once, and the question asks which things there are."""
    rows = query.result.table.rows if query.result.table is not None else []
    found = list(blocks(query.tree))
    if len(found) != 1 or len(leaves(found[0][0])) < 2:
        return
    if any(isinstance(one, Aggregate | Distinct) for one in found[0][1]):
        return
    counts = Counter(repr(row) for row in rows)
    if query.wording.says(_LISTS) and len(counts) < len(rows):
        often = max(counts.values())
        first = next(row for row in rows if counts[repr(row)] == often)
        yield Finding(
            reason=f"{len(rows)} rows are {len(counts)} different ones.",
            part="SELECT",
            evidence={"row": shown([first]), "times": often},
            proposal=edited(query.sql, query.dialect, _distinct),
        )


@check("AU207", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, read=(1, 2))
def different_without_distinct(query: Query) -> Iterator[Finding]:
    """The question asks for different things, and the result has some of them twice."""
    rows = query.result.table.rows if query.result.table is not None else []
    counts = Counter(repr(row) for row in rows)
    if query.wording.says(_DIFFERENT) and len(counts) < len(rows):
        first = next(row for row in rows if counts[repr(row)] > 1)
        yield Finding(
            reason=f"{len(rows)} rows are {len(counts)} different ones.",
            part="SELECT",
            evidence={"row": shown([first]), "times": counts[repr(first)]},
            proposal=edited(query.sql, query.dialect, _distinct),
        )


def _distinct(tree: object) -> bool:
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return False
    tree.distinct(copy=False)
    return True
