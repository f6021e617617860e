"""Trees and choices are what scikit-learn trained; model files hold all of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sqljury.errors import InputError
from sqljury.learning.ensembles import Boosting
from sqljury.learning.model_file import write_model
from sqljury.learning.small_verifier import (
    RARE,
    SHIPPED,
    Choices,
    Expectations,
    SmallVerifier,
    balance,
    load_small_verifier,
    slope_of,
    table_of,
    train_weigher,
)


def test_choices_as_scikit_learn_makes_them() -> None:
    from sklearn.linear_model import LogisticRegression

    texts = [["a", f"n{i % 3}", "b" if i % 2 else "c"] for i in range(60)]
    answers = {
        "two": ["odd" if i % 2 else "even" for i in range(60)],
        "three": [f"w{i % 3}" for i in range(60)],
        "seldom": ["x" if i < 55 else f"y{i}" for i in range(60)],
    }
    ours = Choices.train(texts, answers)
    assert ours.words["seldom"] == (RARE, "x")
    terms = list(ours.terms)
    matrix = np.array([[term in text for term in terms] for text in texts], dtype=float)
    for question in ("two", "three"):
        model = LogisticRegression(C=0.1, max_iter=60).fit(matrix, answers[question])
        for row, text in enumerate(texts[:6]):
            wanted = dict(
                zip(model.classes_, model.predict_proba(matrix[row : row + 1])[0], strict=True)
            )
            assert ours.probabilities(text)[question] == pytest.approx(wanted, abs=2e-3)
    unknown = ours.probabilities(["never met"])
    assert sum(unknown["three"].values()) == pytest.approx(1)


def test_both_kinds_of_a_question_weigh_the_same() -> None:
    labels = np.array([True, True, False, False, True, True, True, False, False])
    questions = np.array([1, 1, 1, 1, 2, 2, 2, 2, 2])
    restyled = np.array([True, False, True, False, True, False, False, True, False])
    weights = balance(labels, questions, restyled)
    assert weights.sum() == pytest.approx(len(labels))
    for number in (1, 2):
        for label in (True, False):
            own = (questions == number) & (labels == label)
            assert weights[own].sum() == pytest.approx(len(labels) / 4)
            assert weights[own & restyled].sum() == pytest.approx(0.3 * len(labels) / 4)


def test_the_slope_calibrates() -> None:
    chance = np.random.default_rng(1)
    odds = chance.normal(scale=2.0, size=20_000)
    labels = chance.random(20_000) < 1 / (1 + np.exp(-0.7 * odds))
    assert slope_of(odds, labels, np.ones(20_000)) == pytest.approx(0.7, abs=0.05)


def small() -> SmallVerifier:
    chance = np.random.default_rng(2)
    vectors = chance.normal(size=(200, 2))
    labels = vectors[:, 0] > 0
    settings = {"trees": 5, "leaves": 4, "rate": 0.3, "least": 5}
    trees = Boosting.train(vectors, labels, **settings)
    texts = [["x" if label else "y"] for label in labels]
    choices = Choices.train(texts, {"items": ["a" if label else "b" for label in labels]})
    weigher = train_weigher(vectors, ["regret_a", "b"], labels, np.ones(200), trees=5)
    expectations = Expectations({"select": trees}, trees, choices)
    return SmallVerifier(expectations, weigher, weigher, {"questions": 20})


def test_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    model = small()
    model.save(tmp_path / "model.npz")
    again = load_small_verifier(tmp_path / "model.npz")
    features = [{"regret_a": 0.3, "b": 1.0}, {"b": -2.0}]
    assert again.asked.probabilities(features) == model.asked.probabilities(features)
    assert again.expectations.parts(["x"]) == model.expectations.parts(["x"])
    assert again.card == {"questions": 20}
    assert again.asked.probabilities([]) == []


def test_a_feature_that_is_not_there_has_its_own_value() -> None:
    assert table_of([{"a": 1.0}], ["a", "b"]).tolist() == [[1.0, -9.0]]


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "SJ020"), (b"", "SJ031"), (b"not a model", "SJ031"), ("other", "SJ030")],
)
def test_what_is_no_model(tmp_path: Path, content: bytes | str | None, code: str) -> None:
    path = tmp_path / "model.npz"
    if content == "other":
        write_model(path, {"version": 1}, {})
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(InputError, match=code):
        load_small_verifier(path)


def test_the_shipped_one_is_small() -> None:
    assert SHIPPED.stat().st_size < 5e6
    card = load_small_verifier(SHIPPED).card
    assert card["questions"] > 4_000
