"""Translates a query into another dialect, and runs it over rows that are written into it."""

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
    """The syntax tree with operators and parentheses that SQLite lacks rewritten into ones that it
    has."""
    # From the inside out, because a replaced node keeps its parts.
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
        # XOR is NULL if a side is NULL, and any value but 0 counts as true.
        left, right = (exp.not_(exp.paren(side)) for side in (node.this, node.expression))
        return exp.paren(exp.NEQ(this=exp.paren(left), expression=exp.paren(right)))
    elif isinstance(node, exp.Concat) and source in ("postgres", "duckdb"):
        # In these dialects CONCAT treats NULL as an empty text; in MySQL it returns NULL.
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
    """``= ANY (SELECT …)`` as IN, ``<> ALL (SELECT …)`` as NOT IN; None for any other node."""
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
    """An operand of a set operation without parentheses, or as a subquery in FROM if necessary.

    SQLite allows no parentheses there and evaluates set operations from left to right.
    """
    inner = side.unnest() if isinstance(side, exp.Subquery) and not side.alias else side
    if isinstance(inner, exp.Select) and not _is_cut(inner):
        return inner
    if isinstance(inner, exp.SetOperation) and not right and not _is_cut(inner):
        return inner
    if inner is side and not right:
        return side
    return exp.select("*").from_(exp.Subquery(this=inner, alias=exp.TableAlias(this="part")))


def _is_cut(query: exp.Expr) -> bool:
    """True if a query has an ORDER BY, LIMIT or WITH, which without parentheses would apply to the
    whole set operation."""
    return any(query.args.get(name) for name in ("order", "limit", "offset", "with_", "with"))


def is_unsaid(node: exp.Expr) -> bool:
    """True for a node that SQLite has no syntax for: ANY, ALL, EXTRACT, LATERAL, parameters, a
    column named "true" of a derived table.

    ANY and ALL that can become IN or NOT IN are not among them.
    """
    if isinstance(node, exp.Any | exp.All):
        return in_or_not_in(node.parent) is None
    if isinstance(node, exp.Alias | exp.TableAlias):
        return any(name.casefold() in ("true", "false") for name in _names_given(node))
    return isinstance(node, exp.Extract | exp.Lateral | exp.Parameter)


def _names_given(node: exp.Alias | exp.TableAlias) -> list[str]:
    return [node.alias] if isinstance(node, exp.Alias) else [c.name for c in node.columns]


_FIRST_OF_EACH = frozenset(("postgres", "redshift", "duckdb"))
"""Dialects that have DISTINCT ON."""
# Join keywords that SQLite would read as something else: SEMI as an alias of the table before it.
_OWN_JOINS = frozenset(("SEMI", "ANTI", "ASOF", "POSITIONAL"))


def transpiled(sql: str, source: str, target: str) -> str | None:
    """The query in another dialect; None if it cannot be parsed, or not be expressed there.

    Constructs that the target lacks (a sample, IGNORE NULLS, …) are never dropped: the result is
    then None.

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
    except Exception:  # sqlglot's generators fail with many kinds of exceptions
        return None


def same_in_translation(left: str, right: str, source: str) -> str:
    """A kind of node that the two queries use differently but whose difference SQLite's translation
    loses; empty if there is none.

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
    # SQLite writes TRY_CAST as CAST, so casts are counted only if there is a TRY_CAST.
    return found if found["TryCast"] else found - Counter(Cast=found["Cast"])


def _name_values(tree: exp.Expr) -> None:
    """Replaces ``(VALUES (1, 2)) AS t (a, b)`` by a query with aliases, in place: SQLite cannot
    name these columns."""
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
    """True if a query has DISTINCT ON, special joins or WITH TIES, which would change or get lost
    in the target dialect."""
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
# A query over rows that are written into it as a WITH: no table of the database is read or written.

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
"""MySQL column types whose values no literal and no CAST can produce."""


def over_rows(
    sql: str, dialect: str, tables: Sequence[Table], rows: Mapping[str, Sequence[tuple[Any, ...]]]
) -> str | None:
    """The query with a WITH before it that contains the rows of each table that it reads.

    The query's own text is not changed. The names in the WITH hide the server's own tables of these
    names, so that these are not read.

    Args:
        dialect: the dialect of the query and of the column types: ``postgres``, ``mysql`` (also
            for MariaDB) or ``duckdb``.
        tables: all tables that the query may read.
        rows: the rows by table name; cells are integers, floats, texts or None.

    Returns:
        None if the query cannot be parsed, or reads any other table: one with a namespace, one
        that is not in ``tables``, one with a column type whose values cannot be written in SQL.

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
    """The tables that a query reads, by their names as the server folds them; None if it reads
    another table."""
    known = {table.name.casefold(): table for table in tables}
    own = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    found: dict[str, Table] = {}
    for source in tree.find_all(exp.Table):
        name = source.this
        if not isinstance(name, exp.Identifier):
            continue  # a table function
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
    """Names of columns in the case that a query expects.

    Handwritten schemas do not say which names need quotes; a name that the query does not quote is
    folded as PostgreSQL does.
    """

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
    """The SQL of a cell with the type and the collation of its column."""
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
    """The SQL of a cell in MySQL, with a CAST only for types that differ from the literal's.

    MySQL's CAST supports few types.
    """
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
    """The name in the dialect's identifier quotes, with quotes inside it doubled."""
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark
