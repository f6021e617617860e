"""A text in double quotes that is taken for a column."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query


@check("AU110", sees=Sees.TREE | Sees.QUESTION)
def quoted_name(query: Query) -> Iterator[Finding]:
    """A text in double quotes is the name of a column, so two columns are compared."""
    from sqlglot import exp

    if query.syntax is None:
        return
    names = {column.name.lower() for table in query.tables for column in table.columns}
    for node in query.syntax.find_all(exp.EQ, exp.NEQ, exp.Like):
        right = node.expression
        if not isinstance(right, exp.Column) or right.table or not right.this.args.get("quoted"):
            continue
        written = f'"{right.name}"' in query.sql
        if written and right.name.lower() in names and isinstance(node.this, exp.Column):
            reason = f'"{right.name}" is a column here, not a text: two columns are compared.'
            yield Finding(reason=reason, part=f'"{right.name}"')
