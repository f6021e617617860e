"""A query over rows that are written into it: no table of a database is read, none is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sqljury.queries.tokens import parse, tokenize
from sqljury.schema import Table

if TYPE_CHECKING:
    from sqlglot import exp

Cell = int | float | str | None

_COUNTED_UP: Final = {"serial": "integer", "bigserial": "bigint", "smallserial": "smallint"}
_TYPE: Final = re.compile(r"[A-Za-z_][\w ]*(?:\(\s*\d+(?:\s*,\s*\d+)?\s*\))?[\w ]*")
_MYSQL_CASTS: Final = (
    (re.compile(r"date$", re.IGNORECASE), "DATE"),
    (re.compile(r"(?:datetime|timestamp)", re.IGNORECASE), "DATETIME"),
    (re.compile(r"time", re.IGNORECASE), "TIME"),
    (re.compile(r"(?:decimal|numeric)\s*(\(.*\))", re.IGNORECASE), r"DECIMAL\1"),
)


def over_rows(
    sql: str, dialect: str, tables: Sequence[Table], rows: Mapping[str, Sequence[tuple[Any, ...]]]
) -> str | None:
    """The query with a WITH in front that holds the rows of each table that it names.

    The text of the query stays as it is. What it names is hidden by the WITH on any server, so
    that the server's own tables of these names are not read.

    Args:
        dialect: ``postgres`` or ``mysql`` (MariaDB's, too), of the query and of the types.
        tables: all that the query may name.
        rows: integers, floats, texts and None, by the tables' names.

    Returns:
        None where the query cannot be parsed, or names anything else: a table of a schema, one
        that is not among the tables.

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
    from sqlglot import exp

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


class _ColumnNames:
    """Columns as a query means them: schemas written by hand do not tell which are quoted."""

    def __init__(self, tree: exp.Expr, dialect: str) -> None:
        from sqlglot import exp

        self.folds = dialect == "postgres"
        self.quoted = {each.name for each in tree.find_all(exp.Identifier) if each.quoted}

    def __getitem__(self, name: str) -> str:
        return name.lower() if self.folds and name not in self.quoted else name


def _written(
    name: str, table: Table, rows: Sequence[tuple[Any, ...]], names: _ColumnNames, dialect: str
) -> str:
    columns = ", ".join(_quoted(names[column.name], dialect) for column in table.columns)
    types = [column.type for column in table.columns]
    lines = list(_lines(rows, types, dialect))
    return f"{_quoted(name, dialect)} ({columns}) AS ({' UNION ALL '.join(lines)})"


def _lines(rows: Sequence[tuple[Any, ...]], types: Sequence[str], dialect: str) -> Iterator[str]:
    for row in rows:
        yield "SELECT " + ", ".join(
            _cell(cell, type_, dialect) for cell, type_ in zip(row, types, strict=True)
        )
    if not rows:
        source = " FROM DUAL" if dialect == "mysql" else ""
        nothing = ", ".join(_cell(None, type_, dialect) for type_ in types)
        yield f"SELECT {nothing}{source} WHERE 1 = 0"


def _cell(cell: Cell, declared: str, dialect: str) -> str:
    if dialect == "mysql":
        return _in_mysql(cell, declared.strip())
    if isinstance(cell, str):
        text = "'" + cell.replace("'", "''") + "'"
    else:
        text = "NULL" if cell is None else repr(cell)
    declared = _COUNTED_UP.get(declared.strip().lower(), declared.strip())
    if _TYPE.fullmatch(declared):
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


def _quoted(name: str, dialect: str) -> str:
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark
