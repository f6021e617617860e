"""An audit as a whole: which references, what is said of them, by command and by function."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import commands
import sqljury as sj
from sqljury.errors import InputError
from sqljury.uses.audit import references_of

CASES = [
    {
        "id": "1",
        "db_id": "harbour",
        "question": "Which boats are ferries?",
        "gold_sql": "SELECT name FROM boat WHERE kind = 'Ferry'",
    },
    {
        "id": "2",
        "db_id": "harbour",
        "question": "How many boats are there?",
        "gold_sql": "SELECT COUNT(*) FROM boat",
    },
    {
        "id": "3",
        "db_id": "harbour",
        "question": "Which boats have a crew of 9?",
        "gold_sql": "SELECT name FROM boat WHERE crew = 9",
    },
]


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    folder = tmp_path / "databases" / "harbour"
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "harbour.sqlite")
    connection.executescript(
        "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, crew INTEGER);"
        "INSERT INTO boat VALUES (1,'Anna','ferry',3), (2,'Bela','tug',2);"
    )
    connection.close()
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(CASES))
    return file


def test_findings_name_the_reference_and_propose_another(benchmark: Path) -> None:
    found = sj.audit(benchmark, benchmark.parent / "databases", workers=1)
    assert [(one.id, one.code, one.weak) for one in found.findings] == [
        ("1", "AU101", False),
        ("1", "AU202", True),
        ("3", "AU202", True),
    ]
    assert found.findings[0].proposal == "SELECT name FROM boat WHERE kind = 'ferry'"
    assert (found.references, found.suspect, found.hinted) == (3, 1, 1)
    assert "n:3" in found.signature


def test_without_a_database_checks_of_rows_are_skipped(benchmark: Path, tmp_path: Path) -> None:
    schema = tmp_path / "schema.sql"
    schema.write_text("CREATE TABLE boat (id INTEGER, name TEXT, kind TEXT, crew INTEGER);")
    found = sj.audit(benchmark, schemas=schema, workers=1)
    by_code = {one.code: one for one in found.checks}
    assert by_code["AU101"].skipped == 3
    assert by_code["AU506"].skipped == 0
    assert not found.findings


def test_only_the_checks_asked_for(benchmark: Path) -> None:
    found = sj.audit(benchmark, benchmark.parent / "databases", checks="AU1", workers=1)
    assert {one.code for one in found.findings} == {"AU101"}
    assert all(one.code.startswith("AU1") for one in found.checks)
    with pytest.raises(InputError, match="SJ345"):
        sj.audit(benchmark, checks="AU9", workers=1)


def test_nothing_to_audit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ530"):
        sj.audit([sj.Case(id="1", predicted_sql="SELECT 1")], workers=1)


def test_each_reference_comes_once() -> None:
    several = sj.Case(id="1", reference_sqls=("SELECT 1", "SELECT 2"), predicted_sql="SELECT 3")
    other = sj.Case(id="1", reference_sqls=("SELECT 1",), source="system b")
    assert [(one.source, one.predicted_sql) for one in references_of([several, other])] == [
        ("reference 1", "SELECT 1"),
        ("reference 2", "SELECT 2"),
    ]


def _run(benchmark: Path, *more: str) -> subprocess.CompletedProcess[str]:
    databases = benchmark.parent / "databases"
    return commands.run("audit", benchmark, "-d", databases, *more, cwd=benchmark.parent)


def test_command(benchmark: Path) -> None:
    done = _run(benchmark, "--export", "findings.jsonl", "--run", "run")
    assert done.returncode == 0, done.stderr
    assert "3 of 3 references audited: 1 with a fault, 1 more with a hint" in done.stdout
    lines = (benchmark.parent / "findings.jsonl").read_text().splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["AU101", "AU202", "AU202"]


def test_threshold(benchmark: Path) -> None:
    assert _run(benchmark, "--fail-over", "0").returncode == 1
    assert _run(benchmark, "--fail-over", "1").returncode == 0


def test_the_same_under_every_hash_seed_and_number_of_workers(benchmark: Path) -> None:
    one = _anew(benchmark, "--run", "a", "--workers", "1", seed="1")
    two = _anew(benchmark, "--run", "b", "--workers", "2", seed="2")
    assert one == two
    assert json.loads(one)["suspect"] == 1


def _anew(benchmark: Path, *more: str, seed: str) -> str:
    """What a process of its own prints, under a hash seed."""
    command = [sys.executable, "-m", "sqljury.cli", "audit", "--json", str(benchmark), *more]
    command += ["-d", str(benchmark.parent / "databases")]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=benchmark.parent, check=True
    )
    return done.stdout


def test_from_finding_to_corrected_benchmark(benchmark: Path) -> None:
    assert _run(benchmark, "--export", "findings.jsonl").returncode == 0
    folder = benchmark.parent
    findings = [json.loads(line) for line in (folder / "findings.jsonl").read_text().splitlines()]
    findings[0]["decision"] = "replace"
    (folder / "reviewed.jsonl").write_text("\n".join(map(json.dumps, findings)))
    _command(folder, "accept", "reviewed.jsonl", "--by", "Ida", "-o", "overlay.jsonl")
    said = _command(folder, "verify", "overlay.jsonl", "cases.json")
    assert "fits 3 references; 1 replace" in said
    _command(folder, "apply", "cases.json", "--overlay", "overlay.jsonl", "-o", "new.jsonl")
    first = next(iter(sj.read_cases(folder / "new.jsonl")))
    assert first.reference_sqls == ("SELECT name FROM boat WHERE kind = 'ferry'",)
    assert _command(folder, "diff", "overlay.jsonl", "overlay.jsonl") == ""


def _command(folder: Path, *arguments: str) -> str:
    done = commands.run("audit", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout
