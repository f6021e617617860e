"""CHECKs, generated columns and ranges of types as conditions that are false for no row of a table.

A CHECK that is NULL passes. Only conditions are used whose value cannot change later with the
database, clock or session. A CHECK that calls functions or reads the time is left out. So are all
CHECKs of a table whose declaration was altered in any way but by adding constraints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqljury.schema import Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.catalog import BySchema
from sqljury.trees.context import Context
from sqljury.trees.explicit_collation import with_collations
from sqljury.trees.nodes import (
    Call,
    Expression,
    Filter,
    Literal,
    Project,
    Ref,
    Scan,
    Type,
    Unreadable,
)
from sqljury.trees.types import fields, type_of
from sqljury.trees.walk import subexpressions

_ENFORCING: Final = ("sqlite", "duckdb", "postgres", "mysql")
_NOT_HELD: Final = re.compile(r"\bNOT\s+(VALID|ENFORCED)\b|\bNO\s+INHERIT\b|\bINHERITS\b", re.I)
_MAKES: Final = re.compile(r"\s*CREATE\s", re.IGNORECASE)
_ADDED: Final = re.compile(r"\s*ADD\s+(?=CONSTRAINT\b|CHECK\b)", re.IGNORECASE)
_UNSIGNED: Final = re.compile(r"\bUNSIGNED\b|^U(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|INT\d*)\b")
_BITS: Final = {"TINYINT": 8, "SMALLINT": 16, "INT2": 16, "MEDIUMINT": 24}
"""Larger types get no range: each makes proofs slower, and few queries reach their limits."""
_LENGTHS: Final = {"postgres": "LENGTH", "mysql": "CHAR_LENGTH"}
"""The dialects that refuse a longer text than VARCHAR(n) declares."""
_LENGTH: Final = re.compile(r"(?:VAR)?CHAR(?:ACTER)?(?:\s+VARYING)?\s*\((\d+)\)$", re.I)
_ENUM: Final = re.compile(r"ENUM\s*(\(.+\))$", re.I)
_PURE: Final = frozenset(
    ("=", "<>", "<", "<=", ">", ">=", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "IS NULL")
) | {
    *("+", "-", "*", "NEG", "ABS", "LENGTH", "CHAR_LENGTH", "UPPER", "LOWER"),
    *("COALESCE", "CASE", "COLLATED"),
}
_CLOCKS: Final = frozenset(("now", "today", "tomorrow", "yesterday", "allballs"))
"""Texts that PostgreSQL reads as dates that depend on the clock."""


def _demands(schema: Schema) -> Mapping[str, tuple[Expression, ...]]:
    if schema.dialect not in _ENFORCING:
        return {}
    found = {table.name.casefold(): tuple(_of_table(table, schema)) for table in schema.tables}
    return {name: conditions for name, conditions in found.items() if conditions}


demands = BySchema(_demands)
"""For each table, by case-folded name, the conditions that are true or NULL for each row."""


def _of_table(table: Table, schema: Schema) -> Iterator[Expression]:
    statements = _statements(table, schema.dialect)
    for text in (*_of_types(table, schema.dialect), *_checks(statements, schema.dialect)):
        condition = _condition(text, table, schema)
        if condition is not None:
            yield condition
    for text in _computed(statements, schema.dialect):
        condition = _condition(text, table, schema)
        if condition is not None and _is_kept(condition, table, schema):
            yield condition


def _statements(table: Table, dialect: str) -> list[exp.Expr]:
    """The parsed statements that create a table and add to it.

    Empty if there is any other statement, or a constraint that is not enforced.
    """
    found: list[exp.Expr] = []
    for text in table.declaration:
        what = _ADDED.sub("CREATE TABLE x (y INT, ", text) if _ADDED.match(text) else text
        if not _MAKES.match(what) or _NOT_HELD.search(what):
            return []
        with suppress(SqlglotError):
            found.append(sqlglot.parse_one(what + ")" * (what != text), read=dialect))
    return found


def _of_types(table: Table, dialect: str) -> Iterator[str]:
    for column in table.columns:
        name = exp.to_identifier(column.name, quoted=True).sql(dialect)
        members = _ENUM.match(column.type.strip())
        length = _LENGTH.match(column.type.strip())
        word = re.match(r"\w*", column.type.strip().upper())
        bits = 0 if dialect == "sqlite" or word is None else _BITS.get(word[0], 0)
        if dialect in ("mysql", "duckdb") and _UNSIGNED.search(column.type.upper()):
            yield f"{name} >= 0 AND {name} < {2**bits}" if bits else f"{name} >= 0"
        elif length is not None and dialect in _LENGTHS:
            yield f"{_LENGTHS[dialect]}({name}) <= {length[1]}"
        elif bits:
            yield f"{name} >= {-(2 ** (bits - 1))} AND {name} < {2 ** (bits - 1)}"
        elif dialect in ("mysql", "duckdb") and members is not None:
            yield f"{name} IN {members[1]}"
        elif column.members:
            labels = ", ".join(exp.Literal.string(text).sql(dialect) for text in column.members)
            yield f"{name} IN ({labels})"


def _checks(statements: Iterable[exp.Expr], dialect: str) -> Iterator[str]:
    for tree in statements:
        yield from (check.this.sql(dialect) for check in tree.find_all(exp.CheckColumnConstraint))


def _computed(statements: Iterable[exp.Expr], dialect: str) -> Iterator[str]:
    """For each generated column the condition that it equals its expression."""
    for column in (made for tree in statements for made in tree.find_all(exp.ColumnDef)):
        for constraint in column.constraints:
            value = _computation(constraint.kind)
            if value is not None:
                name = exp.column(column.this.copy())
                yield exp.NullSafeEQ(this=name, expression=exp.paren(value)).sql(dialect)


def _computation(kind: exp.Expr) -> exp.Expr | None:
    value = kind.args.get("expression")
    if value is None and isinstance(kind, exp.ComputedColumnConstraint):
        value = kind.args["this"]
    generated = exp.ComputedColumnConstraint | exp.GeneratedAsIdentityColumnConstraint
    return value if isinstance(kind, generated) and isinstance(value, exp.Expr) else None


def _condition(text: str, table: Table, schema: Schema) -> Expression | None:
    """A condition over a table's columns; None if it cannot be read or is not pure."""
    name = ".".join(
        exp.to_identifier(part, quoted=True).sql(schema.dialect) for part in table.name.split(".")
    )
    tree = build_tree(f"SELECT 1 FROM {name} WHERE {text}", schema, schema.dialect)
    if isinstance(tree, Unreadable):
        return None
    match with_collations(tree, Context(schema, schema.dialect)):
        case Project(input=Filter(input=Scan(), condition=condition)):
            return condition if all(map(_is_pure, subexpressions(condition))) else None
    return None


def _is_pure(part: Expression) -> bool:
    match part:
        case Literal(value=str() as text):
            return text.strip().lower() not in _CLOCKS
        case Call():
            return part.name in _PURE
        case _:
            return isinstance(part, Ref | Literal)


def _is_kept(condition: Expression, table: Table, schema: Schema) -> bool:
    """True if a generated column stores its value unchanged: it is not truncated or rounded."""
    if not isinstance(condition, Call) or condition.name != "IS":
        return False
    context = Context(schema, schema.dialect)
    row = fields(Scan(table.name, tuple(c.name for c in table.columns)), context)
    types = {type_of(side, row, context) for side in condition.operands}
    return Type.REAL not in types if schema.dialect == "sqlite" else types == {Type.INTEGER}
