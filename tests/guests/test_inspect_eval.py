"""inspect_ai: its command and its Python face, on Spider cases with its mock model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from needs import needs

pytestmark = [needs("inspect_ai"), pytest.mark.slow]


@pytest.fixture(scope="module")
def spider(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Four cases of Spider dev, one of which has a broken reference, and the databases."""
    cases = json.loads((data_dir / "spider" / "dev.json").read_text())[:4]
    keys = ("db_id", "question", "query")
    rows = [{key: case[key] for key in keys} for case in cases]
    rows[3]["query"] = "SELECT broken"
    file = tmp_path_factory.mktemp("spider") / "spider.json"
    file.write_text(json.dumps(rows))
    return file, data_dir / "spider" / "databases"


def answering(*texts: str) -> Any:
    """inspect's mock model with these answers; with their usage, as it would load a tokenizer."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mockllm/model", text) for text in texts]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


def test_task(spider: tuple[Path, Path], tmp_path: Path) -> None:
    from inspect_ai import eval as run
    from inspect_ai.log import read_eval_log

    cases, databases = spider
    right = json.loads(cases.read_text())[0]["query"]
    answers = [f"```sql\n{right}\n```", "DROP TABLE singer", "SELECT 1", "SELECT 1"]
    logs = run(
        "sqljury/text_to_sql",  # found by the entry point
        task_args={"cases": str(cases), "databases": str(databases)},
        model=answering(*answers),
        log_dir=str(tmp_path),
        display="none",
        max_samples=1,
    )
    log = read_eval_log(logs[0].location)
    assert log.status == "success" and log.results is not None and log.samples is not None
    scores = [sample.scores["sql_scorer"] for sample in log.samples if sample.scores]
    outcomes = [(score.metadata or {})["outcome"] for score in scores]
    assert outcomes == ["correct", "prediction_refused", "incorrect", "reference_error"]
    assert [score.value for score in scores[:3]] == ["C", "I", "I"]
    assert scores[3].reason == "reference_error"
    assert "only in the reference" in str(scores[2].explanation)
    (result,) = log.results.scores
    assert result.metrics["accuracy"].value == pytest.approx(1 / 3)  # without the fourth
    assert "CREATE TABLE singer" in str(log.samples[0].input)
    assert "count(*)" not in str(log.samples[0].input), "no reference is shown"


def test_a_data_set_of_ones_own(spider: tuple[Path, Path], tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import Sample

    from sqljury.guests.inspect_eval import sql_scorer

    sample = Sample(
        input="How many singers?",
        target="SELECT COUNT(*) FROM singer",
        metadata={"db_id": "concert_singer"},
    )
    (log,) = run(
        Task(dataset=[sample], scorer=sql_scorer(str(spider[1]))),
        model=answering("SELECT COUNT(1) FROM singer"),
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.samples is not None and log.samples[0].scores is not None
    assert log.samples[0].scores["sql_scorer"].value == "C"
