"""The expressions of an operator tree, each with the rows it sees, and what it compares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqljury.schema import Column, Schema, Table
from sqljury.trees.catalog import BySchema
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
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
)
from sqljury.trees.provenance import Origin, origin
from sqljury.trees.types import fields, type_of
from sqljury.trees.walk import expressions, inputs, operands, subexpressions, width


def _implied(schema: Schema) -> Schema:
    tables = tuple(_with_targets(table, schema) for table in schema.tables)
    return replace(schema, tables=tables)


def _with_targets(table: Table, schema: Schema) -> Table:
    name = table.name.casefold()
    targets = {
        key.target_columns
        for other in schema.tables
        for key in other.foreign_keys
        if key.target_table.casefold() == name and key.target_columns
    }
    known = {table.primary_key, *table.unique}
    new = tuple(sorted(targets - known))
    held = {column.casefold() for columns in new for column in columns}
    columns = tuple(
        replace(one, nullable=False) if one.name.casefold() in held else one
        for one in table.columns
    )
    return replace(table, unique=(*table.unique, *new), columns=columns)


with_implied_keys = BySchema(_implied)
"""The schema in which every target of a foreign key is unique and holds no NULL, as SQL has it."""


_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "LIKE", "ILIKE", "GLOB", "IN", "IS", "BETWEEN")
_SAME_VALUE = ("LOWER", "UPPER", "TRIM")


@dataclass(frozen=True)
class Site:
    """One expression of a relation.

    Args:
        expression: the expression; a table's own site has none.
        relation: the operator that evaluates it.
        row: the relation whose columns ``Ref`` counts.
        outer: the rows around it, nearest first.
    """

    expression: Expression | None
    relation: Relation
    row: Relation
    outer: tuple[Relation, ...]
    context: Context

    @property
    def table(self) -> str:
        """The table that is read here; empty where none is."""
        return self.relation.table if isinstance(self.relation, Scan) else ""

    def origin(self, expression: Expression) -> Origin | None:
        """The table's column that an expression is, if it is one."""
        match expression:
            case Ref(index):
                return origin(self.row, index)
            case Outer(level, index) if level <= len(self.outer):
                return origin(self.outer[level - 1], index)
            case _:
                return None

    def column(self, expression: Expression) -> tuple[str, Column] | None:
        """The table and the column that an expression is, if it is one."""
        found = self.origin(expression)
        table = None if found is None else self.context.schema.table(found.scan.table)
        if found is None or table is None:
            return None
        column = table.column(found.scan.columns[found.column])
        return None if column is None else (table.name, column)

    def type(self, expression: Expression) -> Type:
        """The type of an expression's values."""
        outer = [fields(row, self.context) for row in self.outer]
        return type_of(expression, fields(self.row, self.context, outer), self.context, outer)


def sites(relation: Relation, context: Context, outer: tuple[Relation, ...] = ()) -> Iterator[Site]:
    """All expressions of a tree from the top down, those inside subqueries included."""
    row = _row_seen(relation)
    if isinstance(relation, Scan):
        yield Site(None, relation, relation, outer, context)
    for expression in expressions(relation):
        yield Site(expression, relation, row, outer, context)
        for part in subexpressions(expression):
            if isinstance(part, Subquery):
                yield from sites(part.relation, context, (row, *outer))
    for place, below in enumerate(inputs(relation)):
        lateral = isinstance(relation, Join) and relation.lateral and place == 1
        around = (inputs(relation)[0], *outer) if lateral else outer
        yield from sites(below, context, around)


def _row_seen(relation: Relation) -> Relation:
    if isinstance(relation, Join):
        return replace(relation, kind=JoinKind.INNER)
    below = inputs(relation)
    return below[0] if len(below) == 1 else relation


@dataclass(frozen=True, slots=True)
class ConstantComparison:
    """A comparison of a table's column with constants; ``negated`` where it stands under NOT.

    ``folded`` where the column stands inside LOWER, UPPER or TRIM.
    """

    site: Site
    table: str
    column: Column
    operator: str
    constants: tuple[Literal, ...]
    negated: bool
    folded: bool = False

    @property
    def is_search(self) -> bool:
        """Whether rows are kept because the column has this value."""
        return self.operator in ("=", "IN") and not self.negated


def comparisons(site: Site) -> Iterator[ConstantComparison]:
    """What a site's expression compares."""
    if site.expression is not None:
        yield from _compared(site, site.expression, negated=False)


def _compared(site: Site, expression: Expression, negated: bool) -> Iterator[ConstantComparison]:
    if isinstance(expression, Call) and expression.name in _COMPARED:
        found = _comparison(site, expression, negated)
        if found is not None:
            yield found
            return
    under = negated != (isinstance(expression, Call) and expression.name == "NOT")
    for part in operands(expression):
        yield from _compared(site, part, under)


def _comparison(site: Site, call: Call, negated: bool) -> ConstantComparison | None:
    first, *rest = call.operands
    operator = call.name
    if isinstance(first, Literal) and len(rest) == 1:
        first, rest = rest[0], [first]
        operator = _FLIPPED.get(operator, operator)
    constants = tuple(one for one in rest if isinstance(one, Literal))
    plain = _unfolded(first)
    found = site.column(plain)
    if found is None or not constants or len(constants) != len(rest):
        return None
    table, column = found
    return ConstantComparison(site, table, column, operator, constants, negated, plain is not first)


def _unfolded(expression: Expression) -> Expression:
    while isinstance(expression, Call) and expression.name in _SAME_VALUE:
        expression = expression.operands[0]
    return expression.operand if isinstance(expression, Cast) else expression


def calls(site: Site, *names: str) -> Iterator[Call]:
    """The calls of these functions or operators in a site's expression."""
    if site.expression is not None:
        for part in subexpressions(site.expression):
            if isinstance(part, Call) and part.name in names:
                yield part


@dataclass(frozen=True, slots=True)
class Leaf:
    """One table (or subquery) of a join: its columns begin at ``start`` of the joined row."""

    relation: Relation
    start: int

    @property
    def columns(self) -> range:
        """Its columns in the joined row."""
        return range(self.start, self.start + width(self.relation))

    @property
    def table(self) -> str:
        """The table's name; empty for a subquery."""
        return self.relation.table if isinstance(self.relation, Scan) else ""


def leaves(relation: Relation, start: int = 0) -> list[Leaf]:
    """What joins of the inner or left kind put together, left to right; filters are looked through.

    A relation that is no join is its only leaf.
    """
    match relation:
        case Filter() if not isinstance(relation.input, Scan):
            return leaves(relation.input, start)
        case Join(JoinKind.INNER | JoinKind.LEFT, left, right):
            return leaves(left, start) + leaves(right, start + width(left))
        case Filter(Scan() as scan):
            return [Leaf(scan, start)]
        case _:
            return [Leaf(relation, start)]


def key_places(leaf: Leaf, context: Context) -> tuple[int, ...]:
    """The places of a table's primary key in the joined row; empty without one."""
    table = context.schema.table(leaf.table)
    if table is None or not isinstance(leaf.relation, Scan):
        return ()
    place = {name.casefold(): leaf.start + i for i, name in enumerate(leaf.relation.columns)}
    return tuple(place[name.casefold()] for name in table.primary_key if name.casefold() in place)


def blocks(relation: Relation) -> Iterator[tuple[Relation, tuple[Relation, ...]]]:
    """The FROM and WHERE of every SELECT of a tree, and the operators above it."""
    yield from _blocks(relation, ())


def _blocks(
    relation: Relation, above: tuple[Relation, ...]
) -> Iterator[tuple[Relation, tuple[Relation, ...]]]:
    from sqljury.trees.walk import subqueries

    for sub in subqueries(relation):
        yield from _blocks(sub.relation, ())
    if isinstance(relation, Filter | Join | Scan) and not _is_having(relation):
        yield relation, above
        for leaf in leaves(relation):
            if not isinstance(leaf.relation, Scan):
                yield from _blocks(leaf.relation, ())
        return
    for below in inputs(relation):
        keeps = len(inputs(relation)) == 1
        yield from _blocks(below, (*above, relation) if keeps else ())


def _is_having(relation: Relation) -> bool:
    from sqljury.trees.nodes import Aggregate, Window

    return isinstance(relation, Filter) and isinstance(relation.input, Aggregate | Window | Project)
