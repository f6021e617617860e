"""What texts become: exact trees, texts with the same tree, texts with none."""

from __future__ import annotations

import pytest

from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.nodes import (
    NULL,
    TRUE,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Outer,
    Project,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Sort,
    SortKey,
    Subquery,
    SubqueryKind,
    TableFunction,
    Type,
    Unreadable,
    Values,
    Window,
    WindowCall,
    Working,
)
from sqljury.trees.walk import relations


def _table(name: str, *columns: str, key: tuple[str, ...] = ()) -> Table:
    made = tuple(Column(name=column, type="INTEGER") for column in columns)
    return Table(name=name, columns=made, primary_key=key)


SCHEMA = Schema(
    dialect="sqlite",
    tables=(_table("T", "a", "B"), _table("u", "a", "d"), _table("v", "x", "y", key=("x",))),
)
T, U = Scan("T", ("a", "B")), Scan("u", ("a", "d"))
ONE, TWO = Literal(1, Type.INTEGER), Literal(2, Type.INTEGER)


def tree(sql: str, dialect: str = "sqlite") -> Relation:
    found = build_tree(sql, SCHEMA, dialect)
    assert not isinstance(found, Unreadable), found
    return found


def value(sql: str, dialect: str = "sqlite") -> Expression:
    """The only expression of a SELECT from t."""
    found = tree(f"SELECT {sql} FROM t", dialect)
    assert isinstance(found, Project)
    return found.expressions[0]


def _equal(left: Expression, right: Expression) -> Call:
    return Call("=", (left, right))


_COUNT = AggregateCall("COUNT")

SHAPES: list[tuple[str, Relation]] = [
    ("SELECT b FROM t", Project(T, (Ref(1),))),
    ("SELECT *, t.* FROM t", Project(T, (Ref(0), Ref(1), Ref(0), Ref(1)))),
    ("SELECT 1", Project(Values(((),)), (ONE,))),
    ("SELECT DISTINCT a FROM t", Distinct(Project(T, (Ref(0),)))),
    (
        "SELECT x.a FROM t AS x JOIN u ON x.a = u.a WHERE d = 1",
        Project(
            Filter(Join(JoinKind.INNER, T, U, _equal(Ref(0), Ref(2))), _equal(Ref(3), ONE)),
            (Ref(0),),
        ),
    ),
    ("SELECT 1 FROM t, u", Project(Join(JoinKind.INNER, T, U, TRUE), (ONE,))),
    (
        "SELECT a, d FROM t LEFT JOIN u USING (a)",
        Project(Join(JoinKind.LEFT, T, U, _equal(Ref(0), Ref(2))), (Ref(0), Ref(3))),
    ),
    (
        "SELECT * FROM t FULL JOIN u USING (a)",
        Project(
            Join(JoinKind.FULL, T, U, _equal(Ref(0), Ref(2))),
            (Call("COALESCE", (Ref(0), Ref(2))), Ref(1), Ref(3)),
        ),
    ),
    (
        "SELECT b, count(*) FROM t GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC LIMIT 1",
        Limit(
            Sort(
                Project(
                    Filter(Aggregate(T, (Ref(1),), (_COUNT,)), Call(">", (Ref(1), ONE))),
                    (Ref(0), Ref(1)),
                ),
                (SortKey(Ref(1), descending=True, nulls_last=True),),
            ),
            ONE,
        ),
    ),
    (
        "SELECT a FROM t ORDER BY b LIMIT 1 OFFSET 2",
        Project(Limit(Sort(Project(T, (Ref(0), Ref(1))), (SortKey(Ref(1)),)), ONE, TWO), (Ref(0),)),
    ),
    (
        "SELECT a, max(b) FROM t",
        Project(
            Aggregate(T, (), (AggregateCall("MAX", (Ref(1),)), AggregateCall("BARE", (Ref(0),)))),
            (Ref(1), Ref(0)),
        ),
    ),
    (
        "SELECT DISTINCT a FROM t ORDER BY b",
        Project(
            Sort(
                Aggregate(
                    Project(T, (Ref(0), Ref(1))), (Ref(0),), (AggregateCall("BARE", (Ref(1),)),)
                ),
                (SortKey(Ref(1)),),
            ),
            (Ref(0),),
        ),
    ),
    (
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE d = b)",
        Project(
            Filter(
                T,
                Subquery(
                    SubqueryKind.EXISTS,
                    Project(Filter(U, _equal(Ref(1), Outer(1, 1))), (ONE,)),
                ),
            ),
            (Ref(0),),
        ),
    ),
    (
        "SELECT a FROM t WHERE a NOT IN (SELECT d FROM u)",
        Project(
            Filter(
                T,
                Call("NOT", (Subquery(SubqueryKind.IN, Project(U, (Ref(1),)), (Ref(0),)),)),
            ),
            (Ref(0),),
        ),
    ),
    (
        "SELECT a FROM t UNION SELECT d FROM u UNION SELECT x FROM v ORDER BY a",
        Sort(
            SetOperation(
                SetKind.UNION,
                False,
                (
                    Project(T, (Ref(0),)),
                    Project(U, (Ref(1),)),
                    Project(Scan("v", ("x", "y")), (Ref(0),)),
                ),
            ),
            (SortKey(Ref(0)),),
        ),
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2) SELECT i FROM n",
        Project(
            Recursive(
                Project(Values(((),)), (ONE,)),
                Project(
                    Filter(Working(0, 1), Call("<", (Ref(0), TWO))),
                    (Call("+", (Ref(0), ONE)),),
                ),
                True,
            ),
            (Ref(0),),
        ),
    ),
    (
        "SELECT sum(a) OVER (PARTITION BY b ORDER BY a DESC) FROM t",
        Project(
            Window(
                T,
                (
                    WindowCall(
                        "SUM",
                        (Ref(0),),
                        (Ref(1),),
                        (SortKey(Ref(0), descending=True, nulls_last=True),),
                    ),
                ),
            ),
            (Ref(2),),
        ),
    ),
    ("VALUES (1, 2)", Values(((ONE, TWO),))),
    (
        "SELECT value FROM t, json_each(t.b)",
        Project(
            Join(
                JoinKind.INNER,
                T,
                TableFunction(
                    "JSON_EACH",
                    (Outer(1, 1),),
                    ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
                ),
                TRUE,
                lateral=True,
            ),
            (Ref(3),),
        ),
    ),
    # The aggregate reads the outer query only, and so belongs to it.
    (
        "SELECT b, (SELECT max(t.a) FROM u) FROM t GROUP BY b",
        Project(
            Aggregate(T, (Ref(1),), (AggregateCall("MAX", (Ref(0),)),)),
            (Ref(0), Subquery(SubqueryKind.SCALAR, Project(U, (Outer(1, 1),)))),
        ),
    ),
    (
        "SELECT rowid FROM u",
        Project(Scan("u", ("a", "d", "rowid")), (Ref(2),)),
    ),
    ("SELECT rowid FROM v", Project(Scan("v", ("x", "y")), (Ref(0),))),
]


@pytest.mark.parametrize(("sql", "expected"), SHAPES)
def test_shapes(sql: str, expected: Relation) -> None:
    assert tree(sql) == expected


VALUES: list[tuple[str, str, Expression]] = [
    ("sqlite", '"x y"', Literal("x y", Type.TEXT)),
    ("sqlite", "-1", Literal(-1, Type.INTEGER)),
    ("sqlite", "-9223372036854775808", Literal(-(2**63), Type.INTEGER)),
    ("sqlite", "1.5", Literal(1.5, Type.REAL)),
    ("postgres", "1.5", Literal(1.5, Type.DECIMAL)),
    ("sqlite", "x'00ff'", Literal(b"\x00\xff", Type.BLOB)),
    ("sqlite", "NULL", NULL),
    ("sqlite", "a <> b", Call("<>", (Ref(0), Ref(1)))),
    ("sqlite", "a != b", Call("<>", (Ref(0), Ref(1)))),
    ("sqlite", "a IS NOT NULL", Call("NOT", (Call("IS NULL", (Ref(0),)),))),
    ("sqlite", "a IS b", Call("IS", (Ref(0), Ref(1)))),
    ("sqlite", "a NOT LIKE 'x' ESCAPE '!'", Call("NOT", (Call("LIKE", (Ref(0), Literal("x", Type.TEXT), Literal("!", Type.TEXT))),))),
    ("sqlite", "like('x', a)", Call("LIKE", (Ref(0), Literal("x", Type.TEXT)))),
    ("sqlite", "a AND (b AND a)", Call("AND", (Ref(0), Ref(1), Ref(0)))),
    ("sqlite", "a BETWEEN 1 AND 2", Call("BETWEEN", (Ref(0), ONE, TWO))),
    ("sqlite", "CASE a WHEN 1 THEN 2 END", Call("CASE", (_equal(Ref(0), ONE), TWO, NULL))),
    ("sqlite", "cast(a AS Decimal(10, 2))", Cast(Ref(0), "DECIMAL(10, 2)")),
    ("sqlite", "cast(cast(a AS string) AS int)", Cast(Cast(Ref(0), "STRING"), "INT")),
    ("mysql", "'x' 'y'", Literal("xy", Type.TEXT)),
    ("postgres", "a::int", Cast(Ref(0), "INT")),
    ("sqlite", "STRFTIME('%Y', a)", Call("STRFTIME", (Literal("%Y", Type.TEXT), Ref(0)))),
    ("sqlite", "substr(a, 1)", Call("SUBSTR", (Ref(0), ONE))),
    ("sqlite", "ifnull(a, b)", Call("IFNULL", (Ref(0), Ref(1)))),
    ("sqlite", "instr(a, b)", Call("INSTR", (Ref(0), Ref(1)))),
    ("sqlite", "max(a, b)", Call("MAX", (Ref(0), Ref(1)))),
    ("sqlite", "current_timestamp", Call("CURRENT_TIMESTAMP")),
    ("mysql", "a DIV b", Call("DIV", (Ref(0), Ref(1)))),
    ("mysql", "if(a, b, 1)", Call("IF", (Ref(0), Ref(1), ONE))),
    ("mysql", '"x"', Literal("x", Type.TEXT)),
    ("mysql", "a <=> b", Call("IS", (Ref(0), Ref(1)))),
    ("postgres", "a ~ 'x'", Call("REGEXP", (Ref(0), Literal("x", Type.TEXT)))),
    ("postgres", "extract(year FROM a)", Call("EXTRACT", (Literal("YEAR", Type.TEXT), Ref(0)))),
    ("postgres", "(a, b) = (1, 2)", Call("AND", (_equal(Ref(0), ONE), _equal(Ref(1), TWO)))),
    ("bigquery", "safe_cast(a AS INT64)", Call("TRY_CAST", (Ref(0), Literal("INT64", Type.TEXT)))),
    ("snowflake", "iff(a, b, 1)", Call("IFF", (Ref(0), Ref(1), ONE))),
    ("tsql", "isnull(a, b)", Call("ISNULL", (Ref(0), Ref(1)))),
    ("tsql", "len([a])", Call("LEN", (Ref(0),))),
    ("sqlite", "a IN ()", Literal(False, Type.BOOLEAN)),
    ("sqlite", "a ->> '$.x'", Call("->>", (Ref(0), Literal("$.x", Type.TEXT)))),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql", "expected"), VALUES)
def test_values(dialect: str, sql: str, expected: Expression) -> None:
    assert value(sql, dialect) == expected


SAME = [
    ("SELECT x.A FROM T x", "SELECT t.a FROM t"),
    ("SELECT a FROM t WHERE b = 1", "SELECT `a` FROM [t] AS q WHERE q.\"B\" = 1"),
    ("SELECT b AS k, count(*) FROM t GROUP BY k", "SELECT b, count(*) FROM t GROUP BY 1"),
    ("SELECT b FROM t ORDER BY 1", "SELECT b AS z FROM t ORDER BY z"),
    ("WITH x AS (SELECT a FROM t) SELECT a FROM x", "SELECT a FROM (SELECT a FROM t)"),
    ("SELECT a, d FROM t JOIN u USING (a)", "SELECT t.a, d FROM t JOIN u ON t.a = u.a"),
    ("SELECT a FROM t NATURAL JOIN u", "SELECT a FROM t INNER JOIN u USING (a)"),
    ("SELECT a FROM t LIMIT 1, 2", "SELECT a FROM t LIMIT 2 OFFSET 1"),
    ("SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY b)", "SELECT sum(a) OVER (ORDER BY b) FROM t"),
    ("SELECT a FROM t WHERE (a) IN ((1), 2)", "SELECT a FROM t WHERE a IN (1, 2)"),
    ("SELECT d FROM t JOIN u ON d = x JOIN v", "SELECT d FROM t JOIN u JOIN v WHERE d = x"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME)
def test_texts_with_one_tree(left: str, right: str) -> None:
    assert tree(left) == tree(right)


def test_texts_of_other_dialects() -> None:
    top = tree("SELECT TOP 1 a FROM t ORDER BY b", "tsql")
    assert top == tree("SELECT a FROM t ORDER BY b LIMIT 1")
    fetch = tree("SELECT a FROM t ORDER BY b NULLS FIRST FETCH FIRST 1 ROW ONLY", "postgres")
    assert fetch == top
    # NULLs last ascending, as PostgreSQL has them.
    assert tree("SELECT a FROM t ORDER BY a", "postgres") == Sort(
        Project(T, (Ref(0),)), (SortKey(Ref(0), nulls_last=True),)
    )
    # INTERSECT binds tighter there.
    text = "SELECT a FROM t UNION SELECT d FROM u INTERSECT SELECT 1"
    assert isinstance(tree(text, "postgres"), SetOperation)
    assert tree(text, "postgres").kind is SetKind.UNION  # type: ignore[union-attr]
    assert tree(text).kind is SetKind.INTERSECT  # type: ignore[union-attr]
    # A text that its dialect does not know is tried as another's.
    assert tree("SELECT TOP 1 a FROM t", "postgres") == tree("SELECT a FROM t LIMIT 1", "tsql")


UNREADABLE = [
    ("syntax", "SELECT FROM WHERE"),
    ("syntax", ""),
    ("syntax", "SELECT 1; SELECT 2"),
    ("not_a_query", "DELETE FROM t"),
    ("not_a_query", "CREATE TABLE z (a INTEGER)"),
    ("unknown_name", "SELECT nope FROM t"),
    ("unknown_name", "SELECT a FROM nope"),
    ("unknown_name", "SELECT `nope` FROM t"),
    ("unknown_name", "SELECT z.a FROM t"),
    ("unknown_name", "SELECT a FROM t UNION SELECT a FROM u ORDER BY nope"),
    ("unknown_name", "SELECT u.* FROM t"),
    ("unknown_name", "SELECT sum(a) OVER w FROM t"),
    ("unknown_name", "SELECT * FROM t JOIN u USING (b)"),
    ("ambiguous_name", "SELECT a FROM t, u"),
    ("invalid", "SELECT a FROM t WHERE max(a) > 1"),
    ("invalid", "SELECT a FROM t GROUP BY count(*)"),
    ("invalid", "SELECT a FROM t WHERE sum(a) OVER () > 1"),
    ("invalid", "SELECT rank() FROM t"),
    ("invalid", "SELECT a FROM t ORDER BY 3"),
    ("invalid", "SELECT a FROM t UNION SELECT a, b FROM t"),
    ("invalid", "SELECT (SELECT a, b FROM t)"),
    ("invalid", "SELECT a FROM t WHERE a IN (SELECT a, b FROM t)"),
    ("invalid", "WITH x AS (SELECT * FROM x) SELECT * FROM x"),
    ("unsupported", "SELECT a, GROUPING(a) FROM t GROUP BY ROLLUP (a)"),
    ("unsupported", "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT * FROM n"),
    ("unsupported", "SELECT ? FROM t"),
    ("unsupported", "SELECT a FROM t WHERE +a = '1'"),
    ("unsupported", "SELECT count(*) OVER FROM t"),
    ("unsupported", "SELECT 'x' 'y'"),
    ("unsupported", "SELECT a = b LIKE 'x' FROM t"),
    ("unsupported", "SELECT a LIKE 'x' < b FROM t"),
    ("unsupported", "SELECT CASE random() WHEN 1 THEN 2 END"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "sql"), UNREADABLE)
def test_texts_without_a_tree(kind: str, sql: str) -> None:
    found = build_tree(sql, SCHEMA, "sqlite")
    assert isinstance(found, Unreadable)
    assert (found.kind, bool(found.reason)) == (kind, True)


def _chain_of_ctes(times: int) -> str:
    parts = ["x0 AS (SELECT a FROM t)"]
    parts += [f"x{i} AS (SELECT p.a FROM x{i - 1} p, x{i - 1} q)" for i in range(1, times)]
    return f"WITH {', '.join(parts)} SELECT * FROM x{times - 1}"


BOMBS = [
    _chain_of_ctes(40),
    "SELECT " + "(" * 190 + "a" + ")" * 190 + " FROM t",
    "SELECT a FROM t WHERE " + " OR ".join(["a = 1"] * 2_000),
    "SELECT " + " + ".join(["a"] * 3_000) + " FROM t",
    "SELECT a FROM t" + " UNION ALL SELECT a FROM t" * 1_000,
    "SELECT a FROM t" + " EXCEPT SELECT a FROM t" * 1_000,
    "SELECT 1 FROM t" + "".join(f", t AS t{i}" for i in range(1_000)),
    "SELECT " + "CASE (" * 60 + "a" + ") WHEN 1 THEN 2 END" * 60 + " FROM t",
    "SELECT * FROM " + "(SELECT * FROM " * 150 + "t" + ")" * 150,
    "SELECT " + "9" * 5_000,
    "SELECT " + "NOT " * 3_000 + "a FROM t",
    "SELECT a FROM t WHERE a IN (" + ", ".join(map(str, range(4_000))) + ")",
]


@pytest.mark.parametrize("sql", BOMBS, ids=lambda sql: sql[:30])
def test_bombs_are_bounded(sql: str) -> None:
    found = build_tree(sql, SCHEMA, "sqlite")
    if isinstance(found, Unreadable):
        assert found.kind in ("too_deep", "too_large", "syntax", "invalid")
    else:
        assert sum(1 for _ in relations(found)) <= 20_000
        hash(found)
