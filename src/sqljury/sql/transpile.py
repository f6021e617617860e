"""A query in another dialect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlglot import ErrorLevel, exp

from sqljury.schema import Column, Table
from sqljury.sql.resolve import confused
from sqljury.sql.tokens import parse, tokenize


def in_sqlites_words(tree: exp.Expr, source: str) -> exp.Expr:
    """The query with comparisons, operators and parentheses as SQLite reads them."""
    # From the inside out, as what is replaced takes its parts along.
    for node in reversed(list(tree.walk(bfs=True))):
        written = _rewritten(node, source)
        if node is tree:
            tree = written
        elif written is not node:
            node.replace(written)
    while isinstance(tree, exp.Subquery) and tree.is_wrapper:
        tree = tree.this
    return tree


def _rewritten(node: exp.Expr, source: str) -> exp.Expr:
    if isinstance(node, exp.SetOperation):
        node.set("this", _operand(node.this, right=False))
        node.set("expression", _operand(node.expression, right=True))
    elif isinstance(node, exp.Xor):
        # NULL where a side is NULL, and values other than 0 and 1 count as true.
        left, right = (exp.not_(exp.paren(side)) for side in (node.this, node.expression))
        return exp.paren(exp.NEQ(this=exp.paren(left), expression=exp.paren(right)))
    elif isinstance(node, exp.Concat) and source in ("postgres", "duckdb"):
        # Their CONCAT takes a NULL for no text; MySQL's is NULL.
        found: exp.Expr = exp.Literal.string("")
        for part in node.expressions:
            filled = part if part.is_string else exp.func("COALESCE", part, exp.Literal.string(""))
            found = exp.DPipe(this=found, expression=filled)
        return exp.paren(found)
    elif isinstance(node, exp.In) and isinstance(node.args.get("query"), exp.Subquery):
        # In SQLite a second pair of parentheses makes a list of one value.
        node.set("query", exp.Subquery(this=node.args["query"].unnest()))
    elif isinstance(node, exp.Identifier) and "$" in node.name:
        node.set("quoted", True)
    return in_or_not_in(node) or node


def in_or_not_in(node: exp.Expr | None) -> exp.Expr | None:
    """``= ANY (SELECT …)`` as IN and ``<> ALL (SELECT …)`` as NOT IN, None for anything else."""
    kind = {exp.EQ: exp.Any, exp.NEQ: exp.All}.get(type(node))  # type: ignore[arg-type]
    if node is None or kind is None or not isinstance(node.expression, kind):
        return None
    query = node.expression.this
    if isinstance(query, exp.Subquery):
        query = query.unnest()
    if not isinstance(query, exp.Query):
        return None
    found = exp.In(this=node.this.copy(), query=exp.Subquery(this=query.copy()))
    return found if kind is exp.Any else exp.not_(found)


def _operand(side: exp.Expr, *, right: bool) -> exp.Expr:
    """A side of a set operation without parentheses: SQLite has none there, and goes from left to
    right."""
    inner = side.unnest() if isinstance(side, exp.Subquery) and not side.alias else side
    if isinstance(inner, exp.Select) and not _is_cut(inner):
        return inner
    if isinstance(inner, exp.SetOperation) and not right and not _is_cut(inner):
        return inner
    if inner is side and not right:
        return side
    return exp.select("*").from_(exp.Subquery(this=inner, alias=exp.TableAlias(this="part")))


def _is_cut(query: exp.Expr) -> bool:
    """Whether it has clauses that would be taken for those of the whole."""
    return any(query.args.get(name) for name in ("order", "limit", "offset", "with_", "with"))


def is_unsaid(node: exp.Expr) -> bool:
    """What SQLite's parser stops at, whatever stands around it."""
    if isinstance(node, exp.Any | exp.All):
        return in_or_not_in(node.parent) is None
    return isinstance(node, exp.Extract | exp.Lateral | exp.Parameter)


_FIRST_OF_EACH = frozenset(("postgres", "redshift", "duckdb"))
"""Dialects that have DISTINCT ON."""
# What SQLite reads as something else: SEMI as the name of the table before it.
_OWN_JOINS = frozenset(("SEMI", "ANTI", "ASOF", "POSITIONAL"))


def transpiled(sql: str, source: str, target: str) -> str | None:
    """The query as another engine writes it, or None where it cannot be parsed or written.

    What the other dialect has no words for (a sample, IGNORE NULLS, …) is not left out: then there
    is no such query.

    >>> transpiled("SELECT a FROM t WHERE b GLOB 'x*'", "sqlite", "duckdb")
    "SELECT a FROM t WHERE b GLOB 'x*'"
    >>> transpiled("SELECT a FROM t USING SAMPLE 1", "duckdb", "sqlite") is None
    True
    """
    tree = parse(sql, source)
    if tree is None or (source != target and (_is_lost(tree, target) or confused(tree, source))):
        return None
    try:
        if target == "sqlite":
            _name_values(tree)
            if source != target:
                if any(is_unsaid(node) for node in tree.walk()):
                    return None
                tree = in_sqlites_words(tree, source)
        return tree.sql(target, unsupported_level=ErrorLevel.RAISE)
    except Exception:  # generators stumble over trees in many ways
        return None


def same_in_translation(left: str, right: str, source: str) -> str:
    """What differs in two queries and SQLite takes for the same; empty where nothing does.

    >>> same_in_translation("SELECT a -> 'b' FROM t", "SELECT a ->> 'b' FROM t", "postgres")
    'JSONExtract'
    """
    trees = [parse(sql, source) for sql in (left, right)]
    if source == "sqlite" or None in trees:
        return ""
    counts = [_lossy(tree) for tree in trees if tree is not None]
    differing = (counts[0] - counts[1]) + (counts[1] - counts[0])
    return min(differing, default="")


def _lossy(tree: exp.Expr) -> Counter[str]:
    kinds = (exp.Cast, exp.TryCast, exp.JSONExtract, exp.JSONExtractScalar)
    found = Counter(type(node).__name__ for node in tree.find_all(*kinds))
    # A cast alone is the same everywhere; one that fails is not.
    return found if found["TryCast"] else found - Counter(Cast=found["Cast"])


def _name_values(tree: exp.Expr) -> None:
    """``(VALUES (1, 2)) AS t (a, b)`` as a query: SQLite has no names for these columns."""
    for values in list(tree.find_all(exp.Values)):
        alias = values.args.get("alias")
        if alias is None or not alias.columns:
            continue
        selects = [
            exp.select(
                *(
                    exp.alias_(cell.copy(), name.copy())
                    for cell, name in zip(row.expressions, alias.columns, strict=True)
                )
            )
            for row in values.expressions
        ]
        query = selects[0] if len(selects) == 1 else exp.union(*selects, distinct=False)
        values.replace(exp.Subquery(this=query, alias=exp.TableAlias(this=alias.this.copy())))


def _is_lost(tree: exp.Expr, target: str) -> bool:
    """Whether a query has parts that other dialects have in other words, or not at all."""
    if target not in _FIRST_OF_EACH and any(
        each.args.get("on") for each in tree.find_all(exp.Distinct)
    ):
        return True  # written with a window function it would lose its order and its limit
    for join in tree.find_all(exp.Join):
        if {join.kind, join.method} & _OWN_JOINS:
            return True
    options = [limit.args.get("limit_options") for limit in tree.find_all(exp.Fetch, exp.Limit)]
    return any(given is not None and given.args.get("with_ties") for given in options)


# ------------------------------------------------------------
# A query over rows that are written into it: no table of a database is read, none is written.

Cell = int | float | str | None

_COUNTED_UP = {"serial": "integer", "bigserial": "bigint", "smallserial": "smallint"}
_TYPE = re.compile(r"[A-Za-z_][\w ]*(?:\(\s*\d+(?:\s*,\s*\d+)?\s*\))?[\w ]*")
_LABELS = re.compile(r"ENUM\s*\(\s*'(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*')*\s*\)", re.IGNORECASE)
_MYSQL_CASTS = (
    (re.compile(r"date$", re.IGNORECASE), "DATE"),
    (re.compile(r"(?:datetime|timestamp)", re.IGNORECASE), "DATETIME"),
    (re.compile(r"time", re.IGNORECASE), "TIME"),
    (re.compile(r"(?:tiny|small|medium|big)?int.*unsigned", re.IGNORECASE), "UNSIGNED"),
    (re.compile(r"(?:decimal|numeric)\s*(\(.*\))", re.IGNORECASE), r"DECIMAL\1"),
)


_HAS_COLLATION = re.compile(r"char|text|clob|enum|set", re.IGNORECASE)
_MYSQL_COLLATION = re.compile(r"[a-z0-9]+_[a-z0-9_]+")
_NOT_WRITTEN = re.compile(r"enum|set|bit|float|year|json|geometry", re.IGNORECASE)
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
