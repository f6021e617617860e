"""BLEU against sacrebleu, CodeBLEU and CrystalBLEU by hand."""

from __future__ import annotations

import pytest
import sacrebleu
from hypothesis import assume, given
from hypothesis import strategies as st

from sqljury.likeness.matching.tokens import (
    bleu,
    codebleu,
    crystalbleu,
    is_keyword,
    most_common,
    shared_in_spider,
    tokens_of,
)
from sqljury.likeness.matching.trees import Node, syntax_tree

words = st.lists(st.sampled_from(["select", "a", "b", "from", "t", ","]), min_size=4, max_size=12)


@given(words, words)
def test_bleu_is_that_of_sacrebleu(prediction: list[str], reference: list[str]) -> None:
    expected = sacrebleu.sentence_bleu(
        " ".join(prediction),
        [" ".join(reference)],
        smooth_method="floor",
        smooth_value=0.1,
        tokenize="none",
    ).score
    # sacrebleu gives 0 where not a single token is shared, smoothing or not.
    assume(set(prediction) & set(reference))
    assert bleu(prediction, reference) == pytest.approx(expected / 100)


def test_a_short_query_can_be_perfect() -> None:
    assert bleu(["select", "1"], ["select", "1"]) == pytest.approx(1)


def test_tokens_are_compared_without_case_but_strings_are_not() -> None:
    assert tokens_of("SELECT  A FROM t WHERE b = 'X y';", "sqlite") == [
        "select", "a", "from", "t", "where", "b", "=", "'X y'"
    ]  # fmt: skip
    assert tokens_of("SELECT 'broken", "sqlite") is None


def test_keywords() -> None:
    assert is_keyword("select") and is_keyword("where") and not is_keyword("singer")


def test_crystalbleu_leaves_out_what_all_share() -> None:
    shared = frozenset({("select",), ("from",), ("select", "a")})
    prediction, reference = ["select", "a", "from", "t"], ["select", "b", "from", "u"]
    assert crystalbleu(prediction, reference, shared) < bleu(prediction, reference)
    assert crystalbleu(reference, reference, shared) == pytest.approx(1)


def test_the_most_common_do_not_depend_on_the_order_of_the_corpus() -> None:
    corpus = [["a", "b"], ["a"], ["c", "b"]]
    assert most_common(corpus, 3) == most_common(corpus[::-1], 3) == [("a",), ("b",), ("a", "b")]


def test_the_shipped_list() -> None:
    shared = shared_in_spider()
    assert len(shared) == 500
    assert ("select",) in shared and ("count", "(", "*", ")") in shared


def _both(sql: str) -> tuple[list[str], Node]:
    tokens, tree = tokens_of(sql, "sqlite"), syntax_tree(sql, "sqlite")
    assert tokens is not None and tree is not None
    return tokens, tree


def test_codebleu_of_equal_queries_is_one() -> None:
    sql = "SELECT a, COUNT(*) FROM t WHERE b > 1 GROUP BY a"
    found = codebleu(_both(sql), _both(sql))
    assert (found.score, found.tree, found.data_flow) == (pytest.approx(1), 1, 1)


def test_codebleu_by_hand() -> None:
    found = codebleu(_both("SELECT a FROM t WHERE b > 2"), _both("SELECT a FROM t WHERE b > 1"))
    # Inner nodes: select, from, where, >; of these only FROM is the same below.
    assert found.tree == pytest.approx(1 / 4)
    # Leaves below operators: a and t are read alike, b too, the constant differs.
    assert found.data_flow == pytest.approx(3 / 4)


def test_a_reference_without_columns_has_no_data_flow() -> None:
    star = (["x"], Node("select"))
    assert codebleu(star, star).data_flow is None
