"""`assert_sql`, on its own and inside pytest."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.demo import ROSE, write_demo
from sqljury.guests.assertion import Assertions, WrongSQLError, assert_sql

PLUGIN = "sqljury.guests.pytest_plugin"


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of three boats."""
    path = tmp_path_factory.mktemp("boats") / "boats.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL);"
            "INSERT INTO boat VALUES (1, 'Ada', 9.5), (2, 'Bea', 12), (3, 'Cleo', 7);"
        )
    return path


def test_right_is_returned(boats: Path) -> None:
    found = assert_sql(
        question="How many boats are there?",
        predicted="SELECT COUNT(id) FROM boat",
        reference="SELECT COUNT(*) FROM boat",
        database=boats,
    )
    assert found.outcome is sj.Outcome.CORRECT


def test_wrong_is_shown(boats: Path) -> None:
    with pytest.raises(WrongSQLError) as caught:
        assert_sql(
            question="Which boats are longer than 8 m?",
            predicted="SELECT name\nFROM boat WHERE length > 6",
            reference="SELECT name FROM boat WHERE length > 8",
            database=boats,
        )
    *lines, difference = str(caught.value).splitlines()
    assert lines == [
        "incorrect by execution:strict: The reference has 2 rows, the prediction 3. 1 row is only "
        "in the prediction (row 3: ('Cleo')); the reference has no row of its own.",
        "question:  Which boats are longer than 8 m?",
        "predicted: SELECT name FROM boat WHERE length > 6",
        "reference: SELECT name FROM boat WHERE length > 8",
        "only in the prediction: ('Cleo',)",
    ]
    assert difference.startswith("difference: filter ")
    assert "boat.length > 6" in difference
    assert caught.value.verdict.outcome is sj.Outcome.INCORRECT


@pytest.mark.parametrize(
    ("predicted", "outcome"),
    [
        ("SELECT nme FROM boat", "prediction_error"),
        ("DELETE FROM boat", "prediction_refused"),
        ("", "prediction_error"),
        (None, "abstained"),
    ],
)
def test_what_does_not_answer(boats: Path, predicted: str | None, outcome: str) -> None:
    with pytest.raises(WrongSQLError, match=f"^{outcome} by execution:strict"):
        assert_sql(predicted=predicted, reference="SELECT name FROM boat", database=boats)
    with closing(sqlite3.connect(boats)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM boat").fetchone() == (3,)


def test_a_model_s_text_will_do(boats: Path) -> None:
    text = "Sure:\n```sql\nSELECT COUNT(*) FROM boat\n```\nDone."
    assert_sql(predicted=text, reference="SELECT COUNT(*) FROM boat", database=boats)


def test_a_folder_needs_db_id(boats: Path) -> None:
    with pytest.raises(sj.InputError, match=r"SJ850 .* is a folder, so db_id"):
        assert_sql(predicted="SELECT 1", reference="SELECT 1", database=boats.parent)
    assert_sql(predicted="SELECT 1", reference="SELECT 1", database=boats.parent, db_id="boats")


def test_any_reference_will_do(boats: Path) -> None:
    assert_sql(
        predicted="SELECT name FROM boat WHERE id = 2",
        reference=["SELECT id FROM boat WHERE id = 2", "SELECT name FROM boat WHERE id = 2"],
        database=boats,
    )


def test_a_judge_without_a_reference(boats: Path) -> None:
    found = assert_sql(predicted="SELECT name FROM boat", database=boats, judge="executable")
    assert found.outcome is sj.Outcome.CORRECT
    with pytest.raises(sj.InputError, match=r"SJ850 .* Without a reference name a judge"):
        assert_sql(predicted="SELECT name FROM boat", database=boats)


def test_what_cannot_be_judged_does_not_pass(boats: Path) -> None:
    with pytest.raises(WrongSQLError, match=r"^reference_error"):
        assert_sql(predicted="SELECT 1", reference="SELECT nme FROM boat", database=boats)
    with pytest.raises(WrongSQLError, match=r"^database_missing"):
        assert_sql(predicted="SELECT 1", reference="SELECT 1", database=boats, db_id="ships")


def test_workers_stay_ready(boats: Path) -> None:
    assertions = Assertions()
    for length in range(20):
        assertions.assert_sql(
            predicted=f"SELECT name FROM boat WHERE length >= {length}",
            reference=f"SELECT name FROM boat WHERE NOT length < {length}",
            database=boats,
        )
    assert len(assertions._ready) == 1
    assertions.close()
    assert not assertions._ready


TESTS = """
import pytest

QUERIES = ["SELECT name FROM boat", "SELECT length FROM boat", "DROP TABLE boat"]

@pytest.mark.parametrize("place", range(3))
def test_names(sqljury, place):
    sqljury.assert_sql(question="The names?", predicted=QUERIES[place],
                       reference="SELECT name FROM boat", database=DATABASE)

def test_other():
    assert 1 == 2
"""


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Pytest in a folder of its own; other packages' plugins take a second to load."""
    plugins = ["-p", PLUGIN, "-p", "xdist", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *options]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment, check=False
    )


@pytest.fixture
def project(tmp_path: Path, boats: Path) -> Path:
    """A folder with four tests: one right, two wrong, one that has nothing to do with SQL."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_boats.py").write_text(TESTS.replace("DATABASE", repr(str(boats))))
    return tmp_path


@pytest.mark.parametrize("parallel", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_baseline(project: Path, parallel: tuple[str, ...]) -> None:
    assert PLUGIN in {each.value for each in entry_points(group="pytest11")}
    first = run_pytest(project, "--sqljury-write-baseline", "known.jsonl", *parallel)
    assert first.returncode == 1
    assert "3 failed, 1 passed" in first.stdout
    assert "WrongSQLError: prediction_refused by execution:strict" in first.stdout
    assert "only in the reference: ('Ada',)" in first.stdout
    assert "assertion.py" not in first.stdout, "the message ends at the user's own line"
    lines = map(json.loads, (project / "known.jsonl").read_text().splitlines()[1:])
    assert {line["id"]: line["outcomes"] for line in lines} == {
        "test_boats.py::test_names[1]": {"execution:strict": "incorrect"},
        "test_boats.py::test_names[2]": {"execution:strict": "prediction_refused"},
    }
    if not parallel:
        second = run_pytest(project, "--sqljury-baseline", "known.jsonl")
        assert "1 failed, 1 passed, 2 xfailed" in second.stdout, second.stdout
    mended = (project / "test_boats.py").read_text().replace("SELECT length", "SELECT name")
    (project / "test_boats.py").write_text(mended.replace("1 == 2", "1 == 1"))
    third = run_pytest(project, "--sqljury-baseline", "known.jsonl", *parallel)
    assert third.returncode == 0
    assert "1 of the baseline's tests now pass, such as test_boats.py::test_names[1]" in (
        third.stdout
    )


def test_a_baseline_that_cannot_be_read(project: Path) -> None:
    (project / "known.jsonl").write_text("[1")
    found = run_pytest(project, "--sqljury-baseline", "known.jsonl")
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert "SJ515 known.jsonl:1: no baseline" in found.stderr
    assert "Traceback" not in found.stderr


def test_models_are_replayed(tmp_path: Path) -> None:
    """A question that was not recorded asks no model and fails; the next one is not disturbed."""
    demo = write_demo(tmp_path / "demo")
    cases = [case for case in sj.read_cases(demo.cases) if case.db_id == "seed_library"][:2]
    asked = cases[0]
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\nsqljury_ledger = demo/ledger.jsonl\nsqljury_judge = {ROSE}\n"
    )
    (tmp_path / "test_models.py").write_text(
        f"""
from sqljury.demo import LIMITS

CASE = dict(question={asked.question!r}, reference={asked.reference_sqls[0]!r},
            database={str(demo.databases)!r}, db_id="seed_library",
            descriptions={str(demo.descriptions)!r}, limits=LIMITS)

def test_not_recorded(sqljury):
    sqljury.assert_sql(predicted="SELECT 1 AS new", **CASE)

def test_recorded(sqljury):
    sqljury.assert_sql(predicted={asked.predicted_sql!r}, **CASE)
"""
    )
    found = run_pytest(tmp_path)
    assert "1 failed, 1 passed" in found.stdout, found.stdout
    assert "Record the model's answer once: pytest --sqljury-record" in found.stdout
    demo.ledger.unlink()
    found = run_pytest(tmp_path)
    assert "SJ905 there is no ledger" in found.stdout
    assert "Record the model's answer once: pytest --sqljury-record" in found.stdout
