"""One end-to-end test per command, as a user types it."""

from __future__ import annotations

import csv
import json
import platform
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlglot

import sqljury
from commands import run


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    done = run("demo", "--folder", folder)
    assert done.returncode == 0, done.stderr
    (folder / "printed.txt").write_text(done.stdout)
    return folder


def _evaluate(demo: Path, run_folder: Path, *more: str | Path):
    return run(
        "evaluate",
        demo / "cases.json",
        "-d",
        demo / "databases",
        "--run",
        run_folder,
        "--limit-seconds",
        "0.3",
        *more,
    )


def test_demo_prints_one_screen_and_says_what_to_look_at(demo: Path) -> None:
    text = (demo / "printed.txt").read_text()
    assert "execution:strict" in text
    assert len(text.splitlines()) <= 24
    for command in ("report", "agree"):
        assert f"sqljury {command} {demo / 'run'}" in text
    page = demo / "report.html"
    assert str(page.resolve()) in text
    assert page.read_text().startswith("<!doctype html>")


def test_evaluate_json_export_csv_html(demo: Path, tmp_path: Path) -> None:
    done = _evaluate(
        demo,
        tmp_path / "run",
        *("-j", "execution:spider", "-j", "soft_f1", "--json"),
        *("--export", tmp_path / "e.jsonl", "--csv", tmp_path / "e.csv"),
        *("--html", tmp_path / "e.html"),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["run"] == str(tmp_path / "run")
    assert [judge["name"] for judge in found["judges"]] == ["execution:spider", "soft_f1"]
    judge = found["judges"][0]
    assert judge["total"] == judge["n"] + judge["left_out"]
    assert sum(judge["outcomes"].values()) == judge["total"]
    assert 0 < judge["score"] < 1
    lines = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert len(lines) == 2 * judge["total"]
    assert {"benchmark", "id", "source", "judge", "outcome", "score"} <= set(lines[0])
    with (tmp_path / "e.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(lines)
    correct = sum(line["outcome"] == "correct" for line in lines[::2])
    assert correct == judge["outcomes"]["correct"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that the first test to use it judges, and the others resume."""
    return tmp_path_factory.mktemp("judged") / "run"


def test_fail_under(demo: Path, judged: Path) -> None:
    passed = _evaluate(demo, judged, "--fail-under", "0.01", "--max-left-out", "1")
    assert passed.returncode == 0
    below = _evaluate(demo, judged, "--fail-under", "0.99")
    assert below.returncode == 1
    assert "below 0.99: execution:strict" in below.stderr
    wrong = _evaluate(demo, judged, "--fail-under", "80")
    assert wrong.returncode == 2
    assert "0.8" in wrong.stderr


def test_predictions_in_a_file_of_their_own(demo: Path, tmp_path: Path) -> None:
    references = [
        {"question_id": i, "db_id": "ferry_line", "question": "?", "SQL": "SELECT 1"}
        for i in range(4)
    ]
    (tmp_path / "dev.json").write_text(json.dumps(references))
    predictions = {"0": "SELECT 1", "1": None, "2": ""}
    (tmp_path / "mine.json").write_text(json.dumps(predictions))
    done = run(
        "evaluate", "dev.json", "-p", "mine.json", "-d", demo / "databases", "--json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    (judge,) = json.loads(done.stdout)["judges"]
    assert judge["outcomes"] == {
        "correct": 1,
        "prediction_error": 1,
        "prediction_missing": 1,
        "abstained": 1,
    }
    assert judge["score"] == 0.25
    # No --run: the same command finds the same folder.
    assert (tmp_path / json.loads(done.stdout)["run"] / "run.sqlite").is_file()


def test_failures_are_listed_by_cause(demo: Path, judged: Path) -> None:
    done = _evaluate(demo, judged, "--failures", "1")
    assert done.returncode == 0, done.stderr
    assert "\nno such column: 1\n" in done.stdout
    assert "\nsyntax error: 1\n" in done.stdout
    assert "\nmissing filter: 4\n" in done.stdout
    # `python -m sqljury` where the program is not on the PATH
    assert f"sqljury report {judged} --html FILE" in done.stderr
    show = next(line for line in done.stderr.splitlines() if line.startswith("one failure: "))
    assert run(*show.partition("sqljury ")[2].split()).returncode == 0
    again = run("report", judged, "--failures", "1")
    assert again.stdout in done.stdout


def test_runs_are_listed(demo: Path) -> None:
    done = run("runs", demo)
    assert done.stdout.splitlines()[0] == str(demo / "run")
    assert "  execution:strict  31.1 % of 74" in done.stdout
    nothing = run("runs", demo / "databases")
    assert nothing.returncode == 2
    assert "SJ401 there is no run" in nothing.stderr


def test_code_fences_are_taken_off_and_told(demo: Path, tmp_path: Path) -> None:
    row = {
        "db_id": "ferry_line",
        "query": "SELECT 1",
        "question": "?",
        "pred": "```sql\nSELECT 1\n```",
    }
    (tmp_path / "fenced.json").write_text(json.dumps([row]))
    options = ("evaluate", tmp_path / "fenced.json", "-d", demo / "databases", "--json")
    done = run(*options, cwd=tmp_path)
    assert json.loads(done.stdout)["judges"][0]["outcomes"] == {"correct": 1}
    assert json.loads(done.stdout)["taken_out_of_prose"] == 1
    kept = run(*options, "--keep-fences", cwd=tmp_path)
    assert json.loads(kept.stdout)["judges"][0]["outcomes"] == {"prediction_error": 1}
    assert json.loads(kept.stdout)["taken_out_of_prose"] == 0


def test_a_slip_in_a_judges_name_is_answered_with_the_name(demo: Path, tmp_path: Path) -> None:
    for slip, meant in (("exection", "execution"), ("execution:strct", "strict")):
        done = _evaluate(demo, tmp_path / "run", "-j", slip)
        assert done.returncode == 2
        assert f"Did you mean {meant!r}?" in done.stderr


def test_python_dash_m() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sqljury", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("sqljury ")


def test_report_prints_a_run_again(demo: Path, tmp_path: Path) -> None:
    done = run("report", demo / "run")
    assert done.returncode == 0, done.stderr
    assert "execution:strict" in done.stdout
    page = tmp_path / "again.html"
    assert run("report", demo / "run", "--html", page).stdout.strip() == str(page)
    assert page.is_file()
    assert json.loads(run("report", demo / "run", "--json").stdout)["judges"]


def test_show_one_case(demo: Path) -> None:
    done = run("report", demo / "run", "--case", "2")
    assert done.returncode == 0, done.stderr
    assert "SELECT" in done.stdout
    assert "execution:strict" in done.stdout
    gone = run("report", demo / "run", "--case", "no-such-case")
    assert gone.returncode == 2
    assert "SJ412" in gone.stderr


@pytest.mark.slow
def test_agree_on_a_run_and_its_export(demo: Path, tmp_path: Path) -> None:
    of_run = json.loads(run("agree", demo / "run", "--json").stdout)
    export = tmp_path / "e.jsonl"
    run("report", demo / "run", "--export", export)
    of_export = json.loads(run("agree", export, "--json").stdout)
    keys = ("name", "n", "kappa", "accuracy", "mcc", "f1")
    assert [[j[k] for k in keys] for j in of_run["judges"]] == [
        [j[k] for k in keys] for j in of_export["judges"]
    ]
    assert all(0 <= pair["p"] <= pair["p_holm"] <= 1 for pair in of_run["pairs"])
    page = demo / "agree.html"
    printed = run("agree", demo / "run", "--html", page)
    assert "soft_f1: calibration error (ECE) 0." in printed.stdout
    assert "Are the scores probabilities?" in page.read_text()
    assert "SJ006" in run("agree", export, "--html", page).stderr
    assert printed.returncode == 0
    assert max(map(len, printed.stdout.splitlines())) <= 100


def test_agree_is_a_gate(demo: Path) -> None:
    assert (
        run(
            "agree", demo / "run", "--fail-under", "accuracy=0.01", "--max-left-out", "1"
        ).returncode
        == 0
    )
    below = run("agree", demo / "run", "--fail-under", "kappa=0.99")
    assert below.returncode == 1
    assert "execution:strict: kappa 0." in below.stderr
    assert run("agree", demo / "run", "--fail-under", "charm=1").returncode == 2
    assert run("agree", demo / "run", "--fail-under", "0.9").returncode == 2


@pytest.mark.slow
def test_ledgers_are_carried_and_replayed(demo: Path, tmp_path: Path) -> None:
    lines, ledger = tmp_path / "ledger.jsonl", tmp_path / "carried.sqlite"
    assert run("ledger", demo / "ledger.sqlite", "--export", lines).stdout == "73 answers\n"
    assert run("ledger", ledger, "--import", lines).stdout == "73 answers\n"
    judge = ("-j", "rose,model=scripted:witness:answer", "--limit-rows", "100000")
    more = ("--limit-seconds", "2", "--descriptions", demo / "descriptions", *judge)
    done = _evaluate(demo, tmp_path / "run", *more, "--replay", ledger, "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["judges"]
    assert found["labels"]["gold_fault"] == 3
    dry = _evaluate(demo, tmp_path / "dry", *more, "--ledger", ledger, "--dry-run")
    assert dry.stdout.startswith("at most 0 calls")
    other = ("-j", "rose,model=scripted:witness:other", "--replay", ledger)
    missing = _evaluate(demo, tmp_path / "other", *other)
    assert missing.returncode == 2
    assert "SJ904 cases/" in missing.stderr


def test_judges_doctor_explain_version(demo: Path) -> None:
    assert "execution" in run("list", "judges").stdout
    doctor = run("doctor", "-d", demo / "databases")
    assert doctor.returncode == 0
    assert "sqlite" in doctor.stdout
    assert "read-only" in doctor.stdout
    assert "SJ410" in run("list", "codes", "sj410").stdout
    assert run("list", "codes", "SJ000").returncode == 2
    others = (
        f"Python {platform.python_version()}",
        f"sqlglot {sqlglot.__version__}",
        f"SQLite {sqlite3.sqlite_version}",
    )
    assert run("--version").stdout == f"sqljury {sqljury.__version__} ({', '.join(others)})\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["evaluate", "nothing.json"], 2, "nothing.json"),
        (["evaluate"], 2, "Missing argument"),
        (["evaluate", "{cases}", "-d", "no-such-folder"], 2, "no-such-folder"),
        (["evaluate", "{cases}", "-d", "{databases}", "-j", "nonsense"], 2, "SJ301"),
        (["evaluate", "{cases}", "-d", "{databases}", "--limit-memory", "much"], 2, "SJ002"),
        (["evaluate", "{cases}", "-d", "{databases}", "--format", "nonsense"], 2, "SJ1"),
        (["report", "no-such-run"], 2, "SJ401"),
        (["agree", "no-such-file.json"], 2, "no-such-file.json"),
        (["nonsense"], 2, "nonsense"),
        (["evaluate", "{cases}", "-d", "postgresql://127.0.0.1:1/{db_id}"], 3, "127.0.0.1"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(
    demo: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    places = {"{cases}": str(demo / "cases.json"), "{databases}": str(demo / "databases")}
    done = run(*(places.get(argument, argument) for argument in arguments), cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_import_and_help_are_fast() -> None:
    """Guards what may be imported, since a clock in a test would measure the machine."""
    heavy = {
        "numpy",
        "scipy",
        "sqlglot",
        "rich",
        "jinja2",
        "duckdb",
        "psycopg",
        "pgparse",
        "pyarrow",
    }
    for code in ("import sqljury", "import sqljury.cli"):
        out = subprocess.run(
            [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert heavy.isdisjoint(out.stdout.split()), code


def test_plan_prints_draws_and_says_why_not(tmp_path: Path) -> None:
    (tmp_path / "boats.sql").write_text("CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL);")
    plan = ("plan", "SELECT b.id FROM boat AS b WHERE length BETWEEN 2 AND 3")
    schema = ("--schema", tmp_path / "boats.sql")
    done = run(*plan, *schema, "--svg", tmp_path / "plan.svg")
    assert (done.returncode, done.stdout) == (
        0,
        "project id\n  filter length BETWEEN 2 AND 3\n    scan boat\n",
    )
    assert (tmp_path / "plan.svg").read_text().startswith("<svg ")
    ids = ("plan", "SELECT DISTINCT id FROM boat", *schema, "--canonical")
    found = json.loads(run(*ids, "--json").stdout)
    assert found["tree"]["input"]["table"] == "boat"
    assert (found["assumptions"], found["rules"]) == (["primary key"], ["distinct_rows"])
    assert run(*ids).stdout == (
        "project id\n  scan boat\n\nassuming primary key\n\nrewritten by distinct_rows\n"
    )
    wrong = run("plan", "SELECT depth FROM boat", *schema)
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "error: SJ318 the query cannot be read: no column depth.\n",
    )
    broken = run("plan", "SELECT id FORM boat", *schema)
    assert (broken.returncode, "stopped at line 1, column 19, at 'boat'" in broken.stderr) == (
        2,
        True,
    )
    assert "SJ319" in run(*plan, *schema, "--dialect", "klingon").stderr
    assert "SJ316" in run(*plan).stderr


_INTERRUPTED = """
import os, signal
from sqljury.cli import entry

def main():
    try:
        exec("import os, signal\\nos.kill(os.getpid(), signal.SIGINT)\\n0")
    except KeyboardInterrupt:
        raise SystemExit(130)

entry.main = main
entry.main_of_module()
"""


def test_an_interrupt_while_text_is_compiled_is_an_exit_code_too(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(_INTERRUPTED)
    command = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 130


def test_an_interrupt_while_a_class_is_made_is_no_fault(monkeypatch) -> None:
    from sqljury.cli import entry

    class Interrupted:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def command() -> None:
        type("Made", (), {"field": Interrupted()})

    monkeypatch.setattr(entry, "_run_plain", command)
    assert entry._exit_code() == 130
