"""What a check looks at: a query, the question it answers, and the database behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Flag, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqljury.evidence import Evidence
from sqljury.execution import Execution
from sqljury.faults.expressions import (
    ConstantComparison,
    ScopedExpression,
    comparisons,
    scoped_expressions,
    with_implied_keys,
)
from sqljury.faults.wording import HintCondition, Wording, hint_conditions
from sqljury.schema import Column, Schema, Table
from sqljury.sql import parse
from sqljury.sql.resolve import as_table
from sqljury.sql.tokens import tokenize
from sqljury.trees.context import DECLARED_ASSUMPTIONS, Context
from sqljury.trees.nodes import Aggregate, Call, Literal, Relation, Type, Unreadable
from sqljury.trees.render import render
from sqljury.trees.types import column_type
from sqljury.trees.walk import relations

if TYPE_CHECKING:
    from sqlglot import exp


class Sees(Flag):
    """What a check looks at; where that is not there, the check is skipped and named."""

    TEXT = 0
    QUESTION = auto()
    HINT = auto()
    TREE = auto()
    """The operator tree, for which a schema must be known."""
    ROWS = auto()
    """What the database holds."""


def with_text_replaced(sql: str, old: str, new: str, dialect: str) -> str | None:
    """The query with another text constant, or None where the old one is not there just once.

    >>> with_text_replaced("SELECT a FROM t WHERE b = 'x'", "x", "O'X", "sqlite")
    "SELECT a FROM t WHERE b = 'O''X'"
    """
    from sqlglot.tokens import TokenType as T

    texts = (T.STRING, T.IDENTIFIER)
    found = [t for t in tokenize(sql, dialect) or () if t.token_type in texts and t.text == old]
    if len(found) != 1:
        return None
    escaped = new.replace("'", "''")
    return f"{sql[: found[0].start]}'{escaped}'{sql[found[0].end + 1 :]}"


Row = tuple[Any, ...]


class Query:
    """A query under suspicion; everything is found on demand and once.

    Args:
        sql: the query.
        evidence: the case's question and hint, the schema, and the database where there is one.
    """

    def __init__(self, sql: str, evidence: Evidence) -> None:
        self.sql = sql
        self.question = (evidence.case.question or "").strip()
        self.hint = (evidence.case.hint or "").strip()
        self.dialect = evidence.dialect
        self._evidence = evidence

    @cached_property
    def sees(self) -> Sees:
        """What is there to look at."""
        found = Sees.TEXT
        found |= Sees.QUESTION if self.question else found
        found |= Sees.HINT if self.hint else found
        found |= Sees.TREE if self.operators is not None else found
        return found | (Sees.ROWS if self._evidence.has_database else found)

    # ------------------------------------------------------------ texts

    @cached_property
    def wording(self) -> Wording:
        """The question, read."""
        return Wording(self.question)

    @cached_property
    def said(self) -> Wording:
        """The question and the hint, read as one text."""
        return Wording(f"{self.question} {self.hint}")

    @cached_property
    def hint_conditions(self) -> tuple[HintCondition, ...]:
        """The conditions on columns that the hint writes out."""
        return () if self.schema is None else hint_conditions(self.hint, self.schema)

    @cached_property
    def syntax(self) -> exp.Query | None:
        """sqlglot's tree of the text, or None where it is no query that can be read."""
        from sqlglot import exp

        found = parse(self.sql, self.dialect)
        return found if isinstance(found, exp.Query) else None

    # ------------------------------------------------------------ trees

    @cached_property
    def schema(self) -> Schema | None:
        """The schema, or None where none is known."""
        return self._evidence.schema()

    @cached_property
    def operators(self) -> Relation | None:
        """The operator tree as written, or None where there is none."""
        found = self._evidence.tree(self.sql)
        return None if isinstance(found, Unreadable) else found

    @property
    def tree(self) -> Relation:
        """The operator tree of a query that has one."""
        assert self.operators is not None, "the check says that it needs a tree"
        return self.operators

    @cached_property
    def context(self) -> Context:
        """What the schema declares, for functions that look at trees."""
        assert self.schema is not None, "there is a tree"
        return Context(with_implied_keys(self.schema), self.dialect, DECLARED_ASSUMPTIONS)

    @property
    def aggregates(self) -> Iterator[Aggregate]:
        """The groupings of the tree, those of queries without GROUP BY included."""
        return (one for one in relations(self.tree) if isinstance(one, Aggregate))

    @cached_property
    def expressions(self) -> tuple[ScopedExpression, ...]:
        """Every expression of the tree with the rows that it can refer to."""
        return tuple(scoped_expressions(self.tree, self.context))

    def calls(self, *names: str) -> Iterator[Call]:
        """The calls of these functions or operators anywhere in the tree."""
        return (call for site in self.expressions for call in site.calls(*names))

    @cached_property
    def comparisons(self) -> tuple[ConstantComparison, ...]:
        """Every comparison of a table's column with constants."""
        return tuple(found for site in self.expressions for found in comparisons(site))

    @property
    def constants(self) -> Iterator[tuple[ConstantComparison, Literal]]:
        """Every constant that a table's column is compared with, and the comparison."""
        return ((one, constant) for one in self.comparisons for constant in one.constants)

    @property
    def all_tables(self) -> tuple[Table, ...]:
        """The schema's tables, whether the query reads them or not."""
        assert self.schema is not None, "there is a tree"
        return self.schema.tables

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The schema's tables that the query reads, in the schema's order."""
        names = {site.table for site in self.expressions if site.table}
        return tuple(table for table in self.all_tables if table.name in names)

    @cached_property
    def columns_read(self) -> frozenset[str]:
        """The names of the columns that the query spells out anywhere, in lower case."""
        from sqlglot import exp

        nodes = [] if self.syntax is None else self.syntax.find_all(exp.Column)
        return frozenset(node.name.casefold() for node in nodes)

    @cached_property
    def names_read(self) -> tuple[str, ...]:
        """The columns that the query reads, as the schema spells them."""
        read = self.columns_read
        names = {column.name for table in self.tables for column in table.columns}
        return tuple(sorted(name for name in names if name.casefold() in read))

    @cached_property
    def columns_shown(self) -> frozenset[str]:
        """The names of the columns that the query shows as they are, in lower case."""
        from sqlglot import exp

        items = [] if self.syntax is None else self.syntax.selects
        return frozenset(
            one.unalias().name.casefold() for one in items if isinstance(one.unalias(), exp.Column)
        )

    def edited(self, change: Callable[[exp.Expr], bool]) -> str | None:
        """The query after ``change`` altered its tree in place; None where it altered nothing."""
        tree = parse(self.sql, self.dialect)
        if tree is None or not change(tree):
            return None
        try:
            return tree.sql(self.dialect)
        except Exception:  # generators stumble over trees in many ways
            return None

    def is_text(self, column: Column) -> bool:
        """Whether a column is declared to hold texts."""
        return column_type(column.type, self.dialect) is Type.TEXT

    # ------------------------------------------------------------ rows

    @cached_property
    def result(self) -> Execution:
        """What the query returns."""
        return self._evidence.rows(self.sql)

    @property
    def returned(self) -> list[Row] | None:
        """The rows that the query returns, or None where it does not run."""
        return None if self.result.table is None else self.result.table.rows

    def rows(self, sql: str) -> list[Row] | None:
        """The rows of another query on the same database, or None where it does not run."""
        table = self._evidence.rows(sql).table
        return None if table is None else table.rows

    def rows_of(self, relation: Relation) -> list[Row] | None:
        """The rows of an operator tree, or None where it cannot be written as SQL or run."""
        sql = render(relation, self.dialect)
        return self.rows(sql) if isinstance(sql, str) else None

    def values(self, table: str, column: str, most: int = 2000) -> list[Any] | None:
        """The first distinct values of a column that are not NULL."""
        found = self.rows(
            f"SELECT DISTINCT {self.quoted(column)} FROM {self.source(table)} "
            f"WHERE {self.quoted(column)} IS NOT NULL LIMIT {most}"
        )
        return None if found is None else [value for (value,) in found]

    def some_rows(self, table: str, condition: str = "") -> list[Row] | None:
        """A list of one element where a row of a table meets a condition, else an empty one; None
        where that cannot be found out."""
        where = f"WHERE {condition} " if condition else ""
        return self.rows(f"SELECT 1 FROM {self.source(table)} {where}LIMIT 1")

    def may_hold(self, table: str, column: str, value: str) -> bool:
        """Whether a column has a text; True where that cannot be found out."""
        escaped = value.replace("'", "''")
        return self.some_rows(table, f"{self.quoted(column)} = '{escaped}'") != []

    def is_empty(self, table: str) -> bool:
        """Whether a table has no rows: nothing can be said of its values."""
        return self.some_rows(table) == []

    def quoted(self, name: str) -> str:
        """A name as the dialect quotes it."""
        from sqlglot import exp

        return exp.to_identifier(name, quoted=True).sql(self.dialect)

    def source(self, table: str) -> str:
        """A table's name as FROM needs it."""
        return as_table(table, self.dialect).sql(self.dialect)


def shown(rows: Sequence[Row], most: int = 5) -> list[list[Any]]:
    """Some rows as evidence: JSON values, long texts cut."""

    def plain(cell: Any) -> Any:
        if cell is None or isinstance(cell, (bool, int, float)):
            return cell
        text = str(cell)
        return text if len(text) <= 200 else f"{text[:200]}…"

    return [[plain(cell) for cell in row] for row in rows[:most]]
