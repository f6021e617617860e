"""The collation of a column or an expression, if different texts can be equal under it.

A column's collation comes from its declaration and is inherited through derived tables, groups and
joins. An unknown collation is ``?``: nothing is proved about a query that compares by it.

Source: https://www.sqlite.org/datatype3.html, section 7; PostgreSQL's manual, sections 8.3 and
24.2; MySQL's reference manual, section 12.8.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sqljury.schema import Column
from sqljury.trees.affinity import NUMERIC_AFFINITIES
from sqljury.trees.nodes import Call, Cast, Expression, Field, Literal, Outer, Ref, Type
from sqljury.trees.walk import subexpressions

UNKNOWN: Final = "?"
BLANKED: Final = "bpchar"
"""Pseudo-collation of CHAR(n) in engines that ignore trailing blanks in its comparisons."""
CASELESS: Final = ("mysql", "tsql")
"""Dialects whose default collation ignores case."""
BY_VALUE: Final = "VALUE OF"
"""Pseudo-collation, and name of the call, by which numbers are compared by value: 1 equals 1.0."""
ENUMERATED: Final = "enum"
"""Pseudo-collation of DuckDB's ENUM: ordered by position, but as a text next to a text."""
SHOWN: Final = "SHOWN"
"""Name of the call that gives the one value that a column returns for a collation key."""
_BLANK_PADDED: Final = ("postgres", "redshift", "oracle")
_CHAR: Final = re.compile(r"\s*(n?char|character|bpchar)\s*(\(|$|collate)", re.IGNORECASE)
_EXACT: Final = re.compile(
    r"(pg_catalog\.)?(c|posix|default|ucs_basic|binary|[a-z]{2,3}_[a-z]{2}(\.?utf-?8)?|"
    r"[a-z]{2,3}(-[a-z0-9]+)*-x-icu|unicode|c\.utf-?8)",
    re.IGNORECASE,
)
"""PostgreSQL collations under which only identical texts are equal."""
_CHOICES: Final = frozenset(
    ("CASE", "IIF", "COALESCE", "IFNULL", "NVL", "NULLIF", "GREATEST", "LEAST", "MIN", "MAX")
)
_ONE_KIND: Final = NUMERIC_AFFINITIES | {"TEXT"}
"""Affinities of columns in which equal values are identical."""
Row = tuple[Field, ...]
_OF_ONE_ROW: Final = frozenset(("BARE", "FIRST", "LAST", "ANY_VALUE"))


def column_collation(column: Column, type_: Type, dialect: str) -> str:
    """The collation of a table's column; empty if only identical texts are equal.

    >>> column_collation(Column(name="n", type="CHAR(3)"), Type.TEXT, "postgres")
    'bpchar'
    """
    if dialect in CASELESS:
        if type_ not in (Type.TEXT, Type.ANY):
            return ""
        return column.collation.lower() or dialect
    if dialect in _BLANK_PADDED and _CHAR.match(column.type):
        return BLANKED
    if dialect == "duckdb" and (column.members or column.type.strip().lower().startswith("enum")):
        return ENUMERATED
    if column.type.strip().lower() == "citext":
        return "citext"
    return named_collation(column.collation, dialect)


def may_be_written_otherwise(field: Field, dialect: str) -> bool:
    """True if a column may hold numbers that are equal but not identical: 1 and 1.0 in SQLite, 1.0
    and 1.00 in PostgreSQL, 0.0 and -0.0 elsewhere."""
    if dialect == "sqlite":
        return field.affinity not in _ONE_KIND and field.type in (Type.DECIMAL, Type.ANY)
    if field.type is Type.DECIMAL:
        return dialect == "postgres"
    return field.type in (Type.REAL, Type.SINGLE, Type.ANY)


def named_collation(name: str, dialect: str) -> str:
    """The normalized name of a collation; empty if only identical texts are equal under it."""
    if dialect in CASELESS or name == UNKNOWN:
        return name.lower()
    if dialect in ("sqlite", "duckdb"):
        return "" if name.upper() in ("BINARY", "C", "POSIX") else name.upper()
    return "" if _EXACT.fullmatch(name) else name


def collation(
    expression: Expression,
    type_: Type,
    row: tuple[Field, ...],
    outer: tuple[tuple[Field, ...], ...],
    dialect: str,
) -> str:
    """The collation of an expression; empty if only identical texts are equal, ``?`` if unknown.

    Scalar subqueries are not resolved here.

    Args:
        type_: the type of the expression's values.
    """
    match expression:
        case Ref():
            return row[expression.index].collation
        case Outer():
            known = len(outer) >= expression.level
            return outer[expression.level - 1][expression.index].collation if known else UNKNOWN
        case Call(name="COLLATE", operands=(_, Literal(value=str() as name))):
            return named_collation(name, dialect)
        case _:
            return _computed(expression, type_, row, outer, dialect)


def _computed(
    expression: Expression,
    type_: Type,
    row: tuple[Field, ...],
    outer: tuple[tuple[Field, ...], ...],
    dialect: str,
) -> str:
    if dialect in CASELESS:
        if type_ not in (Type.TEXT, Type.ANY):
            return ""
        return one_of(_inside(expression, row, outer, dialect), default=dialect)
    choice = isinstance(expression, Call) and expression.name in _CHOICES
    if dialect == "sqlite" and not choice and not isinstance(expression, Cast):
        return ""
    inside = _inside(expression, row, outer, dialect)
    if isinstance(expression, Cast):
        return _of_cast(expression, inside, dialect)
    if dialect == "sqlite":
        return UNKNOWN if inside else ""
    if not choice:
        inside -= {BLANKED}
    return one_of(inside)


def _of_cast(cast: Cast, inside: set[str], dialect: str) -> str:
    if dialect == "sqlite":
        return one_of(inside)
    if dialect in _BLANK_PADDED and _CHAR.match(cast.type_name):
        return BLANKED
    return one_of(inside - {BLANKED})


def _inside(
    expression: Expression,
    row: tuple[Field, ...],
    outer: tuple[tuple[Field, ...], ...],
    dialect: str,
) -> set[str]:
    """The collations of the columns that an expression is computed from."""
    found = {
        collation(part, Type.TEXT, row, outer, dialect)
        for part in subexpressions(expression)
        if isinstance(part, Ref | Outer) or (isinstance(part, Call) and part.name == "COLLATE")
    }
    return found - {""}


def one_of(names: Iterable[str], default: str = "") -> str:
    """The collation, if all names are the same; ``default`` if there are none, ``?`` if they
    differ."""
    found = set(names)
    if not found:
        return default
    return found.pop() if len(found) == 1 else UNKNOWN


def aggregate_collation(name: str, operands: Iterable[str], type_: Type, dialect: str) -> str:
    """The collation of an aggregate's or a window function's result, from those of its operands."""
    if dialect in CASELESS:
        if type_ not in (Type.TEXT, Type.ANY):
            return ""
        return one_of((o for o in operands if o), default=dialect)
    found = {o for o in operands if o}
    if dialect == "sqlite" and name not in _OF_ONE_ROW:
        return UNKNOWN if found and type_ in (Type.TEXT, Type.ANY) else ""
    return one_of(found)
