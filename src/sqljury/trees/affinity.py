"""SQLite's column affinities: what it makes of values that are stored or compared.

Source: https://www.sqlite.org/datatype3.html, sections 3 and 4.2.
"""

from __future__ import annotations

from sqljury.trees.nodes import (
    Call,
    Cast,
    Expression,
    Field,
    Outer,
    Ref,
    Subquery,
    SubqueryKind,
)

NUMERIC_AFFINITIES = frozenset({"INTEGER", "REAL", "NUMERIC"})


def declared_affinity(type_name: str) -> str:
    """INTEGER, TEXT, BLOB, REAL or NUMERIC: the affinity of a column by its declared type.

    >>> declared_affinity("varchar(20)"), declared_affinity("STRING"), declared_affinity("")
    ('TEXT', 'NUMERIC', 'BLOB')
    """
    name = type_name.upper()
    if "INT" in name:
        return "INTEGER"
    if "CHAR" in name or "CLOB" in name or "TEXT" in name:
        return "TEXT"
    if "BLOB" in name or not name:
        return "BLOB"
    if "REAL" in name or "FLOA" in name or "DOUB" in name:
        return "REAL"
    return "NUMERIC"


def affinity(
    expression: Expression, row: tuple[Field, ...], outer: tuple[tuple[Field, ...], ...] = ()
) -> str | None:
    """The affinity that SQLite gives an operand; empty for none, None if it is not known.

    A column of a subquery that is computed there has none. Only a table's column and a CAST do.
    """
    match expression:
        case Cast():
            return declared_affinity(expression.type_name)
        case Ref():
            return row[expression.index].affinity
        case Outer():
            known = len(outer) >= expression.level
            return outer[expression.level - 1][expression.index].affinity if known else None
        case Subquery(kind=SubqueryKind.SCALAR):
            # Of its first column, which is not looked up here.
            return None
        case Call(name="COLLATE" | "COLLATED"):
            return affinity(expression.operands[0], row, outer)
        case _:
            return ""
