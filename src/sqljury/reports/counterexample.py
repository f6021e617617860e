"""Reads the counterexample of a verdict: the tables of a database on which two queries differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlglot
from sqlglot import exp

from sqljury.case import Json
from sqljury.reports.evidence import cell_text

_LONGEST_SCRIPT = 20_000
_LONGEST_CELL = 120
_MOST_ROWS = 20


def counterexample_of(evidence: Mapping[str, Json]) -> dict[str, Json] | None:
    """The counterexample in a verdict's evidence, for its page; None if there is none.

    Returns:
        ``tables`` (name, column names, rows of texts) as the script ``sql`` makes them, none if it
        is long or cannot be read, and the rows of ``reference`` and ``prediction`` on them.
    """
    found = evidence.get("witness")
    if not isinstance(found, dict) or not isinstance(found.get("sql"), str):
        return None
    sides = {
        name: found.get(side) for name, side in (("reference", "left"), ("prediction", "right"))
    }
    return {
        "sql": found["sql"],
        "tables": _tables(str(found["sql"])),
        "doubt": found.get("doubt") or "",
        **{
            name: [[cell_text(cell, _LONGEST_CELL) for cell in row] for row in rows[:_MOST_ROWS]]
            for name, rows in sides.items()
            if isinstance(rows, list)
        },
    }


def _tables(script: str) -> list[Json]:
    if len(script) > _LONGEST_SCRIPT:
        return []
    try:
        statements = sqlglot.parse(script)
    except sqlglot.errors.SqlglotError:
        return []
    tables: dict[str, Any] = {}
    for statement in statements:
        target = statement.find(exp.Table) if statement is not None else None
        if isinstance(statement, exp.Create) and target is not None:
            columns = [column.name for column in statement.find_all(exp.ColumnDef)]
            tables[target.name] = {"name": target.name, "columns": columns, "rows": []}
        elif isinstance(statement, exp.Insert) and target is not None and target.name in tables:
            table = tables[target.name]
            named = [one.name for one in statement.this.expressions] or table["columns"]
            for values in statement.expression.find_all(exp.Tuple):
                cells = dict(zip(named, map(_value, values.expressions), strict=False))
                table["rows"].append([cells.get(name, "") for name in table["columns"]])
    return list(tables.values())


def _value(literal: exp.Expression) -> str:
    if isinstance(literal, exp.Literal) and literal.is_string:
        return cell_text(literal.this, _LONGEST_CELL)
    return literal.sql()
