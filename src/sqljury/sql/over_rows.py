"""A query over rows that are written into it: no table of a database is read, none is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sqlglot import exp

from sqljury.schema import Column, Table
from sqljury.sql.tokens import parse, tokenize

Cell = int | float | str | None

_COUNTED_UP: Final = {"serial": "integer", "bigserial": "bigint", "smallserial": "smallint"}
_TYPE: Final = re.compile(r"[A-Za-z_][\w ]*(?:\(\s*\d+(?:\s*,\s*\d+)?\s*\))?[\w ]*")
_LABELS: Final = re.compile(
    r"ENUM\s*\(\s*'(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*')*\s*\)", re.IGNORECASE
)
_MYSQL_CASTS: Final = (
    (re.compile(r"date$", re.IGNORECASE), "DATE"),
    (re.compile(r"(?:datetime|timestamp)", re.IGNORECASE), "DATETIME"),
    (re.compile(r"time", re.IGNORECASE), "TIME"),
    (re.compile(r"(?:tiny|small|medium|big)?int.*unsigned", re.IGNORECASE), "UNSIGNED"),
    (re.compile(r"(?:decimal|numeric)\s*(\(.*\))", re.IGNORECASE), r"DECIMAL\1"),
)


_HAS_COLLATION: Final = re.compile(r"char|text|clob|enum|set", re.IGNORECASE)
_MYSQL_COLLATION: Final = re.compile(r"[a-z0-9]+_[a-z0-9_]+")
_NOT_WRITTEN: Final = re.compile(r"enum|set|bit|float|year|json|geometry", re.IGNORECASE)
"""Types of MySQL that no literal and no CAST has."""


def over_rows(
    sql: str, dialect: str, tables: Sequence[Table], rows: Mapping[str, Sequence[tuple[Any, ...]]]
) -> str | None:
    """The query with a WITH in front that holds the rows of each table that it names.

    The text of the query stays as it is. What it names is hidden by the WITH on any server, so
    that the server's own tables of these names are not read.

    Args:
        dialect: ``postgres``, ``mysql`` (MariaDB's, too) or ``duckdb``, of the query and of the
            types.
        tables: all that the query may name.
        rows: integers, floats, texts and None, by the tables' names.

    Returns:
        None where the query cannot be parsed, or names anything else: a table of a schema, one
        that is not among the tables, one with a column of a type that only tables have.

    >>> from sqljury.schema import Column
    >>> boat = Table(name="boat", columns=(Column(name="id", type="integer"),))
    >>> over_rows("SELECT id FROM Boat", "postgres", [boat], {"boat": [(1,), (2,)]})
    'WITH "boat" ("id") AS (SELECT CAST(1 AS integer) UNION ALL SELECT CAST(2 AS integer)) \
SELECT id FROM Boat'
    """
    tree, tokens = parse(sql, dialect), tokenize(sql, dialect)
    names = None if tree is None else _names(tree, dialect, tables)
    if tree is None or names is None or not tokens:
        return None
    if dialect == "mysql" and any(map(_is_beyond_literals, names.values())):
        return None
    if not names:
        return sql
    columns = _ColumnNames(tree, dialect)
    written = ", ".join(
        _written(name, table, rows.get(table.name, ()), columns, dialect)
        for name, table in names.items()
    )
    head = [token.text.upper() for token in tokens[:2]]
    if head[0] != "WITH":
        return f"WITH {written} {sql}"
    end = tokens[1 if head[1:] == ["RECURSIVE"] else 0].end + 1
    return f"{sql[:end]} {written},{sql[end:]}"


def _names(tree: exp.Expr, dialect: str, tables: Sequence[Table]) -> dict[str, Table] | None:
    """The tables that a query names, by the names as the server understands them."""
    known = {table.name.casefold(): table for table in tables}
    own = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    found: dict[str, Table] = {}
    for source in tree.find_all(exp.Table):
        name = source.this
        if not isinstance(name, exp.Identifier):
            continue  # a function that gives rows
        table = known.get(name.name.casefold())
        if source.db or (table is None and name.name.casefold() not in own):
            return None
        if table is not None:
            folds = dialect == "postgres" and not name.quoted
            found[name.name.lower() if folds else name.name] = table
    return found


def _is_beyond_literals(table: Table) -> bool:
    return any(_NOT_WRITTEN.match(column.type.strip()) for column in table.columns)


class _ColumnNames:
    """Columns as a query means them: schemas written by hand do not tell which are quoted."""

    def __init__(self, tree: exp.Expr, dialect: str) -> None:
        self.folds = dialect == "postgres"
        self.quoted = {each.name for each in tree.find_all(exp.Identifier) if each.quoted}

    def __getitem__(self, name: str) -> str:
        return name.lower() if self.folds and name not in self.quoted else name


def _written(
    name: str, table: Table, rows: Sequence[tuple[Any, ...]], names: _ColumnNames, dialect: str
) -> str:
    columns = ", ".join(quoted_name(names[column.name], dialect) for column in table.columns)
    lines = list(_lines(rows, table.columns, dialect))
    return f"{quoted_name(name, dialect)} ({columns}) AS ({' UNION ALL '.join(lines)})"


def _lines(
    rows: Sequence[tuple[Any, ...]], columns: Sequence[Column], dialect: str
) -> Iterator[str]:
    for row in rows:
        yield "SELECT " + ", ".join(
            _value(cell, column, dialect) for cell, column in zip(row, columns, strict=True)
        )
    if not rows:
        source = " FROM DUAL" if dialect == "mysql" else ""
        nothing = ", ".join(_value(None, column, dialect) for column in columns)
        yield f"SELECT {nothing}{source} WHERE 1 = 0"


def _value(cell: Cell, column: Column, dialect: str) -> str:
    """A cell with the type and the collation of its column."""
    text = _cell(cell, column.type, dialect)
    if not column.collation or not _HAS_COLLATION.search(column.type):
        return text
    if dialect == "postgres":
        return f"{text} COLLATE {quoted_name(column.collation, dialect)}"
    if dialect == "duckdb":
        return f"{text} COLLATE {column.collation}" if column.collation.isalnum() else text
    if not _MYSQL_COLLATION.fullmatch(column.collation):
        return text
    charset = column.collation.partition("_")[0]
    return f"CONVERT({text} USING {charset}) COLLATE {column.collation}"


def _cell(cell: Cell, declared: str, dialect: str) -> str:
    if dialect == "mysql":
        return _in_mysql(cell, declared.strip())
    if isinstance(cell, str):
        text = "'" + cell.replace("'", "''") + "'"
    else:
        text = "NULL" if cell is None else repr(cell)
    declared = _COUNTED_UP.get(declared.strip().lower(), declared.strip())
    if _TYPE.fullmatch(declared) or (dialect == "duckdb" and _LABELS.fullmatch(declared)):
        return f"CAST({text} AS {declared})"
    return f"CAST({text} AS text)" if cell is None or isinstance(cell, str) else text


def _in_mysql(cell: Cell, declared: str) -> str:
    """Its CAST knows few types; literals have the types of columns but for these."""
    if isinstance(cell, str):
        escaped = cell.replace("\\", "\\\\").replace("'", "''")
        text = f"'{escaped}'"
    elif isinstance(cell, float):
        text = repr(cell) if "e" in repr(cell) else f"{cell!r}e0"  # 1.5 alone is a DECIMAL
    else:
        text = "NULL" if cell is None else repr(cell)
    for pattern, cast in _MYSQL_CASTS:
        found = pattern.match(declared)
        if found is not None:
            return f"CAST({text} AS {found.expand(cast)})"
    return text


def quoted_name(name: str, dialect: str) -> str:
    """A name as PostgreSQL or MySQL spells it, whatever is in it."""
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark
