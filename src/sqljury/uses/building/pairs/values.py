"""Values of a database's columns, and queries of one table that are made from them."""

from __future__ import annotations

from random import Random

from sqlglot import exp

from sqljury.databases import Database
from sqljury.execution import Limits
from sqljury.schema import Schema, Table
from sqljury.trees.affinity import NUMERIC_AFFINITIES, declared_affinity
from sqljury.variants.base import ColumnValues

_MOST = 40
"""Most values of a column that are read."""
_LONGEST = 60
"""Longer texts are left out: few queries compare with them."""
_LIMITS = Limits(seconds=2.0, rows=_MOST)


def column_values(database: Database) -> ColumnValues:
    """Some different values of each column that are texts or numbers, in the database's order."""
    found = {}
    for table in database.schema().tables:
        for column in table.columns:
            name = exp.column(column.name, quoted=True)
            query = exp.select(name).distinct().from_(exp.to_table(table.name)).limit(_MOST)
            query.args["from_"].this.this.set("quoted", True)
            ran = database.execute(query.sql(database.dialect), _LIMITS)
            rows = ran.table.rows if ran.table is not None else []
            values = tuple(
                value
                for (value,) in rows
                if isinstance(value, int | float)
                or (isinstance(value, str) and 0 < len(value) <= _LONGEST)
            )
            if values:
                found[table.name.casefold(), column.name.casefold()] = values
    return found


def one_table_queries(schema: Schema, values: ColumnValues, *, most: int, seed: str) -> list[str]:
    """Queries such as ``SELECT MAX(a) FROM t WHERE b = 'x' AND c > 3``, with values of the columns.

    They have one output, at most one aggregate, and one to three conditions, as the queries of
    WikiSQL have.
    """
    random = Random(f"one table/{seed}")
    tables = [table for table in schema.tables if _filled(table, values)]
    found = (_query(random.choice(tables), schema, values, random) for _ in range(2 * most))
    return list(dict.fromkeys(found))[:most] if tables else []


def _filled(table: Table, values: ColumnValues) -> list[str]:
    """The columns of the table with values."""
    return [
        column.name
        for column in table.columns
        if (table.name.casefold(), column.name.casefold()) in values
    ]


def _query(table: Table, schema: Schema, values: ColumnValues, random: Random) -> str:
    def named(name: str) -> exp.Column:
        return exp.column(name, quoted=not name.isidentifier())

    def is_number(name: str) -> bool:
        column = table.column(name)
        return column is not None and declared_affinity(column.type) in NUMERIC_AFFINITIES

    columns = _filled(table, values)
    shown = random.choice([column.name for column in table.columns])
    output: exp.Expr = named(shown)
    if random.random() < 0.4:
        functions = [exp.Count] if not is_number(shown) else [exp.Max, exp.Min, exp.Sum, exp.Avg]
        output = random.choice([exp.Count, *functions])(this=output)
    asked = random.sample(columns, min(len(columns), random.choice((1, 1, 2, 2, 3))))
    conditions: list[exp.Expr] = []
    for name in asked:
        value = random.choice(values[table.name.casefold(), name.casefold()])
        is_text = isinstance(value, str)
        literal = exp.Literal.string(value) if is_text else exp.Literal.number(repr(value))
        compares: list[type[exp.Binary]] = [exp.EQ]
        if is_number(name) and not is_text:
            compares += [exp.GT, exp.LT]
        conditions.append(random.choice(compares)(this=named(name), expression=literal))
    source = exp.to_table(table.name)
    source.this.set("quoted", not table.name.isidentifier())
    return exp.select(output).from_(source).where(*conditions).sql(schema.dialect)
