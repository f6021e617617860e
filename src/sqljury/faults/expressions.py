"""Reads operator trees for checks: expressions in scope, comparisons with constants, FROM items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqljury.schema import Column, Schema, Table
from sqljury.sql.comparisons import MIRRORED
from sqljury.trees.catalog import BySchema
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    Call,
    Cast,
    Expression,
    Filter,
    Join,
    JoinKind,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
    Scan,
    Subquery,
    Type,
    Window,
)
from sqljury.trees.provenance import Origin, origin
from sqljury.trees.types import fields, type_of
from sqljury.trees.walk import expressions, inputs, operands, subexpressions, subqueries, width


def _implied(schema: Schema) -> Schema:
    referenced: dict[str, set[tuple[str, ...]]] = {}
    for table in schema.tables:
        for key in filter(lambda key: key.target_columns, table.foreign_keys):
            referenced.setdefault(key.target_table.casefold(), set()).add(key.target_columns)

    def with_targets(table: Table) -> Table:
        targets = referenced.get(table.name.casefold(), set())
        new = tuple(sorted(targets - {table.primary_key, *table.unique}))
        not_null = {column.casefold() for columns in new for column in columns}
        columns = tuple(
            replace(one, nullable=False) if one.name.casefold() in not_null else one
            for one in table.columns
        )
        return replace(table, unique=(*table.unique, *new), columns=columns)

    return replace(schema, tables=tuple(map(with_targets, schema.tables)))


with_implied_keys = BySchema(_implied)
"""Returns the schema in which the target columns of every foreign key are unique and not NULL, as
standard SQL requires, even if the schema does not declare it."""


_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "LIKE", "ILIKE", "GLOB", "IN", "IS", "BETWEEN")
_SAME_VALUE = ("LOWER", "UPPER", "TRIM")


@dataclass(frozen=True)
class ScopedExpression:
    """An expression of a relation, with the rows that it can refer to.

    Args:
        expression: the expression; None for the table of a scan, which has none.
        relation: the operator that evaluates it.
        row: the relation whose columns the indexes of ``Ref`` count.
        outer: the rows of the enclosing queries, the nearest first.
    """

    expression: Expression | None
    relation: Relation
    row: Relation
    outer: tuple[Relation, ...]
    context: Context

    @property
    def table(self) -> str:
        """The name of the table, if the relation is a scan; else empty."""
        return self.relation.table if isinstance(self.relation, Scan) else ""

    def column(self, expression: Expression) -> tuple[str, Column] | None:
        """The table's name and the column that an expression refers to; None for anything else."""
        found: Origin | None = None
        match expression:
            case Ref(index):
                found = origin(self.row, index)
            case Outer(level, index) if level <= len(self.outer):
                found = origin(self.outer[level - 1], index)
        table = None if found is None else self.context.schema.table(found.scan.table)
        if found is None or table is None:
            return None
        column = table.column(found.scan.columns[found.column])
        return None if column is None else (table.name, column)

    def type(self, expression: Expression) -> Type:
        """The type of an expression's values."""
        outer = [fields(row, self.context) for row in self.outer]
        return type_of(expression, fields(self.row, self.context, outer), self.context, outer)

    def calls(self, *names: str) -> Iterator[Call]:
        """The calls of these functions or operators in the expression."""
        for part in subexpressions(self.expression) if self.expression is not None else ():
            if isinstance(part, Call) and part.name in names:
                yield part


def scoped_expressions(
    relation: Relation, context: Context, outer: tuple[Relation, ...] = ()
) -> Iterator[ScopedExpression]:
    """All expressions of a tree from the top down, those inside subqueries included."""
    below = inputs(relation)
    row = below[0] if len(below) == 1 else relation
    if isinstance(relation, Join):
        row = replace(relation, kind=JoinKind.INNER)
    if isinstance(relation, Scan):
        yield ScopedExpression(None, relation, relation, outer, context)
    for expression in expressions(relation):
        yield ScopedExpression(expression, relation, row, outer, context)
        for part in subexpressions(expression):
            if isinstance(part, Subquery):
                yield from scoped_expressions(part.relation, context, (row, *outer))
    for place, one in enumerate(below):
        lateral = isinstance(relation, Join) and relation.lateral and place == 1
        yield from scoped_expressions(one, context, (below[0], *outer) if lateral else outer)


@dataclass(frozen=True, slots=True)
class ConstantComparison:
    """A comparison of a table's column with constants.

    Args:
        operator: with the column on the left.
        negated: True under an odd number of NOT.
        folded: True if the column is not compared as it is: inside LOWER, UPPER, TRIM or CAST.
    """

    table: str
    column: Column
    operator: str
    constants: tuple[Literal, ...]
    negated: bool
    folded: bool = False

    @property
    def is_search(self) -> bool:
        """True if only rows with one of these values are kept (``=``, ``IN``)."""
        return self.operator in ("=", "IN") and not self.negated


def comparisons(site: ScopedExpression) -> Iterator[ConstantComparison]:
    """The comparisons of columns with constants in an expression."""
    if site.expression is not None:
        yield from _compared(site, site.expression, negated=False)


def _compared(
    site: ScopedExpression, expression: Expression, negated: bool
) -> Iterator[ConstantComparison]:
    name = expression.name if isinstance(expression, Call) else ""
    if isinstance(expression, Call) and name in _COMPARED:
        found = _comparison(site, expression, negated)
        if found is not None:
            yield found
            return
    for part in operands(expression):
        yield from _compared(site, part, negated != (name == "NOT"))


def _comparison(site: ScopedExpression, call: Call, negated: bool) -> ConstantComparison | None:
    first, *rest = call.operands
    operator = call.name
    if isinstance(first, Literal) and len(rest) == 1:
        first, rest = rest[0], [first]
        operator = MIRRORED.get(operator, operator)
    constants = tuple(one for one in rest if isinstance(one, Literal))
    plain = first
    while isinstance(plain, Call) and plain.name in _SAME_VALUE:
        plain = plain.operands[0]
    plain = plain.operand if isinstance(plain, Cast) else plain
    found = site.column(plain)
    if found is None or not constants or len(constants) != len(rest):
        return None
    return ConstantComparison(*found, operator, constants, negated, plain is not first)


@dataclass(frozen=True, slots=True)
class JoinInput:
    """A table or subquery of a FROM clause; its columns begin at ``start`` of the joined row."""

    relation: Relation
    start: int

    @property
    def columns(self) -> range:
        """The places of its columns in the joined row."""
        return range(self.start, self.start + width(self.relation))

    @property
    def table(self) -> str:
        """The table's name; empty for a subquery."""
        return self.relation.table if isinstance(self.relation, Scan) else ""


def join_inputs(relation: Relation, start: int = 0) -> list[JoinInput]:
    """The tables and subqueries that inner and left joins combine, left to right.

    Filters are skipped. A relation that is not such a join is returned as the only item.
    """
    match relation:
        case Filter() if not isinstance(relation.input, Scan):
            return join_inputs(relation.input, start)
        case Join(JoinKind.INNER | JoinKind.LEFT, left, right):
            return join_inputs(left, start) + join_inputs(right, start + width(left))
        case Filter(Scan() as scan):
            return [JoinInput(scan, start)]
        case _:
            return [JoinInput(relation, start)]


def key_places(item: JoinInput, context: Context) -> tuple[int, ...]:
    """The places of a table's primary key in the joined row; empty without one."""
    table = context.schema.table(item.table)
    if table is None or not isinstance(item.relation, Scan):
        return ()
    place = {name.casefold(): item.start + i for i, name in enumerate(item.relation.columns)}
    return tuple(place[name.casefold()] for name in table.primary_key if name.casefold() in place)


def select_blocks(
    relation: Relation, above: tuple[Relation, ...] = ()
) -> Iterator[tuple[Relation, tuple[Relation, ...]]]:
    """Per SELECT of a tree, the relation of its FROM and WHERE, and the operators above it.

    The operators are those of the same SELECT, the outermost first."""
    for sub in subqueries(relation):
        yield from select_blocks(sub.relation)
    below = inputs(relation)
    is_having = isinstance(relation, Filter) and isinstance(
        relation.input, Aggregate | Window | Project
    )
    if isinstance(relation, Filter | Join | Scan) and not is_having:
        yield relation, above
        items = [item.relation for item in join_inputs(relation)]
        if items != [relation]:
            below = tuple(item for item in items if not isinstance(item, Scan))
        above = ()
    elif len(below) == 1:
        above = (*above, relation)
    else:
        above = ()
    for one in below:
        yield from select_blocks(one, above)
