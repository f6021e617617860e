"""Which collation a column or an expression has, where texts that are equal may differ.

A column's collation comes from its declaration, and goes along with it through derived tables,
groups and joins. What cannot be told is ``?``: nothing is proved where it is compared.

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
"""Of CHAR(n) where trailing blanks do not count: not a collation, but it works as one."""
CASELESS: Final = ("mysql", "tsql")
"""Dialects whose texts are equal in spite of case, if nothing else is declared."""
BY_VALUE: Final = "VALUE OF"
"""What stands for a number of which only the value counts, as if it were a collation."""
SHOWN: Final = "SHOWN"
"""The value of a column, by its name, that stands for all that have a key."""
_BLANK_PADDED: Final = ("postgres", "redshift", "oracle")
_CHAR: Final = re.compile(r"\s*(n?char|character|bpchar)\s*(\(|$|collate)", re.IGNORECASE)
_EXACT: Final = re.compile(
    r"(pg_catalog\.)?(c|posix|default|ucs_basic|binary|[a-z]{2,3}_[a-z]{2}(\.?utf-?8)?|"
    r"[a-z]{2,3}(-[a-z0-9]+)*-x-icu|unicode|c\.utf-?8)",
    re.IGNORECASE,
)
"""Collations of PostgreSQL that find equal only what is the same."""
_CHOICES: Final = frozenset(
    ("CASE", "IIF", "COALESCE", "IFNULL", "NVL", "NULLIF", "GREATEST", "LEAST", "MIN", "MAX")
)
_ONE_KIND: Final = NUMERIC_AFFINITIES | {"TEXT"}
"""Affinities of columns in which equal values are the same."""
Row = tuple[Field, ...]
_OF_ONE_ROW: Final = frozenset(("BARE", "FIRST", "LAST", "ANY_VALUE"))


def column_collation(column: Column, type_: Type, dialect: str) -> str:
    """The collation of a table's column.

    >>> column_collation(Column(name="n", type="CHAR(3)"), Type.TEXT, "postgres")
    'bpchar'
    """
    if dialect in CASELESS:
        if type_ not in (Type.TEXT, Type.ANY):
            return ""
        return column.collation.lower() or dialect
    if dialect in _BLANK_PADDED and _CHAR.match(column.type):
        return BLANKED
    if column.type.strip().lower() == "citext":
        return "citext"
    return named_collation(column.collation, dialect)


def may_be_written_otherwise(field: Field, dialect: str) -> bool:
    """Whether a column may hold numbers that are equal and not the same: 1 and 1.0 in SQLite, 1.0
    and 1.00 in PostgreSQL, 0.0 and -0.0 elsewhere."""
    if dialect == "sqlite":
        return field.affinity not in _ONE_KIND and field.type in (Type.DECIMAL, Type.ANY)
    if field.type is Type.DECIMAL:
        return dialect == "postgres"
    return field.type in (Type.REAL, Type.SINGLE, Type.ANY)


def named_collation(name: str, dialect: str) -> str:
    """A collation by its name; empty if it finds equal only what is the same."""
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
    """The collation of an expression; that of a scalar subquery is not found here.

    Args:
        type_: of the expression's values.
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
    """The only one of several collations; ``?`` where they differ."""
    found = set(names)
    if not found:
        return default
    return found.pop() if len(found) == 1 else UNKNOWN


def aggregate_collation(name: str, operands: Iterable[str], type_: Type, dialect: str) -> str:
    """The collation of what an aggregate or a window function gives, by those of its operands."""
    if dialect in CASELESS:
        if type_ not in (Type.TEXT, Type.ANY):
            return ""
        return one_of((o for o in operands if o), default=dialect)
    found = {o for o in operands if o}
    if dialect == "sqlite" and name not in _OF_ONE_ROW:
        return UNKNOWN if found and type_ in (Type.TEXT, Type.ANY) else ""
    return one_of(found)
