"""Full disks, closed pipes, foreign encodings: a sentence, the right exit code, nothing lost."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import run

SQLJURY = f"{shlex.quote(sys.executable)} -m sqljury.cli"
EVALUATE = f"{SQLJURY} evaluate cases.json -d databases --run run"
LONG = "x" * 300


def shell(here: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        cwd=here,
        env=os.environ | environment,
    )


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of five cases, none of which is right."""
    here = tmp_path_factory.mktemp("shop")
    (here / "databases/shop").mkdir(parents=True)
    database = sqlite3.connect(here / "databases/shop/shop.sqlite")
    database.executescript("CREATE TABLE item (name TEXT, price REAL);")
    database.execute("INSERT INTO item VALUES ('pén', 1.5)")
    database.commit()
    database.close()
    case = {"db_id": "shop", "question": "Whích?", "reference_sqls": ["SELECT name FROM item"]}
    cases = [{**case, "predicted_sql": "SELECT price FROM item", "id": str(n)} for n in range(5)]
    (here / "cases.json").write_text(json.dumps([{**one, "label": False} for one in cases]))
    assert shell(here, EVALUATE).returncode == 0
    return here


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"{SQLJURY} report run > /dev/full", 3, "SJ802"),
        (f"{SQLJURY} report run --json > /dev/full", 3, "SJ802"),
        (f"{EVALUATE} --fail-under 0.9 > /dev/full", 3, "below 0.9"),
        (f"{EVALUATE} --fail-under 0.9 | true", 1, "below 0.9"),
        (f"{SQLJURY} report run --json | head -1", 0, ""),
        (f"{SQLJURY} list judges | head -1", 0, ""),
        (f"{SQLJURY} report run >&-", 0, ""),
        (f"{SQLJURY} report run >&- 2>&- <&-", 0, ""),
        ("ulimit -f 0; " + EVALUATE.replace("--run run", "--run new"), 3, ""),
        ("ulimit -f 8; " + EVALUATE.replace("--run run", "--run more"), 3, "SJ802"),
        (f"ulimit -f 1; {SQLJURY} report run --html r.html", 3, "SJ802 cannot write r.html"),
    ],
)
def test_a_sentence_and_a_code_for_the_shell(judged: Path, line: str, code: int, said: str) -> None:
    # Under a limit, Python would cut off the compiled files that other tests use.
    check(shell(judged, line, PYTHONDONTWRITEBYTECODE="1"), code, said)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("report run --html /dev/full", 3, "SJ802 cannot write /dev/full"),
        ("report run --csv cases.json/x", 2, "SJ801"),
        (f"report run --html {LONG}", 2, "SJ801"),
        ("report cases.json", 2, "SJ401"),
        ("evaluate cases.json -d databases --run cases.json", 2, "SJ801"),
        (f"evaluate cases.json -d databases --run {LONG}", 2, "SJ801"),
        (f"evaluate {LONG} -d databases", 2, "SJ101"),
        (f"evaluate cases.json -d {LONG}", 2, "too long"),
        (f"agree {LONG}", 2, ""),
        (f"trust {LONG}", 2, ""),
        (f"select cases.json -d databases --run s --out {LONG}", 2, "SJ801"),
    ],
)
def test_a_sentence_and_a_code(judged: Path, line: str, code: int, said: str) -> None:
    check(run(*line.split(), cwd=judged), code, said)


def check(done: subprocess.CompletedProcess[str], code: int, said: str) -> None:
    """It ended as expected, and said so like a command, not like a program that broke."""
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    for word in ("Traceback", "Exception ignored"):
        assert word not in done.stdout + done.stderr
    assert len(done.stderr) < 1000


def test_the_longest_name_that_the_system_takes(judged: Path) -> None:
    name = f"{'y' * 250}.html"
    assert shell(judged, f"{SQLJURY} report run --html {name}").returncode == 0
    assert (judged / name).is_file()


@pytest.mark.parametrize("command", ["report run", "report run --case 1", "agree run", "--help"])
def test_an_ascii_locale(judged: Path, command: str) -> None:
    ascii_ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = shell(judged, f"{SQLJURY} {command}", **ascii_, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()


def test_what_nobody_foresaw_is_no_traceback_and_no_gate(judged: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sqljury.benchmarks as b\nb.read_cases = lambda *a, **k: 1 / 0\n"
    )
    path = {"PYTHONPATH": str(tmp_path)}
    done = shell(judged, EVALUATE, **path)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert done.stderr.startswith("error: SJ007 ZeroDivisionError: division by zero")
    assert "Traceback" in shell(judged, EVALUATE, **path, SQLJURY_DEBUG="1").stderr


def test_a_compiled_file_that_is_cut_off(judged: Path, tmp_path: Path) -> None:
    there = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    assert shell(judged, f"{SQLJURY} report run", **there).returncode == 0
    (file,) = tmp_path.rglob("sqljury/uses/evaluate/summary.*.pyc")
    file.write_bytes(file.read_bytes()[:200])
    check(shell(judged, f"{SQLJURY} report run", **there), 3, f"SJ011 {file} is cut off")


# ---------------------------------------------------------------- real disks that are full or closed


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that can be made a small disk; for root alone."""
    place = tmp_path / "disk"
    place.mkdir()
    if not mounted(place, "size=8m"):
        pytest.skip("only root can mount a disk")
    yield place
    subprocess.run(["umount", place], check=True)


def mounted(place: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_a_run_is_read_where_nothing_can_be_written(judged: Path, disk: Path) -> None:
    subprocess.run(["cp", "-r", judged / "run", disk], check=True)
    assert mounted(disk, "remount,ro")
    for command in (f"report {disk}/run", f"report {disk}/run --case 1", f"agree {disk}/run"):
        done = shell(judged, f"{SQLJURY} {command}")
        assert (done.returncode, done.stderr) == (0, "")
    done = shell(judged, EVALUATE.replace("--run run", f"--run {disk}/run"))
    assert (done.returncode, "SJ801" in done.stderr) == (2, True), done.stderr
    done = shell(judged, f"{SQLJURY} report run --html {disk}/r.html")
    assert (done.returncode, "Read-only file system" in done.stderr) == (2, True)


@pytest.mark.slow
def test_a_disk_that_is_too_small_by_any_amount(judged: Path, disk: Path) -> None:
    files = "--html r.html --csv r.csv --export r.jsonl"
    line = EVALUATE.replace("cases.json -d databases", "{0}/cases.json -d {0}/databases")
    for kilobytes in (0, 8, 20, 44, 80, 120):
        subprocess.run(["mount", "-o", f"remount,size={max(4, kilobytes)}k", disk], check=True)
        done = shell(disk, f"{line.format(judged)} {files}")
        assert (done.returncode, "SJ802" in done.stderr) == (3, True), (kilobytes, done.stderr)
        assert "Traceback" not in done.stderr
    subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
    assert shell(disk, f"{line.format(judged)} {files}").returncode == 0
    assert len((disk / "r.jsonl").read_text().splitlines()) == 5
