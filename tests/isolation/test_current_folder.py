"""What lies in the folder of a benchmark is data: no file of it is run as code."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from traps import LOADED_BY_RUNPY, set_traps, sprung

from sqljury.isolation.start import module_path

SQLJURY = Path(sys.executable).with_name("sqljury")
SQL = ("SELECT a FROM t WHERE a > 1", "SELECT count(*) FROM t", "SELECT max(a) FROM t")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "sprung.log"


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """A downloaded benchmark: cases, and two databases."""
    folder = tmp_path / "benchmark"
    for name in ("north", "south"):
        (folder / "databases" / name).mkdir(parents=True)
        connection = sqlite3.connect(folder / "databases" / name / f"{name}.sqlite")
        connection.executescript(
            "CREATE TABLE t (a INT, b TEXT); INSERT INTO t VALUES (1,'x'), (2,'y')"
        )
        connection.close()
    lines = [
        {"id": f"{db}{i}", "db_id": db, "predicted_sql": sql, "reference_sql": sql}
        for db in ("north", "south")
        for i, sql in enumerate(SQL)
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


COMMANDS = {
    "evaluate": "evaluate cases.jsonl -d databases --workers 2 --run run",
    "suite": "build suite cases.jsonl -d databases --out suites --workers 2",
    "pairs": "build pairs cases.jsonl -d databases -o pairs --most 10 --workers 2",
}


@pytest.mark.parametrize(
    "name", ["evaluate", *(pytest.param(n, marks=pytest.mark.slow) for n in ("suite", "pairs"))]
)
def test_a_command_runs_nothing_of_the_current_folder(
    name: str, benchmark: Path, log: Path
) -> None:
    set_traps(benchmark, log)
    done = subprocess.run(
        [SQLJURY, *COMMANDS[name].split()], cwd=benchmark, capture_output=True, text=True
    )
    assert sprung(log) == []
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_python_m_runs_nothing_that_python_itself_does_not(benchmark: Path, log: Path) -> None:
    set_traps(benchmark, log, without=LOADED_BY_RUNPY)
    command = [sys.executable, "-m", "sqljury.cli", *COMMANDS["evaluate"].split()]
    done = subprocess.run(command, cwd=benchmark, capture_output=True, text=True)
    assert sprung(log) == []
    assert done.returncode == 0, done.stderr


SCRIPT = """
import os, sys
import sqljury as sj
from sqljury.uses.building.pairs.files import build_pairs_files

def use(out):
    with sj.evaluate(["cases.jsonl"], ["execution"], "databases", workers=2) as found:
        assert found.scores() == {{"execution:strict": 1.0}}
    sj.build_suites("cases.jsonl", "databases", out + "/suites", workers=2)
    build_pairs_files(["cases.jsonl"], out + "/pairs", databases="databases", most=10, workers=2)

{before}
use("again")
print(os.getpid())
"""


def _run_script(before: str, benchmark: Path) -> subprocess.CompletedProcess[str]:
    script = benchmark.parent / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(SCRIPT.format(before=before))
    return subprocess.run([sys.executable, script], cwd=benchmark, capture_output=True, text=True)


@pytest.mark.slow
def test_a_script_runs_nothing_of_the_current_folder(benchmark: Path, log: Path) -> None:
    set_traps(benchmark, log)
    done = _run_script("", benchmark)
    assert done.returncode == 0, done.stderr
    assert sprung(log) == []


@pytest.mark.slow
def test_workers_of_a_notebook_do_not_look_where_it_looks(benchmark: Path, log: Path) -> None:
    """A notebook looks for modules in the current folder first, whatever we do; workers do not."""
    set_traps(benchmark, log)
    done = _run_script('use("once"); sys.path[:0] = ["", os.getcwd(), "relative"]', benchmark)
    assert done.returncode == 0, done.stderr
    assert [line for line in sprung(log) if line.split()[1] != done.stdout.strip()] == []


JUDGE = """
from dataclasses import dataclass
from sqljury import Needs, Verdict
import beside_it

@dataclass(frozen=True)
class Mine:
    '''Says yes.'''
    name = "mine"; version = 1; needs = Needs.NOTHING
    def judge(self, case, evidence):
        import heapq
        return Verdict.correct(heapq.__file__)
"""


def test_a_judge_of_ones_own_is_found_and_shadows_nothing(benchmark: Path, log: Path) -> None:
    set_traps(benchmark, log)
    (benchmark / "mine").mkdir()
    (benchmark / "mine" / "judges.py").write_text(JUDGE)
    (benchmark / "beside_it.py").touch()
    command = "evaluate cases.jsonl -j mine.judges:Mine --workers 2 --run run --json"
    done = subprocess.run(
        [SQLJURY, *command.split()], cwd=benchmark, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert sprung(log) == []


def test_module_path_is_without_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), "relative", *sys.path, "/further"])
    assert not {"", str(tmp_path), "relative"} & set(module_path())
    assert "/further" in module_path()
    assert str(Path(os.__file__).parent) in module_path()
