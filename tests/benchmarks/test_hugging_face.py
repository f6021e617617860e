"""Data sets of Hugging Face, in and out, and the card whose head the hub reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqljury as sj
from commands import run
from sqljury.demo import write_demo
from sqljury.errors import InputError

datasets = pytest.importorskip("datasets")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import json

    folder = tmp_path_factory.mktemp("data")
    file = write_demo(folder / "demo").cases
    cases = json.loads(file.read_text())[:8]
    file.write_text(json.dumps(cases))
    datasets.disable_progress_bars()
    whole = datasets.Dataset.from_list(cases)
    whole.save_to_disk(folder / "saved")
    datasets.DatasetDict({"train": whole, "dev": whole}).save_to_disk(folder / "splits")
    (folder / "files").mkdir()
    whole.to_parquet(folder / "files" / "test.parquet")
    return folder


@pytest.mark.parametrize("place", ["{}/saved", "{}/splits/dev", "hf:{}/files@test", "hf:{}/files"])
def test_read(folder: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder / "cache")
    plain = list(sj.read_cases(folder / "demo" / "cases.json"))
    found = list(sj.read_cases(place.format(folder)))
    assert [(one.id, one.question, one.predicted_sql, one.reference_sqls) for one in found] == [
        (one.id, one.question, one.predicted_sql, one.reference_sqls) for one in plain
    ]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("{}/splits", "has several splits: train, dev. Name one: {}/splits/train."),
        ("hf:{}/nowhere", "the data set cannot be loaded: "),
        ("hf:{}/files@train", "the data set cannot be loaded: "),
    ],
)
def test_what_cannot_be_read(folder: Path, place: str, why: str) -> None:
    with pytest.raises(InputError) as raised:
        sj.read_cases(place.format(folder))
    assert raised.value.code == "SJ123"
    assert why.format(folder) in str(raised.value)


def test_out(folder: Path) -> None:
    found = run(
        *("evaluate", "saved", "-d", "demo/databases", "--run", "run", "-j", "soft_f1"),
        *("--export", "run/cases.parquet"),
        cwd=folder,
    )
    assert found.returncode == 0, found.stderr
    exported = datasets.Dataset.from_parquet(
        str(folder / "run" / "cases.parquet"), cache_dir=str(folder / "cache")
    )
    with sj.load_run(folder / "run") as opened:
        made = opened.to_dataset()
        records = list(opened.records())
    assert made.to_list() == exported.to_list()
    assert made["outcome"] == [str(one.verdict.outcome) for one in records]
    measures = {one["name"]: one["value"] for one in made[0]["measures"]}
    assert measures == dict(records[0].verdict.measures) != {}


def test_card(folder: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    done = run(
        *("evaluate", "demo/cases.json", "-d", "demo/databases", "--run", 'a "run": <b>'),
        *("-j", "execution", "-j", "executable"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert run("report", 'a "run": <b>', "--card", "card.md", cwd=folder).returncode == 0
    card = hub.ModelCard.load(folder / "card.md")
    with sj.load_run(folder / 'a "run": <b>') as opened:
        judges = opened.summary.judges
    assert card.data.model_name == 'a "run": <b>'
    for result, judge in zip(card.data.eval_results, judges, strict=True):
        assert result.metric_type == judge.name
        assert result.metric_value == pytest.approx(judge.score, abs=1e-4)
        assert result.metric_args["signature"] == judge.signature
    assert r"# a " + r'"run": \<b\>' in card.text
