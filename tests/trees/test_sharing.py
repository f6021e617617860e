"""Shared nodes: one object for the same node, and canonical trees that no cache can change."""

from __future__ import annotations

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.equivalence import canonical as module
from sqljury.equivalence.canonical import Canonical, canonical
from sqljury.trees import build_tree, forget_trees
from sqljury.trees.context import ALL_ASSUMPTIONS, DECLARED_ASSUMPTIONS, Context
from sqljury.trees.nodes import Literal, Project, Type, Unreadable
from sqljury.trees.sharing import shared

SCHEMA = schema_from_ddl(
    "CREATE TABLE s (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);"
    "CREATE TABLE c (id INTEGER PRIMARY KEY, s_id INTEGER REFERENCES s (id), x REAL)"
)
QUERIES = """
    SELECT name FROM s WHERE id IN (SELECT s_id FROM c WHERE x > 1)
    SELECT name FROM s WHERE EXISTS (SELECT 1 FROM c WHERE c.s_id = s.id AND c.x > 1)
    SELECT DISTINCT s.name FROM c JOIN s ON c.s_id = s.id WHERE c.x > 1
    SELECT MAX(age) FROM s UNION SELECT age FROM s ORDER BY age DESC LIMIT 1
    SELECT name FROM s WHERE age = (SELECT MAX(age) FROM s)
    SELECT s.name, COUNT(*) FROM s JOIN c ON s.id = c.s_id GROUP BY s.id HAVING COUNT(*) > 2
    SELECT name FROM s WHERE id NOT IN (SELECT s_id FROM c) AND age > 1 AND age > 2
    SELECT name FROM s EXCEPT SELECT s.name FROM s JOIN c ON s.id = c.s_id
""".strip().splitlines()


def test_one_object_for_the_same_query() -> None:
    """Aliases, case and white space are not in a tree; names of output columns are."""
    one = build_tree("SELECT a.name FROM s AS a WHERE a.age > 2", SCHEMA, "sqlite")
    assert build_tree("select NAME from S where AGE > 2", SCHEMA, "sqlite") is not one
    assert build_tree("select NAME as name from S where AGE > 2", SCHEMA, "sqlite") is one
    other = build_tree("SELECT name AS n FROM s WHERE age > 2", SCHEMA, "sqlite")
    assert isinstance(one, Project) and isinstance(other, Project)
    assert other == one and other.input is one.input and other.names == ("n",)


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0.0, -0.0), (1, True)])
def test_constants_that_python_finds_equal(one: float, other: float) -> None:
    """They stay what they are."""
    for value in (one, other):
        assert repr(shared(Literal(value, Type.REAL)).value) == repr(value)


def found(queries: list[str], *, fresh: bool) -> dict[tuple[str, str], Canonical]:
    """The canonical trees of queries, which are rewritten in this order."""
    known = {}
    for sql in queries:
        for of in (ALL_ASSUMPTIONS, DECLARED_ASSUMPTIONS):
            if fresh:
                forget_trees()
            tree = build_tree(sql, SCHEMA, "sqlite")
            assert not isinstance(tree, Unreadable), tree
            known[sql, str(sorted(of))] = canonical(tree, Context(SCHEMA, "sqlite", of))
    return known


@pytest.mark.parametrize("work", [1_500, 40, 12, 5])
def test_what_was_rewritten_before_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, work: int
) -> None:
    """Also where the bound on the work leaves a tree unfinished."""
    monkeypatch.setattr(module, "_MOST_WORK", work)
    alone = found(QUERIES, fresh=True)
    forget_trees()
    for queries in (QUERIES, QUERIES[::-1]):
        together = found(queries, fresh=False)
        assert {key: repr(tree) for key, tree in together.items()} == {
            key: repr(tree) for key, tree in alone.items()
        }
    forget_trees()
