"""What the declarations of tables demand of each row, as conditions that are never false.

A CHECK that is NULL passes. Only what no later state of the database, clock or session can change
is taken: a CHECK that calls functions or reads the time is left out, and so is every declaration
that was changed after it was made.
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
"""Of larger types the range is not taken: each makes proofs slower, and few queries reach it."""
_ENUM: Final = re.compile(r"ENUM\s*(\(.+\))$", re.I)
_PURE: Final = frozenset(
    ("=", "<>", "<", "<=", ">", ">=", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "IS NULL")
) | {"+", "-", "*", "NEG", "ABS", "LENGTH", "UPPER", "LOWER", "COALESCE", "CASE", "COLLATED"}
_CLOCKS: Final = frozenset(("now", "today", "tomorrow", "yesterday", "allballs"))
"""Texts that are dates in PostgreSQL, another each day."""


def _demands(schema: Schema) -> Mapping[str, tuple[Expression, ...]]:
    if schema.dialect not in _ENFORCING:
        return {}
    found = {table.name.casefold(): tuple(_of_table(table, schema)) for table in schema.tables}
    return {name: conditions for name, conditions in found.items() if conditions}


demands = BySchema(_demands)
"""For tables, by their names in lower case, what each row satisfies or leaves open."""


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
    """What makes a table and adds to it; nothing if anything took something back."""
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
        word = re.match(r"\w*", column.type.strip().upper())
        bits = 0 if dialect == "sqlite" or word is None else _BITS.get(word[0], 0)
        if dialect in ("mysql", "duckdb") and _UNSIGNED.search(column.type.upper()):
            yield f"{name} >= 0 AND {name} < {2**bits}" if bits else f"{name} >= 0"
        elif bits:
            yield f"{name} >= {-(2 ** (bits - 1))} AND {name} < {2 ** (bits - 1)}"
        elif dialect == "mysql" and members is not None:
            yield f"{name} IN {members[1]}"


def _checks(statements: Iterable[exp.Expr], dialect: str) -> Iterator[str]:
    for tree in statements:
        yield from (check.this.sql(dialect) for check in tree.find_all(exp.CheckColumnConstraint))


def _computed(statements: Iterable[exp.Expr], dialect: str) -> Iterator[str]:
    """For each generated column, that it is what it is computed from."""
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
    """A condition over the columns of a table; None where it is not understood or not pure."""
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
    """Whether a column can hold what it is computed from as it is: nothing is cut or rounded."""
    if not isinstance(condition, Call) or condition.name != "IS":
        return False
    context = Context(schema, schema.dialect)
    row = fields(Scan(table.name, tuple(c.name for c in table.columns)), context)
    types = {type_of(side, row, context) for side in condition.operands}
    return Type.REAL not in types if schema.dialect == "sqlite" else types == {Type.INTEGER}
