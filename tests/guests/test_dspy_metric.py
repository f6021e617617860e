"""The metric for DSPy, called by its Evaluate, by an optimizer and as GEPA calls it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import boats

import sqljury as sj
from needs import needs

pytestmark = [needs("dspy"), pytest.mark.slow]  # importing dspy takes seconds

LONG = "SELECT name FROM boat WHERE length > 8"
ANSWERS = [LONG, "SELECT name FROM boat", "DROP TABLE boat", "I do not know"]


@pytest.fixture(scope="module")
def metric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    from sqljury.guests.dspy_metric import SQLMetric

    folder: Path = boats(tmp_path_factory.mktemp("dspy") / "databases")
    with SQLMetric(folder, workers=1) as made:
        yield made


def test_evaluate_and_optimize(metric) -> None:  # type: ignore[no-untyped-def]
    import dspy
    from dspy.utils import DummyLM

    dspy.configure(lm=DummyLM([{"sql": answer} for answer in ANSWERS]))
    examples = [
        dspy.Example(question=f"Long boats? {n}", db_id="boats", query=LONG).with_inputs("question")
        for n in range(len(ANSWERS))
    ]
    program = dspy.Predict("question -> sql")
    found = dspy.Evaluate(devset=examples, metric=metric, num_threads=1)(program)
    assert found.score == 25.0

    dspy.configure(lm=DummyLM([{"sql": answer} for answer in ANSWERS]))
    optimizer = dspy.BootstrapFewShot(metric=metric, max_bootstrapped_demos=4, max_labeled_demos=0)
    better = optimizer.compile(program, trainset=examples)
    assert [demo.sql for demo in better.predictors()[0].demos] == [LONG]


def test_gepa(metric) -> None:  # type: ignore[no-untyped-def]
    import dspy

    example = dspy.Example(question="Long boats?", db_id="boats", reference=LONG)
    found = metric(example, dspy.Prediction(sql="SELECT name FROM boat"), None, "predict", None)
    assert found.score == 0.0
    assert "only in the prediction: ('Cleo',)" in found.feedback
    assert "filter" in found.feedback


def test_misnamed_fields_are_errors(metric) -> None:  # type: ignore[no-untyped-def]
    import dspy

    example = dspy.Example(db_id="boats", reference=LONG)
    with pytest.raises(sj.InputError, match=r"SJ857 the prediction has none .* fields are text"):
        metric(example, dspy.Prediction(text=LONG))
    with pytest.raises(
        sj.InputError, match=r"SJ857 the example has none .* fields are db_id, right"
    ):
        metric(dspy.Example(db_id="boats", right=LONG), dspy.Prediction(sql=LONG))
    assert metric(example, dspy.Prediction(sql=None)) == 0.0
