"""CREATE TABLE and CREATE INDEX in dialects other than SQLite's, read by sqlglot."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqljury.schema import Column, ForeignKey, Table

if TYPE_CHECKING:
    from sqlglot import exp

_DIALECTS = ("sqlite", "mysql", "postgres", "tsql", "snowflake", "bigquery")
_SPECIAL = re.compile(
    r"\bCHECK\s*\(|\bEXCLUDE\b|\bAS\s*\(|\bGENERATED\s+ALWAYS\s+AS\s*\(|\bNULLS\s+NOT\s+DISTINCT\b",
    re.IGNORECASE,
)


_TYPE = re.compile(
    r"""\s*(?P<type>\w+\b(?:\s+(?:PRECISION|VARYING)\b)?
    (?:\s*\((?:[^()']|'(?:[^']|'')*')*\))?
    (?:\s+(?:WITH|WITHOUT)\s+TIME\s+ZONE\b)?(?:\s+UNSIGNED\b)?
    (?:\[\d*\])*)(?=\s+\w|\s*(?:[,)]|$))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Matches a type after a column's name, if it holds no other types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A key, foreign key or other named part of a table; its kind is ``primary``, ``unique``,
    ``foreign``, ``check`` or ``other``."""

    kind: str
    name: str
    """In lower case; the default name of the dialect if the script gives none."""
    columns: tuple[str, ...] = ()
    reference: ForeignKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A table under construction; its constraints keep their names, because DROP CONSTRAINT uses
    them."""

    name: str
    columns: tuple[Column, ...]
    constraints: tuple[Constraint, ...] = ()
    declaration: tuple[str, ...] = ()
    namespace: str = ""
    """The default schema that the script names; it is not part of the table's name."""
    parents: tuple[str, ...] = ()
    """The tables that it inherits from (PostgreSQL)."""

    @property
    def names(self) -> frozenset[str]:
        """The names of all its constraints and indexes."""
        return frozenset(constraint.name for constraint in self.constraints)

    def without(self, name: str) -> Draft:
        """The draft without the constraint of this name."""
        return replace(
            self, constraints=tuple(c for c in self.constraints if c.name != name.lower())
        )

    def table(self) -> Table:
        """The finished table."""
        keys = [c for c in self.constraints if c.kind == "primary"]
        return Table(
            name=self.name,
            columns=self.columns,
            primary_key=keys[-1].columns if keys else (),
            unique=tuple(c.columns for c in self.constraints if c.kind == "unique"),
            foreign_keys=tuple(c.reference for c in self.constraints if c.reference is not None),
            declaration=self.declaration,
            namespace=self.namespace,
        )


def read_table(statement: str, *, mysql_first: bool = False) -> Draft | None:
    """The table that a CREATE TABLE makes, or None if no dialect can read the statement."""
    from sqlglot import exp

    for tree in trees(statement, mysql_first=mysql_first):
        if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
            # sqlglot also parses text that no engine accepts; then parts of the tree may be
            # missing.
            with suppress(AttributeError, TypeError):
                return _draft(tree, statement)
    return None


def trees(statement: str, *, mysql_first: bool = False) -> Iterator[exp.Expr]:
    """Yields the parsed statement for each dialect that can read it."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    for dialect in ("mysql", *_DIALECTS) if mysql_first else _DIALECTS:
        try:
            yield sqlglot.parse_one(statement, read=dialect)
        except SqlglotError:
            continue


def _draft(tree: exp.Create, statement: str) -> Draft | None:
    from sqlglot import exp

    schema = tree.this
    parts = schema.expressions
    if any(isinstance(part, exp.LikeProperty) for part in parts):
        return None
    definitions = [part for part in parts if isinstance(part, exp.ColumnDef)]
    collation = next((p.name for p in tree.find_all(exp.CollateProperty)), "")
    name = _qualified(schema.this)
    return Draft(
        name=name,
        columns=tuple(_column(d, collation, statement) for d in definitions),
        constraints=(
            *_of_columns(definitions, schema.this.name),
            *_of_table(parts, schema.this.name),
        ),
        declaration=(statement,) if is_special(statement) or has_part_keys(parts) else (),
        namespace="" if "." in name else schema.this.text("db"),
        parents=tuple(
            _qualified(parent)
            for each in tree.find_all(exp.InheritsProperty)
            for parent in each.expressions
        ),
    )


def has_part_keys(parts: Iterable[exp.Expr]) -> bool:
    """True if a key covers only a prefix of a column, or an expression."""
    from sqlglot import exp

    for part in parts:
        for key in part.find_all(exp.UniqueColumnConstraint, exp.PrimaryKey):
            named = key if isinstance(key, exp.PrimaryKey) else key.this
            if named is not None and named.expressions and not plain_names(named.expressions):
                return True
    return False


def is_special(statement: str) -> bool:
    """True if a statement declares more than columns, types and keys."""
    return _SPECIAL.search(statement) is not None


def _qualified(table: exp.Expr) -> str:
    """The table's name, as ``schema.table`` outside the default schema."""
    db = table.args.get("db")
    return (
        table.name
        if db is None or db.name.lower() in ("public", "dbo", "main")
        else (f"{db.name}.{table.name}")
    )


def _column(definition: exp.ColumnDef, collation: str, statement: str) -> Column:
    from sqlglot import exp

    kinds = [constraint.kind for constraint in definition.constraints]
    needed = any(
        isinstance(kind, exp.NotNullColumnConstraint) and not kind.args.get("allow_null")
        for kind in kinds
    )
    named = [kind.this.name for kind in kinds if isinstance(kind, exp.CollateColumnConstraint)]
    counts = (exp.AutoIncrementColumnConstraint, exp.GeneratedAsIdentityColumnConstraint)
    needed = needed or any(
        isinstance(kind, counts) and not kind.args.get("expression") for kind in kinds
    )
    return Column(
        name=definition.name,
        type=_type(definition, statement),
        nullable=not needed,
        identity=any(
            isinstance(k, exp.GeneratedAsIdentityColumnConstraint)
            and k.this is True
            and not k.args.get("expression")
            for k in kinds
        ),
        collation=(named or [collation])[0],
        generated=any(isinstance(k, exp.ComputedColumnConstraint) for k in kinds)
        or any(
            isinstance(k, exp.GeneratedAsRowColumnConstraint) or k.args.get("expression")
            for k in kinds
            if isinstance(k, exp.GeneratedAsIdentityColumnConstraint)
        ),
    )


def _type(definition: exp.ColumnDef, statement: str) -> str:
    """The type as written: sqlglot's names of types differ between dialects (FLOAT is its DOUBLE
    in PostgreSQL, INT8 its TINYINT)."""
    end = definition.this.meta.get("end")
    written = None if end is None else _TYPE.match(statement, end + 1)
    if definition.kind is None or written is None:
        return definition.kind.sql() if definition.kind else ""
    return written["type"]


def _of_columns(columns: Iterable[exp.ColumnDef], table: str) -> Iterator[Constraint]:
    for column in columns:
        for constraint in column.constraints:
            yield from _read(constraint.kind, constraint.name, table, of_column=column.name)


def _of_table(parts: Iterable[exp.Expr], table: str, name: str = "") -> Iterator[Constraint]:
    from sqlglot import exp

    for part in parts:
        if isinstance(part, exp.Constraint):
            yield from _of_table(part.expressions, table, part.name)
        elif not isinstance(part, exp.ColumnDef):
            yield from _read(part, name, table)


def _read(part: exp.Expr, name: str, table: str, of_column: str = "") -> Iterator[Constraint]:
    from sqlglot import exp

    own = (of_column,) if of_column else ()
    match part:
        case exp.PrimaryKeyColumnConstraint() | exp.PrimaryKey():
            columns = own or plain_names(part.expressions)
            yield Constraint(kind="primary", name=_named(name, f"{table}_pkey"), columns=columns)
        case exp.UniqueColumnConstraint() if own or part.this is not None:
            columns = own or plain_names(part.this.expressions)
            key = part.this.this if not own and isinstance(part.this, exp.Schema) else None
            label = name or (key.name if key is not None else "")
            default = _default(table, columns, "key")
            # A key on a column prefix does not make the whole column unique.
            kind = "unique" if columns else "other"
            yield Constraint(kind=kind, name=_named(label, default), columns=columns)
        case exp.Reference() | exp.ForeignKey():
            columns = own or plain_names(part.expressions)
            reference = part if own else part.args.get("reference")
            found = None if reference is None else _foreign_key(columns, reference)
            default = _default(table, columns, "fkey")
            yield Constraint(kind="foreign", name=_named(name, default), reference=found)
        case exp.CheckColumnConstraint():
            default = _default(table, own, "check")
            yield Constraint(kind="check", name=_named(name, default))
        case exp.IndexColumnConstraint():
            label = part.this.name if part.this is not None else ""
            yield Constraint(kind="other", name=_named(name or label, table))
        case _:
            if name:
                yield Constraint(kind="other", name=name.lower())


def _named(name: str, default: str) -> str:
    return (name or default).lower()


def _default(table: str, columns: tuple[str, ...], suffix: str) -> str:
    """The name that PostgreSQL gives to an unnamed constraint."""
    return "_".join((table, *columns, suffix))


def plain_names(parts: Iterable[exp.Expr]) -> tuple[str, ...]:
    """The columns of a key, in order; empty if one is an expression or a prefix."""
    from sqlglot import exp

    names = []
    for part in parts:
        bare = part.this if isinstance(part, exp.Ordered) else part
        if not isinstance(bare, exp.Identifier | exp.Column):
            return ()
        names.append(bare.name)
    return tuple(names)


def _foreign_key(columns: tuple[str, ...], reference: exp.Expr) -> ForeignKey:
    from sqlglot import exp

    target = reference.this
    if isinstance(target, exp.Schema):
        return ForeignKey(
            columns=columns,
            target_table=_qualified(target.this),
            target_columns=plain_names(target.expressions),
        )
    return ForeignKey(columns=columns, target_table=_qualified(target), target_columns=())
