"""Opinions fused by their log-odds, and which question to ask next."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

from sqljury.errors import InputError
from sqljury.learning.fusion import (
    SHIPPED,
    Fusion,
    Opinions,
    fit_fusion,
    load_fusion,
    next_question,
)

GOOD, POOR = ("flex", "good"), ("flex", "poor")
COUNTS = {
    "flex": {
        "good": {"accepts": (90, 10), "rejects": (10, 90)},
        "poor": {"accepts": (60, 40), "rejects": (40, 60)},
    }
}
FUSION = Fusion(1.0, 0.5, 0.0, COUNTS)


def test_rates_are_counts_with_the_other_models_as_ten_more_cases() -> None:
    right, wrong = FUSION.rates(GOOD)["accepts"]
    assert right == pytest.approx((90 + 10 * 60.5 / 101) / 110)
    assert wrong == pytest.approx((10 + 10 * 40.5 / 101) / 110)
    assert sum(one for one, _ in FUSION.rates(GOOD).values()) == pytest.approx(1)


def test_a_model_that_nobody_knows_is_like_the_others() -> None:
    right, wrong = FUSION.rates(("flex", "new"))["accepts"]
    assert (right, wrong) == (pytest.approx(150.5 / 201), pytest.approx(50.5 / 201))
    assert FUSION.rates(("other", "new"))["accepts"] == (0.5, 0.5)


def test_log_odds() -> None:
    one, two = FUSION.ratio(GOOD, "accepts"), FUSION.ratio(POOR, "rejects")
    assert one > 0 > two
    assert FUSION.log_odds(0.3, {}) == pytest.approx(0.3)
    assert FUSION.log_odds(0.3, {GOOD: "accepts"}) == pytest.approx(0.3 + one)
    both = FUSION.log_odds(0.3, {GOOD: "accepts", POOR: "rejects"})
    assert both == pytest.approx(0.3 + (one + two) / 1.5)


PRICES = {GOOD: 0.02, POOR: 0.02}

# offline, heard, left, target → asked
NEXT = [
    (0.0, {}, PRICES, 0.95, GOOD),
    (0.0, {}, {GOOD: 0.9, POOR: 0.001}, 0.95, POOR),  # the dearer one tells less for its price
    (4.0, {}, PRICES, 0.95, None),  # sure enough
    (2.9, {}, {POOR: 0.01}, 0.99, None),  # its answer could not change the verdict
    (0.0, {GOOD: "accepts"}, {POOR: 0.01}, 0.99, None),
    (0.1, {POOR: "accepts"}, {GOOD: 0.01}, 0.99, GOOD),
    (0.0, {}, {}, 0.95, None),
]


@pytest.mark.parametrize(("offline", "heard", "left", "target", "asked"), NEXT)
def test_next(
    offline: float,
    heard: Opinions,
    left: dict[tuple[str, str], float],
    target: float,
    asked: object,
) -> None:
    assert next_question(FUSION, offline, heard, left, target=target) == asked


def test_free_models_are_asked_too() -> None:
    assert next_question(FUSION, 0.0, {}, {GOOD: 0.0}, target=0.9) == GOOD


def test_fitted_on_simulated_models() -> None:
    random = np.random.default_rng(7)
    labels = random.random(4000) < 0.6
    offline = np.where(labels, 0.8, -0.8) + random.normal(0, 1.2, 4000)
    asked = [("flex", f"model {number}") for number in range(3)]
    opinions = []
    for label in labels.tolist():
        right = {one: bool(random.random() < 0.8) for one in asked}
        opinions.append({one: "accepts" if ok is label else "rejects" for one, ok in right.items()})
    found = fit_fusion(offline.tolist(), opinions, labels.tolist())
    assert found.ratio(asked[0], "accepts") == pytest.approx(log(4), abs=0.25)
    assert found.slope == pytest.approx(2 * 0.8 / 1.2**2, abs=0.15)
    assert found.overlap < 0.1  # they are independent of each other
    echoes = [{**one, asked[1]: one[asked[0]], asked[2]: one[asked[0]]} for one in opinions]
    assert fit_fusion(offline.tolist(), echoes, labels.tolist()).overlap > 0.6


def test_recounted_on_few_labels() -> None:
    opinions: list[Opinions] = [{("flex", "new"): "accepts"}, {("flex", "new"): "rejects"}] * 25
    found = FUSION.recounted(opinions, [True, False] * 25)
    assert found.counts["flex"]["new"] == {"accepts": (25, 0), "rejects": (0, 25)}
    assert found.counts["flex"]["good"] == COUNTS["flex"]["good"]
    assert found.ratio(("flex", "new"), "accepts") > FUSION.ratio(GOOD, "accepts")


def test_kept_in_a_file(tmp_path: Path) -> None:
    FUSION.save(tmp_path / "one.json")
    assert load_fusion(tmp_path / "one.json") == FUSION


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "other", "version": 1}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.json").write_text(text)
    with pytest.raises(InputError, match="SJ020"):
        load_fusion(tmp_path / "one.json")


def test_the_shipped_file() -> None:
    found = load_fusion(SHIPPED)
    assert found.card["cases"] == 302
    for question, models in found.counts.items():
        for model in models:
            assert found.ratio((question, model), "accepts") > 0, (question, model)
    assert json.loads(SHIPPED.read_text())["prices"]["o3"] > 0
