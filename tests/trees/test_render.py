"""Trees written by hand, as SQL: the same rows as a query written by hand."""

from __future__ import annotations

import pytest

from checks.same_rows import Copies, differ, observe
from sqljury.schema import Column, Schema, Table
from sqljury.trees.nodes import (
    FALSE,
    NULL,
    TRUE,
    Aggregate,
    AggregateCall,
    Call,
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
    Type,
    Values,
    Window,
    WindowCall,
    Working,
)
from sqljury.trees.render import DIALECTS, Unrenderable, render

_COLUMNS = (
    Column(name="a", type="INTEGER"),
    Column(name="b c", type="INTEGER"),
    Column(name="s", type="TEXT"),
)
_TABLES = (Table(name="t", columns=_COLUMNS), Table(name="u", columns=_COLUMNS))
_ROWS = {
    "t": [(1, 2, "x"), (2, None, "y"), (None, 2, "x"), (1, 2, "x"), (3, 0, None), (4, 5, "it's")],
    "u": [(1, 1, "x"), (2, 5, None), (5, None, "z"), (None, None, "x")],
}

t = Scan("t", ("a", "b c", "s"))
u = Scan("u", ("a", "b c", "s"))
ONE = Literal(1, Type.INTEGER)
TWO = Literal(2, Type.INTEGER)


def call(name: str, *operands: Expression) -> Call:
    return Call(name, operands)


def joined(kind: JoinKind, left: Relation = t, right: Relation = u) -> Join:
    return Join(kind, left, right, call("=", Ref(0), Ref(3)))


def only(relation: Relation, *columns: int) -> Project:
    return Project(relation, tuple(map(Ref, columns)))


def plus(index: int) -> Call:
    return call("+", Ref(index), ONE)


COUNT = AggregateCall("COUNT")
# Trees that no text has, or that texts hide; rows/*.sql has texts for the others.
CASES: list[tuple[str, Relation, str]] = [
    ("scan", t, 'SELECT a, "b c", s FROM t'),
    ("no row", Project(Filter(Values(((),)), FALSE), (ONE,)), "SELECT 1 WHERE 1 = 0"),
    ("no values", Values((), ("x", "y")), "SELECT 1, 2 WHERE 1 = 0"),
    ("rows without columns", Aggregate(Values(((), ())), (), (COUNT,)), "SELECT 2"),
    ("is", Filter(t, call("IS", Ref(2), NULL)), "SELECT * FROM t WHERE s IS NULL"),
    ("is true", Project(t, (call("IS", Ref(0), TWO),)), "SELECT CASE WHEN a = 2 THEN 1 ELSE 0 END FROM t"),
    ("in nothing", Filter(t, call("IN", Ref(0))), "SELECT * FROM t WHERE 1 = 0"),
    ("and of nothing", Filter(t, call("AND")), "SELECT * FROM t"),
    ("filter of a computed column", Filter(Project(t, (plus(0),)), call("=", Ref(0), TWO)), "SELECT a + 1 FROM t WHERE a + 1 = 2"),
    (
        "left of a filter",
        joined(JoinKind.LEFT, right=Filter(u, call("=", Ref(2), Literal("x", Type.TEXT)))),
        "SELECT * FROM t LEFT JOIN u ON t.a = u.a AND u.s = 'x'",
    ),
    (
        "full of filters",
        joined(JoinKind.FULL, Filter(t, call(">", Ref(0), ONE)), Filter(u, call(">", Ref(0), ONE))),
        "SELECT * FROM (SELECT * FROM t WHERE a > 1) t FULL JOIN (SELECT * FROM u WHERE a > 1) u ON t.a = u.a",
    ),
    (
        "filtered join on the right side",
        Join(JoinKind.INNER, t, Filter(joined(JoinKind.INNER, t, u), call(">", Ref(1), ONE)), call("=", Ref(0), Ref(6))),
        'SELECT * FROM t JOIN (t t2 JOIN u ON t2.a = u.a) ON t.a = u.a WHERE t2."b c" > 1',
    ),
    ("semi", joined(JoinKind.SEMI), "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.a = u.a)"),
    ("anti", joined(JoinKind.ANTI), "SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.a = u.a)"),
    ("group by a constant", Aggregate(t, (ONE,), (COUNT,)), "SELECT 1, COUNT(*) FROM t HAVING COUNT(*) > 0"),
    ("a count that is not shown", Project(Aggregate(t, (), (COUNT,)), (ONE,)), "SELECT 1"),
    ("a count that is filtered", Filter(Aggregate(t, (), (COUNT,)), call(">", Ref(0), Literal(9, Type.INTEGER))), "SELECT 1 WHERE 1 = 0"),
    ("neither keys nor calls", Project(Aggregate(t, (), ()), (ONE,)), "SELECT 1"),
    ("distinct by group", only(Aggregate(t, (Ref(2), Ref(0)), ()), 0), "SELECT s FROM (SELECT DISTINCT s, a FROM t)"),
    (
        "aggregate of aggregate",
        Aggregate(Aggregate(t, (Ref(2),), (COUNT,)), (), (AggregateCall("MAX", (Ref(1),)),)),
        "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY s)",
    ),
    (
        "filter of an aggregate",
        Aggregate(t, (), (AggregateCall("COUNT", (Ref(2),), True, call("=", Ref(0), ONE)),)),
        "SELECT COUNT(DISTINCT CASE WHEN a = 1 THEN s END) FROM t",
    ),
    ("some of distinct", Filter(Distinct(only(t, 2)), call("=", Ref(0), Literal("x", Type.TEXT))), "SELECT DISTINCT s FROM t WHERE s = 'x'"),
    (
        "sort",
        only(Sort(t, (SortKey(Ref(0), True, True), SortKey(Ref(1)), SortKey(Ref(2)))), 2),
        'SELECT s FROM t ORDER BY a DESC NULLS LAST, "b c" NULLS FIRST, s',
    ),
    ("sort by a constant", Sort(only(t, 0), (SortKey(ONE), SortKey(Ref(0)))), "SELECT a FROM t ORDER BY a NULLS FIRST"),
    (
        "sort under distinct and a projection",
        Project(Sort(Distinct(only(t, 0)), (SortKey(Ref(0), True, True),)), (plus(0),)),
        "SELECT a + 1 FROM (SELECT DISTINCT a FROM t) ORDER BY a DESC NULLS LAST",
    ),
    ("offset", Limit(Sort(Distinct(only(t, 0)), (SortKey(Ref(0)),)), None, TWO), "SELECT DISTINCT a FROM t ORDER BY a NULLS FIRST LIMIT 100 OFFSET 2"),
    (
        "what follows a limit",
        Filter(Limit(Sort(Distinct(only(t, 0)), (SortKey(Ref(0), True, True),)), TWO), call("<", Ref(0), Literal(4, Type.INTEGER))),
        "SELECT 3",
    ),
    (
        "limit of a limit",
        Limit(Limit(Sort(Distinct(only(t, 0)), (SortKey(Ref(0), True, True),)), TWO), ONE),
        "SELECT 4",
    ),
    (
        "sort of a limit",
        Sort(Limit(Sort(Distinct(only(t, 0)), (SortKey(Ref(0), True, True),)), TWO), (SortKey(Ref(0)),)),
        "SELECT * FROM (VALUES (3), (4)) ORDER BY 1",
    ),
    (
        "union of a filtered full join",
        SetOperation(
            SetKind.UNION,
            True,
            (
                only(Filter(Join(JoinKind.FULL, u, u, Ref(0)), call("=", Ref(5), Literal("x", Type.TEXT))), 5),
                only(joined(JoinKind.FULL), 5),
            ),
        ),
        "SELECT u2.s FROM u u1 FULL JOIN u u2 ON u1.a WHERE u2.s = 'x' UNION ALL SELECT u.s FROM t FULL JOIN u ON t.a = u.a",
    ),
    (
        "union of a limit",
        SetOperation(SetKind.UNION, True, (Limit(Sort(only(t, 1), (SortKey(Ref(0), True, True),)), ONE), only(u, 0))),
        "SELECT 5 UNION ALL SELECT a FROM u",
    ),
    (
        "nested set operations",
        SetOperation(SetKind.EXCEPT, False, (only(t, 0), SetOperation(SetKind.INTERSECT, False, (only(t, 0), only(u, 0))))),
        "SELECT DISTINCT a FROM t WHERE a IN (3, 4)",
    ),
    (
        "window",
        Filter(
            only(Window(t, (WindowCall("COUNT", (), (Ref(2),)), WindowCall("SUM", (Ref(0),), (), (SortKey(Ref(2)), SortKey(Ref(0))), "ROWS UNBOUNDED PRECEDING"))), 2, 3, 4),
            call(">", Ref(1), ONE),
        ),
        "SELECT * FROM (SELECT s, COUNT(*) OVER (PARTITION BY s) n, SUM(a) OVER (ORDER BY s NULLS FIRST, a NULLS FIRST ROWS UNBOUNDED PRECEDING) FROM t) WHERE n > 1",
    ),
    (
        "scalar",
        Project(t, (Ref(0), Subquery(SubqueryKind.SCALAR, Aggregate(Filter(u, call("=", Ref(0), Outer(1, 0))), (), (AggregateCall("MAX", (Ref(1),)),))))),
        'SELECT a, (SELECT MAX("b c") FROM u WHERE u.a = t.a) FROM t',
    ),
    (
        "scalar of an aggregate",
        Filter(
            Aggregate(t, (Ref(2),), (COUNT,)),
            Subquery(SubqueryKind.EXISTS, Filter(u, call("=", Ref(0), Outer(1, 1)))),
        ),
        "SELECT * FROM (SELECT s, COUNT(*) n FROM t GROUP BY s) g WHERE EXISTS (SELECT 1 FROM u WHERE u.a = g.n)",
    ),
    (
        "two rows around",
        Filter(
            t,
            Subquery(
                SubqueryKind.EXISTS,
                Filter(u, Subquery(SubqueryKind.IN, Project(Filter(t, call("=", Ref(1), Outer(2, 1))), (Ref(0),)), (Ref(0),))),
            ),
        ),
        'SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a IN (SELECT t2.a FROM t t2 WHERE t2."b c" = t."b c"))',
    ),
    (
        "in of rows",
        Filter(t, Subquery(SubqueryKind.IN, only(u, 0, 2), (Ref(0), Ref(2)))),
        "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.s = t.s)",
    ),
    (
        "a sum of a column around",
        Project(t, (Subquery(SubqueryKind.SCALAR, Aggregate(u, (), (AggregateCall("SUM", (Outer(1, 0),)),))),)),
        "SELECT 4 * a FROM t",
    ),
    (
        "recursive",
        Recursive(
            Values(((ONE,),)),
            Project(Filter(Working(0, 1), call("<", Ref(0), Literal(4, Type.INTEGER))), (plus(0),)),
            all=True,
        ),
        "VALUES (1), (2), (3), (4)",
    ),
]  # fmt: skip


@pytest.fixture(scope="module", params=DIALECTS)
def copies(request: pytest.FixtureRequest) -> Copies:
    return Copies(Schema(dialect=request.param, tables=_TABLES), _ROWS)


@pytest.mark.parametrize(
    ("tree", "sql"), [pytest.param(tree, sql, id=name) for name, tree, sql in CASES]
)
def test_same_rows_as_by_hand(tree: Relation, sql: str, copies: Copies) -> None:
    text = render(tree, copies.schema.dialect)
    assert isinstance(text, str)
    ours, theirs = observe(text, copies), observe(sql, copies)
    assert ours.rows is not None, f"{ours.why}: {text}"
    assert theirs.rows is not None, theirs.why
    assert differ(ours, theirs) is None, text


@pytest.mark.parametrize("kind", [SubqueryKind.ANY, SubqueryKind.ALL])
@pytest.mark.parametrize("operator", ["=", "<", ">="])
@pytest.mark.parametrize("bound", [0, 2, 9])
def test_any_and_all_have_three_values(kind: SubqueryKind, operator: str, bound: int) -> None:
    """SQLite has no ANY: what is written for it agrees with DuckDB's."""
    rows = Filter(only(u, 0), call("<", Ref(0), Literal(bound, Type.INTEGER)))
    with_null = SetOperation(SetKind.UNION, True, (rows, Project(Values(((),)), (NULL,))))
    trees = [
        Project(t, (Ref(0), Subquery(kind, of, (Ref(0),), operator)))
        for of in (rows, only(u, 0), with_null)
    ]
    for tree in trees:
        both = []
        for dialect in DIALECTS:
            text = render(tree, dialect)
            assert isinstance(text, str)
            both.append(observe(text, Copies(Schema(dialect=dialect, tables=_TABLES), _ROWS)))
        assert differ(*both) is None


def test_bare_columns_stay_with_their_maximum() -> None:
    """SQLite takes a bare column from the row of the MAX, so the MAX must stay in the SELECT."""
    calls = (AggregateCall("BARE", (Ref(0),)), AggregateCall("MAX", (Ref(1),)))
    tree = only(Aggregate(t, (), calls), 0)
    text = render(tree, "sqlite")
    assert isinstance(text, str)
    copies = Copies(Schema(dialect="sqlite", tables=_TABLES), _ROWS)
    assert observe(text, copies).rows == [(4,)]
    assert isinstance(render(tree, "duckdb"), Unrenderable)


UNRENDERABLE = [
    ("sqlite", Join(JoinKind.INNER, t, Filter(u, call("=", Ref(0), Outer(1, 0))), TRUE, lateral=True)),
    ("sqlite", SetOperation(SetKind.EXCEPT, True, (t, u))),
    ("sqlite", Filter(t, call("=", Ref(2), Literal("\0", Type.TEXT)))),
    ("duckdb", Project(t, (Literal(float("nan"), Type.REAL),))),
    ("sqlite", Project(t, (call("?!", Ref(0)),))),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "tree"), UNRENDERABLE)
def test_what_cannot_be_said_is_a_value(dialect: str, tree: Relation) -> None:
    assert isinstance(render(tree, dialect), Unrenderable)


def test_a_lateral_join_runs_in_duckdb() -> None:
    tree = Join(JoinKind.INNER, t, Filter(u, call("=", Ref(0), Outer(1, 0))), TRUE, lateral=True)
    text = render(tree, "duckdb")
    assert isinstance(text, str)
    copies = Copies(Schema(dialect="duckdb", tables=_TABLES), _ROWS)
    by_hand = observe("SELECT * FROM t JOIN u ON t.a = u.a", copies)
    assert differ(observe(text, copies), by_hand) is None
