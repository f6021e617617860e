"""`sqljury train graph-match` from a file of pairs to a judge that uses the model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from needs import needs
from sqljury.cli.app import app
from sqljury.learning.graph_matching.matcher import load_matcher

pytestmark = needs("torch")

SCHEMA = """
CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, owner INTEGER);
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
"""
COLUMNS = ("id", "name", "age", "owner")


def write_pairs(path: Path) -> None:
    """Queries beside themselves with a turned comparison, or with another column."""
    lines = []
    for number in range(60):
        column, other = COLUMNS[number % 4], COLUMNS[(number + 1) % 4]
        sql = f"SELECT {column} FROM pet WHERE age > {number} OR name = 'x{number % 7}'"
        yes = number % 2 == 0
        changed = (
            f"SELECT {column} FROM pet WHERE name = 'x{number % 7}' OR NOT age <= {number}"
            if yes
            else sql.replace(f"SELECT {column}", f"SELECT {other}")
        )
        split = "validation" if number >= 40 else "train"
        record = {"db_id": "pets", "reference": sql, "prediction": changed, "label": int(yes)}
        lines.append(json.dumps({**record, "split": split}))
    path.write_text("\n".join(lines), encoding="utf-8")


SETTINGS = [
    *("hidden=16", "steps=2", "channels=8", "blocks=8", "epochs=2", "smoothing=0.1"),
]


def test_from_pairs_to_verdicts(tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs.jsonl")
    (tmp_path / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    model = tmp_path / "model.npz"
    command = [
        *("train", "graph-match", str(tmp_path / "pairs.jsonl"), "--out", str(model)),
        *("--schemas", str(tmp_path / "schema.sql"), "--form", "faithful"),
        *(word for one in SETTINGS for word in ("--set", one)),
    ]
    first = CliRunner().invoke(app, command)
    assert first.exit_code == 0, first.output
    assert "validation AUC" in first.output
    assert "20 pairs of other databases" in first.stdout
    curve = json.loads((tmp_path / "model.curve.json").read_text("utf-8"))
    assert [epoch["number"] for epoch in curve] == [1, 2]
    assert "<polyline" in (tmp_path / "model.curve.svg").read_text("utf-8")
    said = load_matcher(model).notes["training"]
    assert said["smoothing"] == 0.1
    written = model.read_bytes()
    again = CliRunner().invoke(app, command)
    assert again.stdout == first.stdout
    # Not assert ==: pytest would spell out how megabytes differ.
    assert hash(model.read_bytes()) == hash(written)

    explained = CliRunner().invoke(
        app,
        [
            *("diff", "--network", "SELECT id FROM pet", "SELECT id FROM pet AS p"),
            *("--schema", str(tmp_path / "schema.sql"), "--model", str(model)),
        ],
    )
    assert explained.exit_code == 0, explained.output
    assert "score 1.000" in explained.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--schemas", "schema.sql", "--form", "cubist"], "SJ003"),
        (["--schemas", "schema.sql", "--set", "hidden=10"], "SJ034"),
        (["--schemas", "schema.sql", "--set", "smoothing=0.5"], "SJ034"),
        (["--schemas", "schema.sql", "--set", "threads=0"], "SJ034"),
        ([], "SJ320"),
    ],
)
def test_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path / "pairs.jsonl")
    (tmp_path / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    found = CliRunner().invoke(
        app, ["train", "graph-match", "pairs.jsonl", "-o", "m.npz", *options]
    )
    assert found.exit_code != 0
    assert said in str(found.exception)
