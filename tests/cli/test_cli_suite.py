"""`sqljury build suite`, and `evaluate --suites` on what it made."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from typer.testing import CliRunner

from sqljury.cli.app import app

SCRIPT = "CREATE TABLE item (id INTEGER PRIMARY KEY, price INT); INSERT INTO item VALUES (1, 5)"


def test_build_and_evaluate(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    connection = sqlite3.connect("shop.sqlite")
    connection.executescript(SCRIPT)
    connection.close()
    row = {"id": "1", "db_id": "shop", "question": "Which?"}
    sql = "SELECT id FROM item WHERE price > 3"
    Path("cases.json").write_text(
        json.dumps([{**row, "reference_sql": sql, "predicted_sql": sql.replace(">", ">=")}])
    )
    run = CliRunner().invoke(
        app, ["build", "suite", "cases.json", "-d", "shop.sqlite", "--out", "suites"]
    )
    assert run.exit_code == 0, run.output
    assert run.stdout.startswith("1 suites with ")
    assert "neighbours of 1 references apart (the original alone " in run.stderr
    again = CliRunner().invoke(
        app, ["build", "suite", "cases.json", "-d", "shop.sqlite", "--out", "suites"]
    )
    assert again.stderr.rstrip().endswith("there already")
    for judge, score in (("execution", 1.0), ("test_suite", 0.0)):
        command = ["evaluate", "cases.json", "-d", "shop.sqlite", "--suites", "suites", "--json"]
        run = CliRunner().invoke(app, [*command, "-j", judge, "--run", f"run-{judge}", "-w", "1"])
        assert run.exit_code == 0, run.output
        assert json.loads(run.stdout)["judges"][0]["score"] == score
