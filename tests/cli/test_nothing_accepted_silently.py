"""What cannot be meant is refused before anything is judged, as a user types it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from commands import run
from sqljury.doctor import database_checks

CASES = [
    {"id": number, "db_id": "shop", "question": f"{number}?", "query": sql, "pred": sql}
    for number, sql in enumerate(("SELECT 1", "SELECT 2", "SELECT COUNT(*) FROM a"))
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    with sqlite3.connect(folder / "shop.sqlite") as database:
        database.executescript("CREATE TABLE a (x); INSERT INTO a VALUES (1), (2);")
    (folder / "dev.json").write_text(json.dumps(CASES))
    (folder / "others.json").write_text(json.dumps([case | {"id": 70} for case in CASES[:1]]))
    done = run("evaluate", "dev.json", "-d", folder, "--run", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def refused(folder: Path, *words: object) -> str:
    done = run(*words, cwd=folder)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


OUTPUTS = [
    ("evaluate", "dev.json", "-d", ".", "--html"),
    ("evaluate", "dev.json", "-d", ".", "--csv"),
    ("evaluate", "dev.json", "-d", ".", "--export"),
    ("agree", "run", "--html"),
    ("evaluate", "dev.json", "-d", ".", "--features"),
    ("paper", "keywords", "dev.json", "--html"),
    ("agree", "run", "--plan", "--count", "2", "--out"),
    ("select", "dev.json", "-d", ".", "--strategy", "first", "--out"),
    ("select", "dev.json", "-d", ".", "--strategy", "first", "--html"),
    ("trust", "run", "--csv"),
    ("audit", "run", "dev.json", "--export"),
    ("audit", "run", "dev.json", "--html"),
    ("audit", "accept", "dev.json", "--by", "me", "--out"),
    ("audit", "apply", "dev.json", "--overlay", "none.jsonl", "--out"),
    ("report", "run", "--html"),
    ("report", "run", "--against", "run", "--html"),
]


@pytest.mark.parametrize("words", OUTPUTS, ids=" ".join)
@pytest.mark.parametrize("place", ["no/such/file.html", "."])
def test_what_cannot_be_written_is_said_before_anything_is_judged(
    folder: Path, words: tuple[str, ...], place: str
) -> None:
    before = sorted(folder.rglob("*"))
    said = refused(folder, *words, place)
    assert "SJ801 cannot write" in said
    assert "folder that exists" in said
    assert sorted(folder.rglob("*")) == before


def test_a_run_is_not_made_that_of_another_input(folder: Path) -> None:
    said = refused(folder, "evaluate", "others.json", "-d", ".", "--run", "run")
    assert "SJ430 run: the run is about 3 other cases" in said
    done = run("report", "run", "--json", cwd=folder)
    assert json.loads(done.stdout)["judges"][0]["total"] == 3


def test_a_run_may_grow(folder: Path, tmp_path: Path) -> None:
    words = ("evaluate", tmp_path / "dev.json", "-d", folder, "--run", tmp_path / "run", "--json")
    for cases in (CASES[:1], CASES, [case | {"pred": "SELECT 9"} for case in CASES]):
        (tmp_path / "dev.json").write_text(json.dumps(cases))
        done = run(*words, cwd=tmp_path)
        assert json.loads(done.stdout)["judges"][0]["total"] == len(cases)


def test_labels_of_other_cases_are_refused(folder: Path) -> None:
    (folder / "labels.csv").write_text("id,label\n70,1\n71,0\n")
    said = refused(folder, "agree", "run", "--labels", "labels.csv")
    assert "SJ122" in said
    assert "none of its 2 ids ('70', '71')" in said


def test_verdicts_and_gates_of_other_questions_are_refused(folder: Path) -> None:
    rows = [{"id": one["id"], "predicted_sql": one["pred"], "correct": 1} for one in CASES]
    (folder / "decisions.json").write_text(json.dumps(rows))
    (folder / "other.csv").write_text("id,score\n70,1\n71,0\n")
    for option in ("--verdicts", "--gate"):
        said = refused(folder, "trust", "decisions.json", option, "other.csv")
        assert "SJ122" in said


def test_an_overlay_of_another_benchmark_is_refused(folder: Path) -> None:
    finding = {
        "id": "70",
        "db_id": "shop",
        "question": "?",
        "hint": "",
        "sql": "SELECT 1",
        "code": "x",
        "reason": "r",
        "evidence": {},
        "decision": "exclude",
    }
    (folder / "reviewed.jsonl").write_text(json.dumps(finding) + "\n")
    done = run("audit", "accept", "reviewed.jsonl", "--by", "me", "-o", "o.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    for words in (
        ("evaluate", "dev.json", "-d", "."),
        ("agree", "run"),
        ("audit", "run", "dev.json"),
        ("audit", "apply", "dev.json", "--out", "corrected.jsonl"),
    ):
        assert "SJ122" in refused(folder, *words, "--overlay", "o.jsonl")


def test_accepting_nothing_is_refused(folder: Path) -> None:
    (folder / "undecided.jsonl").write_text('{"id": "1", "db_id": "shop", "sql": "SELECT 1"}\n')
    said = refused(folder, "audit", "accept", "undecided.jsonl", "--by", "me", "-o", "o2.jsonl")
    assert "none of the 1 findings has a decision" in said
    assert not (folder / "o2.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        (
            "a.json",
            '[\n{"id": 1, "query": "SELECT 1"},\n{"id": 2, "query": "A", "query": "B"}]',
            ":3",
        ),
        ("a.jsonl", '{"id": 1, "query": "A"}\n{"id": 2, "query": "A", "query": "B"}\n', ":2"),
        ("a.json", '{"1": "SELECT 1", "1": "SELECT 2"}', ""),
    ],
)
def test_a_key_that_stands_twice_is_refused(
    tmp_path: Path, name: str, text: str, place: str
) -> None:
    (tmp_path / name).write_text(text)
    said = refused(tmp_path, "evaluate", name, "-j", "exact_match")
    assert f"SJ110 {name}{place}: the key" in said
    assert "stands twice" in said


def test_the_doctor_says_by_its_exit_code_that_there_is_no_database(tmp_path: Path) -> None:
    checks = database_checks(str(tmp_path / "nodir"), None)
    assert [(one.exit_code, "nodir" in one.detail) for one in checks] == [(2, True)]
    assert run("doctor", "-d", "postgresql://u:p@127.0.0.1:1/x", cwd=tmp_path).returncode == 3


def test_an_export_into_the_folder_of_a_new_run(folder: Path) -> None:
    words = ("evaluate", "dev.json", "-d", ".", "--export", "new/export.jsonl", "--run", "new")
    done = run(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "new" / "export.jsonl").is_file()
