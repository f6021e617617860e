"""The input of a check: a query with its question, its schema and its database."""

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
    """What a check needs; without it the check is skipped and reported as skipped."""

    TEXT = 0
    QUESTION = auto()
    HINT = auto()
    TREE = auto()
    """The operator tree, which needs a schema."""
    ROWS = auto()
    """The rows of the database."""


def with_text_replaced(sql: str, old: str, new: str, dialect: str) -> str | None:
    """The query with one text constant replaced; None unless the old one occurs exactly once.

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
    """A query to be checked; its properties are computed when first used and then kept.

    Args:
        sql: the query.
        evidence: has the case's question and hint, the schema, and the database if there is one.
    """

    def __init__(self, sql: str, evidence: Evidence) -> None:
        self.sql = sql
        self.question = (evidence.case.question or "").strip()
        self.hint = (evidence.case.hint or "").strip()
        self.dialect = evidence.dialect
        self._evidence = evidence

    @cached_property
    def sees(self) -> Sees:
        """What is available for this query, to be compared with what a check needs."""
        found = Sees.TEXT
        found |= Sees.QUESTION if self.question else found
        found |= Sees.HINT if self.hint else found
        found |= Sees.TREE if self.operators is not None else found
        return found | (Sees.ROWS if self._evidence.has_database else found)

    # ------------------------------------------------------------ texts

    @cached_property
    def wording(self) -> Wording:
        """The words of the question."""
        return Wording(self.question)

    @cached_property
    def said(self) -> Wording:
        """The words of question and hint, as one text."""
        return Wording(f"{self.question} {self.hint}")

    @cached_property
    def hint_conditions(self) -> tuple[HintCondition, ...]:
        """The conditions on columns that the hint writes out."""
        return () if self.schema is None else hint_conditions(self.hint, self.schema)

    @cached_property
    def syntax(self) -> exp.Query | None:
        """The syntax tree of sqlglot, or None if the text cannot be parsed as a query."""
        from sqlglot import exp

        found = parse(self.sql, self.dialect)
        return found if isinstance(found, exp.Query) else None

    # ------------------------------------------------------------ trees

    @cached_property
    def schema(self) -> Schema | None:
        """The schema, or None if it is not known."""
        return self._evidence.schema()

    @cached_property
    def operators(self) -> Relation | None:
        """The operator tree of the query as written, or None if it cannot be built."""
        found = self._evidence.tree(self.sql)
        return None if isinstance(found, Unreadable) else found

    @property
    def tree(self) -> Relation:
        """The operator tree; only for checks that declare ``Sees.TREE``."""
        assert self.operators is not None, "the check says that it needs a tree"
        return self.operators

    @cached_property
    def context(self) -> Context:
        """The schema and its dialect, for functions that read trees; only what the schema declares
        is assumed."""
        assert self.schema is not None, "there is a tree"
        return Context(with_implied_keys(self.schema), self.dialect, DECLARED_ASSUMPTIONS)

    @property
    def aggregates(self) -> Iterator[Aggregate]:
        """The aggregations of the tree, including those without GROUP BY."""
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
        """Pairs: a comparison of a table's column, and one constant it is compared with."""
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
        """The names of the columns that occur anywhere in the query's text, in lower case."""
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
        """The names of the columns that the SELECT list has without computing, in lower case."""
        from sqlglot import exp

        items = [] if self.syntax is None else self.syntax.selects
        return frozenset(
            one.unalias().name.casefold() for one in items if isinstance(one.unalias(), exp.Column)
        )

    def edited(self, change: Callable[[exp.Expr], bool]) -> str | None:
        """The query after ``change`` altered its syntax tree in place.

        None if ``change`` returns False or the tree cannot be written as SQL."""
        tree = parse(self.sql, self.dialect)
        if tree is None or not change(tree):
            return None
        try:
            return tree.sql(self.dialect)
        except Exception:  # sqlglot's generators raise many kinds of errors for odd trees
            return None

    def is_text(self, column: Column) -> bool:
        """True if a column is declared with a text type."""
        return column_type(column.type, self.dialect) is Type.TEXT

    # ------------------------------------------------------------ rows

    @cached_property
    def result(self) -> Execution:
        """The result of running the query, which may be a failure."""
        return self._evidence.rows(self.sql)

    @property
    def returned(self) -> list[Row] | None:
        """The rows that the query returns, or None if it fails."""
        return None if self.result.table is None else self.result.table.rows

    def rows(self, sql: str) -> list[Row] | None:
        """The rows of another query on the same database, or None if it fails."""
        table = self._evidence.rows(sql).table
        return None if table is None else table.rows

    def rows_of(self, relation: Relation) -> list[Row] | None:
        """The rows of an operator tree, or None if it cannot be written as SQL or fails."""
        sql = render(relation, self.dialect)
        return self.rows(sql) if isinstance(sql, str) else None

    def values(self, table: str, column: str, most: int = 2000) -> list[Any] | None:
        """At most ``most`` distinct values of a column, without NULL; None if that query fails."""
        found = self.rows(
            f"SELECT DISTINCT {self.quoted(column)} FROM {self.source(table)} "
            f"WHERE {self.quoted(column)} IS NOT NULL LIMIT {most}"
        )
        return None if found is None else [value for (value,) in found]

    def some_rows(self, table: str, condition: str = "") -> list[Row] | None:
        """A list with one element if a row of the table meets the condition, else an empty list;
        None if that query fails."""
        where = f"WHERE {condition} " if condition else ""
        return self.rows(f"SELECT 1 FROM {self.source(table)} {where}LIMIT 1")

    def may_hold(self, table: str, column: str, value: str) -> bool:
        """True if a column contains this text, or if that query fails."""
        escaped = value.replace("'", "''")
        return self.some_rows(table, f"{self.quoted(column)} = '{escaped}'") != []

    def is_empty(self, table: str) -> bool:
        """True if a table has no rows, so that nothing is known of its values."""
        return self.some_rows(table) == []

    def quoted(self, name: str) -> str:
        """A name as the dialect quotes it."""
        from sqlglot import exp

        return exp.to_identifier(name, quoted=True).sql(self.dialect)

    def source(self, table: str) -> str:
        """A table's name as it is written in FROM."""
        return as_table(table, self.dialect).sql(self.dialect)


def shown(rows: Sequence[Row], most: int = 5) -> list[list[Any]]:
    """The first rows as JSON values, for evidence; texts of more than 200 characters are cut."""

    def plain(cell: Any) -> Any:
        if cell is None or isinstance(cell, (bool, int, float)):
            return cell
        text = str(cell)
        return text if len(text) <= 200 else f"{text[:200]}…"

    return [[plain(cell) for cell in row] for row in rows[:most]]
