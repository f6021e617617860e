"""What is found out of a node: once, by whoever asks, and never of another node."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree, walk
from sqljury.trees.context import Context
from sqljury.trees.facts import InContext, fact
from sqljury.trees.nodes import Call, Field, Literal, Project, Ref, Relation, Scan, Type, Values
from sqljury.trees.types import fields
from sqljury.trees.walk import reach, size

SCHEMA = Schema(
    dialect="sqlite",
    tables=(Table(name="t", columns=(Column(name="a", type="INTEGER"), Column(name="b"))),),
)


def tree(sql: str, schema: Schema = SCHEMA) -> Relation:
    found = build_tree(sql, schema, "sqlite")
    assert isinstance(found, Relation)
    return found


def test_is_found_once_for_each_node() -> None:
    asked: list[Ref] = []

    @fact
    def doubled(node: Ref) -> int:
        asked.append(node)
        return 2 * node.index

    one, same = Ref(3), Ref(3)
    assert [doubled(one), doubled(one), doubled(same)] == [6, 6, 6]
    assert len(asked) == 2


def test_in_context_is_found_once_for_each_schema_and_dialect() -> None:
    asked: list[str] = []
    known: InContext[Relation, int] = InContext(
        lambda _, context: asked.append(context.dialect) or len(asked)  # type: ignore[func-returns-value]
    )
    scan = Scan("t", ("a", "b"))
    equal = copy.copy(SCHEMA)
    contexts = [Context(SCHEMA, "sqlite"), Context(SCHEMA, "duckdb"), Context(equal, "sqlite")]
    assert [known.of(scan, one, "") for one in contexts * 2] == [1, 2, 3] * 2
    assert known.of(scan, contexts[0], "more") == 4


def test_columns_of_equal_relations_keep_their_own_names() -> None:
    context = Context(SCHEMA, "sqlite")
    one, other = (Project(Scan("t", ("a", "b")), (Ref(0),), (name,)) for name in "xy")
    assert one == other
    assert [fields(each, context)[0].name for each in (one, other)] == ["x", "y"]


def test_copies_and_pickles_know_nothing_yet() -> None:
    node = Call("=", (Ref(0), Literal(1, Type.INTEGER)))
    assert (hash(node), reach(node)) == (hash(copy.deepcopy(node)), 0)
    for made in (copy.copy(node), pickle.loads(pickle.dumps(node))):
        assert made == node
        assert (made._facts, made._hash) == (None, None)


def test_a_pickle_has_the_hash_of_its_process() -> None:
    code = (
        "import pickle, sys; n = pickle.load(sys.stdin.buffer);"
        "from sqljury.trees.nodes import Scan; assert hash(n) == hash(Scan('t', ('a',)))"
    )
    scan = Scan("t", ("a",))
    hash(scan)
    subprocess.run([sys.executable, "-c", code], input=pickle.dumps(scan), check=True)


def test_nodes_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Ref(1).index = 2  # type: ignore[misc]
    assert repr(Field("a", nullable=False)).startswith("Field(name='a', type=<Type.ANY")
    assert Values(((),), ("x",)) == Values(((),))


@pytest.mark.parametrize(
    ("sql", "relations"),
    [
        ("SELECT a FROM t", 2),
        ("SELECT a FROM t WHERE a > (SELECT MAX(b) FROM t) ORDER BY b LIMIT 1", 9),
    ],
)
def test_size_counts_what_is_inside_expressions(sql: str, relations: int) -> None:
    found = tree(sql)
    assert size(found) == len(list(walk.relations(found))) == relations


def test_a_text_is_read_once() -> None:
    assert tree("SELECT a FROM t") is tree("SELECT a FROM t")
