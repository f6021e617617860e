"""The score of a benchmark by a judge that errs: corrected, and planned for."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from typer.testing import CliRunner

import sqljury as sj
from sqljury.cli.app import app
from sqljury.errors import InputError
from sqljury.uses.agree.corrected import corrected_scores, plan_labels
from sqljury.uses.agree.labels import chances, drawn, half_width, labels_for
from sqljury.uses.statistics import prediction_powered, rogan_gladen

SCORES = [(number * 7 % 40 + 0.5) / 40 for number in range(40)]
LABELS = [number % 3 != 0 and score > 0.2 for number, score in enumerate(SCORES)]
ALL = [(number * 13 % 200 + 0.5) / 200 for number in range(200)]
WEIGHTS = [1.0 + number % 4 for number in range(40)]

# What ppi_py 0.2's ppi_mean_pointestimate and ppi_mean_ci say with lam=None.
PPI = [
    (None, (0.55, 0.4096096910465462, 0.6903903089534539)),
    (WEIGHTS, (0.5287858297923592, 0.3640506582364562, 0.6935210013482622)),
]


@pytest.mark.parametrize(("weights", "known"), PPI)
def test_as_ppi_py(weights: list[float] | None, known: tuple[float, float, float]) -> None:
    found = prediction_powered(LABELS, SCORES, ALL, weights)
    assert (found.value, found.low, found.high) == pytest.approx(known, abs=1e-12)


def test_a_judge_that_says_nothing_costs_nothing() -> None:
    found = prediction_powered([True, False] * 20, [0.5] * 40, [0.5] * 200)
    assert found.value == 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * (0.25 / 40) ** 0.5, rel=1e-3)


def test_rogan_gladen_undoes_known_errors() -> None:
    # 700 of 1,000 right, sensitivity 0.9, specificity 0.8: 690 are called correct.
    found = rogan_gladen(690, 1000, 90_000, 100_000, 20_000, 100_000)
    assert found is not None
    assert found.value == pytest.approx(0.7, abs=0.002)
    assert found.low < 0.7 < found.high
    assert rogan_gladen(500, 1000, 50, 100, 50, 100) is None


@pytest.mark.parametrize("rate", [0.55, 0.9])
def test_intervals_hold_what_they_promise(rate: float) -> None:
    random = Random(5)
    held = [0, 0]
    for _ in range(200):
        truth = [random.random() < rate for _ in range(300)]
        says = [random.random() < (0.9 if one else 0.2) for one in truth]
        chosen = random.sample(range(300), 60)
        right, wrong = [i for i in chosen if truth[i]], [i for i in chosen if not truth[i]]
        found = (
            prediction_powered([truth[i] for i in chosen], [says[i] for i in chosen], says),
            rogan_gladen(
                sum(says),
                300,
                sum(says[i] for i in right),
                len(right),
                sum(says[i] for i in wrong),
                len(wrong),
            ),
        )
        for at, one in enumerate(found):
            held[at] += one is not None and one.low <= rate <= one.high
    assert all(one >= 0.9 * 200 for one in held), held


def test_chances_go_where_the_judge_is_unsure() -> None:
    found = chances([0.5, 0.9, 0.999, 1.0, 0.0], 2)
    assert sum(found) == pytest.approx(2)
    assert found[0] > found[1] > found[2] > 0
    assert found[2:] == pytest.approx([found[2]] * 3)
    assert chances([0.5, 0.1], 2) == [1.0, 1.0]
    assert max(chances([0.5] + [0.99] * 3, 3)) == 1.0


def test_the_plan_keeps_its_promise() -> None:
    random = Random(3)
    scores = [random.betavariate(2, 1) for _ in range(400)]
    wanted = labels_for(scores, 0.06)
    assert wanted is not None and half_width(scores, wanted) <= 0.06 < half_width(
        scores, wanted - 1
    )
    assert labels_for(scores, 0.001) is None
    probabilities = chances(scores, wanted)
    widths, held = [], 0
    for seed in range(60):
        truth = [random.random() < score for score in scores]
        chosen = [
            i for i, one in enumerate(drawn([*map(str, range(400))], probabilities, seed)) if one
        ]
        found = prediction_powered(
            [truth[i] for i in chosen],
            [scores[i] for i in chosen],
            scores,
            [1 / probabilities[i] for i in chosen],
        )
        widths.append((found.high - found.low) / 2)
        held += found.low <= fmean(scores) <= found.high
    assert fmean(widths) == pytest.approx(0.06, abs=0.01)
    assert held >= 54


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "run"
    cases = [
        sj.Case(
            id=str(number),
            predicted_sql="SELECT 1" if number % 3 else "SELECT 2",
            reference_sqls=("SELECT 1",),
            schema_sql="CREATE TABLE t (a INT);",
        )
        for number in range(60)
    ]
    with sj.evaluate(cases, ["exact_match"], run=folder, workers=1):
        pass
    return folder


def test_planned_labelled_corrected(run: Path, tmp_path: Path) -> None:
    (drawn_once, again) = (plan_labels(run).draw(20) for _ in range(2))
    assert drawn_once == again and 8 <= len(drawn_once) <= 32
    plan = tmp_path / "plan.csv"
    done = CliRunner().invoke(
        app, ["agree", str(run), "--plan", "--count", "20", "--out", str(plan)]
    )
    assert done.exit_code == 0, done.output
    rows = [*csv.DictReader(plan.open())]
    assert [row["id"] for row in rows] == [one.case.id for one in drawn_once]
    with plan.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        # People find that every right answer is right, and one of the others too.
        labels = [row["predicted_sql"] == "SELECT 1" or row is rows[0] for row in rows]
        writer.writerows({**row, "label": int(one)} for row, one in zip(rows, labels, strict=True))
    (found,) = corrected_scores(run, plan)
    assert (found.cases, found.labelled) == (60, len(rows))
    assert found.share == pytest.approx(40 / 60)
    assert found.powered.low <= found.powered.value <= found.powered.high
    done = CliRunner().invoke(app, ["agree", str(run), "--labels", str(plan), "--corrected"])
    assert done.exit_code == 0, done.output
    assert f"66.7 % of 60 cases are called correct; corrected by {len(rows)} labels" in done.output


def test_what_cannot_be(run: Path, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("id,label\n1,1\n")
    with pytest.raises(InputError, match="SJ514"):
        corrected_scores(run, tmp_path / "one.csv")
    (tmp_path / "bad.csv").write_text("id,label,probability\n1,1,0\n")
    with pytest.raises(InputError, match="SJ116"):
        corrected_scores(run, tmp_path / "bad.csv")
    with pytest.raises(InputError, match="SJ407"):
        plan_labels(run, "other")
    done = CliRunner().invoke(app, ["agree", str(run), "--plan", "--half-width", "0.001"])
    assert isinstance(done.exception, InputError) and done.exception.code == "SJ003"
