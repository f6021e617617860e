"""Runs in MLflow and Weights & Biases, as the libraries themselves read them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import run
from sqljury.demo import write_demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trackers")
    cases = write_demo(folder / "demo").cases
    cases.write_text(json.dumps(json.loads(cases.read_text())[:8]))
    done = run("evaluate", "demo/cases.json", "-d", "demo/databases", "--run", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def summary(folder: Path) -> dict[str, Any]:
    found = json.loads(run("report", "run", "--json", cwd=folder).stdout)
    (judge,) = found["judges"]
    return dict(judge)


def test_mlflow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # needs no database
    place = f"file://{folder / 'mlruns'}"
    words = ("report", "run", "--track", "mlflow:sql")
    done = run(*words, cwd=folder, MLFLOW_TRACKING_URI=place, MLFLOW_DISABLE_TELEMETRY="true")
    assert done.returncode == 0, done.stderr
    client = mlflow.MlflowClient(place)
    (found,) = client.search_runs([client.get_experiment_by_name("sql").experiment_id])
    assert f"mlflow: run {found.info.run_id} in {place}" in done.stderr
    judge = summary(folder)
    metrics = found.data.metrics
    for name in ("score", "low", "high", "n", "left_out", "missing"):
        assert metrics[f"execution:strict/{name}"] == judge[name]
    assert found.data.tags["signature execution:strict"] == judge["signature"]
    assert found.data.params["judges"] == "execution:strict"
    artifacts = folder / "mlruns" / found.info.experiment_id / found.info.run_id / "artifacts"
    assert (artifacts / "report.html").read_text().startswith("<!")
    table = json.loads((artifacts / "cases.json").read_text())
    assert len(table["data"]) == judge["total"]
    assert table["columns"][:6] == ["benchmark", "id", "source", "judge", "outcome", "score"]


def logged(data: bytes) -> Iterator[bytes]:
    """The records of wandb's log: LevelDB's format, in blocks of 32 KiB, after 7 bytes."""
    record, at = b"", 7
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:  # no head fits into the rest of the block
            at += 32768 - at % 32768
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        record += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or its last part
            yield record
            record = b""


def test_wandb(folder: Path) -> None:
    pytest.importorskip("wandb")
    from wandb.proto.wandb_internal_pb2 import Record

    done = run(
        *("evaluate", "demo/cases.json", "-d", "demo/databases", "--run", "run"),
        *("--track", "wandb:sql"),
        cwd=folder,
        WANDB_MODE="offline",
        WANDB_DIR=str(folder),
    )
    assert done.returncode == 0, done.stderr
    assert f"wandb: {folder}/wandb/offline-run-" in done.stderr
    (log,) = folder.glob("wandb/offline-run-*/*.wandb")
    scores: dict[str, Any] = {}
    for data in logged(log.read_bytes()):
        for item in Record.FromString(data).summary.update:
            scores[item.key or "/".join(item.nested_key)] = json.loads(item.value_json)
    judge = summary(folder)
    for name in ("score", "low", "high", "n"):
        assert scores[f"execution:strict/{name}"] == judge[name]
    (table,) = folder.glob("wandb/offline-run-*/files/media/table/cases*.json")
    assert len(json.loads(table.read_text())["data"]) == judge["total"]
    (page,) = folder.glob("wandb/offline-run-*/files/media/html/*.html")
    assert "<title>" in page.read_text()


OTHER = """
from pathlib import Path

def track(found, place, page):
    Path(place).write_text(f"{found.name} {sorted(found.metrics)[-1]} {len(found.table()[1])}")
    if place == "broken":
        raise OSError("no space left at sunny-place")
    return place
"""


def test_a_tracker_of_another_package(folder: Path) -> None:
    (folder / "other.py").write_text(OTHER)
    offered = folder / "other-1.dist-info"
    offered.mkdir()
    (offered / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (offered / "entry_points.txt").write_text("[sqljury.trackers]\nother = other:track\n")
    words = ("report", "run", "--track")
    path = {"PYTHONPATH": str(folder), "SQLJURY_TRUST_FOLDER": "1"}
    done = run(*words, "other:out.txt", cwd=folder, **path)
    assert done.returncode == 0, done.stderr
    assert (folder / "out.txt").read_text().startswith("run execution:strict/score ")
    done = run(*words, "other:broken", cwd=folder, **path, MY_API_KEY="sunny-place")
    assert done.returncode == 3
    assert "SJ853 other does not take the run: no space left at ***" in done.stderr
    assert "sqljury report run --track other:broken" in done.stderr
    assert "SJ009" in run(*words, "other:out.txt", cwd=folder).stderr
