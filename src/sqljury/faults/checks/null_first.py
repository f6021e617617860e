"""NULL as the smallest value."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import edited
from sqljury.faults.query import Query, shown
from sqljury.sql import keyed_for_ties


@check("AU205", sees=Sees.TREE | Sees.ROWS)
def null_first(query: Query) -> Iterator[Finding]:
    """The first of the sorted rows has NULL for a key: a missing value is taken for an extreme."""
    keyed = keyed_for_ties(query.sql, query.dialect)
    if keyed is None or query.syntax is None or not query.syntax.args.get("limit"):
        return
    rows = query.rows(keyed.sql)
    if rows and keyed.keys(rows[0])[0] is None:
        yield Finding(
            reason="rows are sorted by a value that is NULL in the first of them.",
            part="ORDER BY",
            evidence={"rows": shown([keyed.plain(rows[0])])},
            proposal=edited(query.sql, query.dialect, _without_nulls),
        )


def _without_nulls(tree: object) -> bool:
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or "order" not in tree.args:
        return False
    key = tree.args["order"].expressions[0].this
    if not isinstance(key, exp.Column) or tree.args.get("group"):
        return False
    tree.where(key.copy().is_(exp.null()).not_(), copy=False)
    return True
