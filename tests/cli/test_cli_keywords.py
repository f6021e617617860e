"""`sqljury keywords`: the table of any file, and that of FuncEvalGMN's published pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sqljury.cli.app import app


def shares(*arguments: object) -> dict:
    found = CliRunner().invoke(app, ["paper", "keywords", *map(str, arguments), "--json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_both_sides_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    pairs = [
        ("SELECT count(*) FROM a WHERE x = 1", "SELECT count(*) FROM a"),
        ("SELECT x FROM a JOIN b USING (id)", "SELECT DISTINCT x FROM a WHERE x LIKE 'p%'"),
    ]
    lines = [{"reference": left, "prediction": right} for left, right in pairs]
    path.write_text("\n".join(map(json.dumps, lines)))
    found = shares(path, "--map", "reference_sqls=reference,predicted_sql=prediction")[str(path)]
    assert found["n"] == 2
    named = {side: {k: v for k, v in found[side].items() if v} for side in list(found)[1:]}
    assert named == {
        "references": {"Where": 50.0, "Join": 50.0, "Aggregation": 50.0, "Count": 50.0},
        "predictions": {
            "Where": 50.0,
            "Aggregation": 50.0,
            "Count": 50.0,
            "Distinct": 50.0,
            "Regex Filter": 50.0,
        },
    }
    printed = CliRunner().invoke(app, ["paper", "keywords", str(path)])
    assert "predictions" in printed.stdout


def test_the_references_of_the_published_pairs(data_dir: Path) -> None:
    """Table 6 has these figures of them, to the digit."""
    path = data_dir / "pairs" / "Wikisql_pair_dev.csv.gz"
    found = shares(path)[str(path)]["references"]
    published = {"Where": 100.0, "Aggregation": 31.35, "Count": 9.96, "Average": 4.01}
    assert {name: found[name] for name in published} == pytest.approx(published, abs=0.005)
    assert (found["MinMax"], found["Sum"], found["Join"]) == (12.88, 4.5, 0.0)
