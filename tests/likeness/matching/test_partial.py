"""Partial matching of trees: by hand, and what always holds."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.likeness.matching.partial import (
    AS_PRINTED,
    TooManyMatchesError,
    Weights,
    f_beta,
    partial_match,
)
from sqljury.likeness.matching.trees import Node, syntax_tree

A, B, C = Node("a"), Node("b"), Node("c")

# prediction, reference, precision, recall with the default weights (a node counts one)
BY_HAND = [
    (A, A, 1, 1),
    (A, B, 0, 0),
    (Node("f", (A, B)), Node("f", (B, A)), 1, 1),
    # Either the operator or its operands, not both: their order differs.
    (Node("f", (A, B), True), Node("f", (B, A), True), 2 / 3, 2 / 3),
    (Node("f", (A,)), Node("f", (A, B)), 1, 2 / 3),
    # An operator in between costs itself only.
    (Node("f", (Node("g", (A, B)),)), Node("f", (A, B)), 3 / 4, 1),
    # A root that differs, and everything below it equal.
    (Node("g", (A, B)), Node("f", (A, B)), 2 / 3, 2 / 3),
    # One match may serve several nodes: the bag of nodes is not compared.
    (Node("f", (A, A)), Node("f", (A, C)), 1, 2 / 3),
]


@pytest.mark.parametrize(("prediction", "reference", "precision", "recall"), BY_HAND)
def test_by_hand(prediction: Node, reference: Node, precision: float, recall: float) -> None:
    found = partial_match(prediction, reference, Weights())
    assert (found.precision, found.recall) == pytest.approx((precision, recall))
    assert found.f == pytest.approx(f_beta(precision, recall, 1.0))


def test_omega_weighs_a_node_against_those_below() -> None:
    found = partial_match(Node("g", (A, B)), Node("f", (A, B)), Weights(omega=2.0))
    assert found.recall == pytest.approx(2 / 4)


def test_alpha_chooses_the_match() -> None:
    # Either the node of the same name, or the one with the same child.
    reference = Node("f", (A, B, C))
    prediction = Node("root", (Node("f", (Node("x"),)), Node("g", (A, B, C))))
    by_children = partial_match(prediction, reference, Weights(alpha=0.2)).recall
    by_name = partial_match(prediction, reference, Weights(alpha=0.8)).recall
    assert (by_children, by_name) == pytest.approx((3 / 4, 1 / 4))


PAPER = Weights(omega=0.5, beta=2.0, reading=AS_PRINTED)

# m = 1/2 · self + 1/2 · mean of the children; of a leaf its own.
PRINTED = [
    (A, A, 1, 1),
    (A, B, 0, 0),
    (Node("f", (A, B)), Node("f", (B, A)), 1, 1),
    (Node("f", (A, B), True), Node("f", (B, A), True), 1, 1),
    (Node("f", (A,)), Node("f", (A, B)), 1, 3 / 4),
    # An operator in between: nothing stands in its place.
    (Node("f", (Node("g", (A, B)),)), Node("f", (A, B)), 1 / 2, 1 / 2),
    (Node("g", (A, B)), Node("f", (A, B)), 1 / 2, 1 / 2),
    # A child weighs the same whatever stands below it.
    (Node("f", (Node("g", (A, B, C)), A)), Node("f", (A,)), 3 / 4, 1),
]


@pytest.mark.parametrize(("prediction", "reference", "precision", "recall"), PRINTED)
def test_the_printed_equations(
    prediction: Node, reference: Node, precision: float, recall: float
) -> None:
    found = partial_match(prediction, reference, PAPER)
    assert (found.precision, found.recall) == pytest.approx((precision, recall))
    assert found.f == pytest.approx(f_beta(precision, recall, 2.0))


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"alpha": 1}, {"omega": 0}, {"beta": -1}])
def test_weights_outside_of_the_equations(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Weights(**wrong)
    with pytest.raises(ValueError, match="omega"):
        Weights(omega=1.0, reading=AS_PRINTED)


trees = st.recursive(
    st.sampled_from("abc").map(Node),
    lambda below: st.builds(
        Node,
        st.sampled_from("fg"),
        st.lists(below, min_size=1, max_size=3).map(tuple),
        st.booleans(),
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("weights", [Weights(), PAPER])
@given(left=trees, right=trees)
def test_what_always_holds(weights: Weights, left: Node, right: Node) -> None:
    there, back = partial_match(left, right, weights), partial_match(right, left, weights)
    assert (there.precision, there.recall) == pytest.approx((back.recall, back.precision))
    assert 0 <= there.f <= 1 + 1e-9
    assert partial_match(left, left, weights).f == pytest.approx(1)


def test_what_would_fill_the_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from sqljury.likeness.matching import partial

    wide = Node("and", tuple(Node("=", (Node("a"), Node(str(i)))) for i in range(100)))
    assert partial_match(wide, wide, Weights()).f == 1
    monkeypatch.setattr(partial, "MOST_MATCHES", 10_000)
    with pytest.raises(TooManyMatchesError):
        partial_match(wide, wide, Weights())


def test_shared_subtrees_are_matched_once() -> None:
    tree = A
    for _ in range(60):  # 2 ** 60 nodes when written out
        tree = Node("+", (tree, tree))
    start = time.process_time()
    assert partial_match(tree, tree, Weights()).f == pytest.approx(1)
    assert time.process_time() - start < 30, "guards against hanging only"


SAME = [
    ("SELECT a FROM t AS x WHERE (x.b = 1)", "select t.A from t where b = '1'"),
    ("SELECT a FROM t WHERE a AND (b AND c)", "SELECT a FROM t WHERE (a AND b) AND c"),
    ("SELECT COUNT(*) AS n FROM t", "SELECT count(*) FROM t"),
]
DIFFERENT = [
    ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'X'"),
    ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"),
    ("SELECT a FROM t JOIN u ON t.i = u.i", "SELECT a FROM t LEFT JOIN u ON t.i = u.i"),
    ("SELECT a - b FROM t", "SELECT b - a FROM t"),
    ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2"),
    ("SELECT f(a) FROM t", "SELECT g(a) FROM t"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_writing_does_not_matter(left: str, right: str) -> None:
    assert _score(left, right) == pytest.approx(1)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_what_matters(left: str, right: str) -> None:
    assert _score(left, right) < 1


def _score(left: str, right: str) -> float:
    one, other = syntax_tree(left, "sqlite"), syntax_tree(right, "sqlite")
    assert one is not None and other is not None
    return partial_match(one, other, Weights()).f
