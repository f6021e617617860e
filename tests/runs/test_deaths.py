"""Workers that die: what the system did is nobody's verdict; what repeats alone is blamed."""

from __future__ import annotations

import io
import pickle
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shop import REFERENCE, make_cases, make_database

import sqljury as sj
from checks.kills import Trial, write_spider_cases
from sqljury.case import Case
from sqljury.execution import Limits, Status
from sqljury.isolation.messages import send_bytes
from sqljury.runs import RunSettings
from sqljury.runs.deaths import Death, Kill, blamed, memory_kills
from sqljury.runs.messages import Beginning, Setup

A, B = b"a" * 16, b"b" * 16
SEGV, KILL, TERM = -signal.SIGSEGV, -signal.SIGKILL, -signal.SIGTERM
JUDGE = f"{Path(__file__).with_name('killing.py')}:Kills"
FORGES = f"{Path(__file__).with_name('killing.py')}:Forges"


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_database(tmp_path_factory.mktemp("databases"))


@pytest.mark.parametrize(
    ("deaths", "status"),
    [
        ([Death(SEGV, A)], Status.ERROR),
        ([Death(SEGV, None)], None),
        ([Death(KILL, A, kill=Kill.OUT_OF_MEMORY)], Status.OUT_OF_MEMORY),
        ([Death(KILL, A, memory_kills=1)], Status.OUT_OF_MEMORY),
        ([Death(KILL, A, memory_kills=0)], None),
        ([Death(KILL, A, memory_kills=0)] * 2, None),
        ([Death(KILL, A)], None),
        ([Death(KILL, A)] * 2, Status.OUT_OF_MEMORY),
        ([Death(KILL, A, kill=Kill.WAITED)], Status.TIMEOUT),
        ([Death(SEGV, A), Death(SEGV, B)], None),
        ([Death(TERM, A)] * 2, None),
        ([Death(0, A)] * 2, None),
    ],
)
def test_what_is_proven(deaths: list[Death], status: Status | None) -> None:
    found = blamed(deaths, Limits())
    assert (None if found is None else found.status) == status


def _cases() -> list[Case]:
    """Case 3 is wrong, by a statement that some worker does not survive; the reference of the
    last holds it as well."""
    right = Case(
        id="last",
        db_id="shop",
        predicted_sql=REFERENCE,
        reference_sqls=(f"{REFERENCE} AND price > 3",),
    )
    return [*make_cases(20), right]


def test_both_statements_of_a_case_crash(databases: Path, tmp_path: Path) -> None:
    sqls = "SELECT name FROM item WHERE price > 3", "SELECT name FROM item WHERE price > 3.5"
    case = Case(id="1", db_id="shop", predicted_sql=sqls[0], reference_sqls=(sqls[1], REFERENCE))
    judge = f"{JUDGE},place={tmp_path},number={signal.SIGSEGV:d},times=1000"
    with sj.evaluate([case], [judge], databases, run=tmp_path / "run", workers=1) as found:
        (record,) = found.records()
    assert record.verdict.outcome == "prediction_error"
    assert "crashed (SIGSEGV)" in record.verdict.reason


def _outcomes(databases: Path, run: Path, judge: str) -> dict[str, str]:
    with sj.evaluate(_cases(), [judge], databases, run=run, workers=2) as found:
        return {record.case.id: record.verdict.outcome.value for record in found.records()}


@pytest.fixture
def undisturbed(databases: Path, tmp_path: Path) -> dict[str, str]:
    return _outcomes(databases, tmp_path / "undisturbed", f"{JUDGE},place={tmp_path},times=0")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_one_death_changes_no_verdict(
    number: int, databases: Path, tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    judge = f"{JUDGE},place={tmp_path},number={number:d}"
    assert _outcomes(databases, tmp_path / "run", judge) == undisturbed
    assert (tmp_path / "deaths").stat().st_size > 1


def test_a_crash_that_repeats_alone_is_the_statement_s(
    databases: Path, tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    judge = f"{JUDGE},place={tmp_path},number={signal.SIGSEGV:d},times=1000,text=price > 3"
    found = _outcomes(databases, tmp_path / "run", judge)
    blame = {name: outcome for name, outcome in found.items() if outcome != undisturbed[name]}
    # As the prediction's text, and as the reference's.
    assert blame == {"3": "reference_error", "10": "prediction_error", "17": "reference_error",
                     "last": "reference_error"}  # fmt: skip


@pytest.mark.slow
def test_kills_by_nobody_knows_whom_are_tried_again_when_the_run_goes_on(
    databases: Path, tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    judge = f"{JUDGE},place={tmp_path},times=7"
    found = _outcomes(databases, tmp_path / "run", judge)
    changed = {outcome for name, outcome in found.items() if outcome != undisturbed[name]}
    assert changed == {"judge_unavailable"}, "this system counts what it kills for memory"
    assert _outcomes(databases, tmp_path / "run", judge) == undisturbed


@pytest.mark.slow
def test_kills_that_the_system_counts_as_memory_are_the_statement_s(
    databases: Path,
    tmp_path: Path,
    undisturbed: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deaths = tmp_path / "deaths"
    monkeypatch.setattr(
        "sqljury.runs.pool.memory_kills", lambda: deaths.stat().st_size if deaths.exists() else 0
    )
    found = _outcomes(databases, tmp_path / "run", f"{JUDGE},place={tmp_path},times=1000")
    blame = {name: outcome for name, outcome in found.items() if outcome != undisturbed[name]}
    assert blame == {"3": "reference_too_large", "10": "prediction_out_of_memory",
                     "17": "reference_too_large", "last": "reference_too_large"}  # fmt: skip


def test_the_system_s_counter_is_read() -> None:
    found = memory_kills()
    assert found is None or found >= 0
    if Path("/proc/vmstat").exists():
        assert found is not None


def test_a_worker_cannot_make_its_parent_run_anything(databases: Path, tmp_path: Path) -> None:
    with sj.evaluate(
        make_cases(20), [f"{FORGES},place={tmp_path}"], databases, run=tmp_path / "run", workers=2
    ) as found:
        outcomes = {record.case.id: record.verdict.outcome.value for record in found.records()}
    assert not (tmp_path / "exploded").exists()
    assert outcomes.pop("7") == "judge_unavailable"
    assert set(outcomes.values()) == {"correct"}


@pytest.fixture
def trial(data_dir: Path, tmp_path: Path) -> Trial:
    cases = write_spider_cases(data_dir, tmp_path / "cases.jsonl", every=8)
    return Trial(cases, data_dir / "spider" / "databases", tmp_path, random.Random(0))


@pytest.mark.slow
@pytest.mark.data
def test_kills_of_workers_at_random_moments_leave_the_same_bytes(trial: Trial) -> None:
    expected = trial.undisturbed("undisturbed")
    while trial.killed < 20:
        run = f"run{trial.commands}"
        trial.kill_workers(run, 20 - trial.killed)
        assert trial.undisturbed(run) == expected


@pytest.mark.slow
@pytest.mark.data
def test_kills_of_the_parent_at_random_moments_leave_the_same_bytes(trial: Trial) -> None:
    expected = trial.undisturbed("undisturbed")
    while trial.killed < 20:
        run = f"run{trial.commands}"
        trial.kill_parents(run, 20 - trial.killed)
        assert trial.undisturbed(run) == expected


def test_a_worker_whose_parent_has_ended_says_nothing(tmp_path: Path) -> None:
    beginning = Beginning(Setup((), RunSettings(), None), str(tmp_path / "gone"), {})
    stream = io.BytesIO()
    send_bytes(stream, pickle.dumps(beginning))
    code = "from sqljury.runs.worker import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code], input=stream.getvalue(), capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
