"""What functions that judge are told beside cases and judges: one value for all of them."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.execution import Limits
from sqljury.runs import RunSettings
from sqljury.uses.inputs import run_settings


def test_all_that_is_said_is_in_the_settings(tmp_path: Path) -> None:
    limits = Limits(seconds=3)
    found = run_settings(
        [tmp_path / "a", "b"], schemas=tmp_path / "tables.json", limits=limits, workers=3
    )
    assert found.sources.databases == f"{tmp_path}/a,b"
    assert found.sources.schemas == f"{tmp_path}/tables.json"
    assert (found.limits, found.workers) == (limits, 3)


def test_none_is_as_if_it_was_not_said() -> None:
    assert run_settings(None, limits=None, workers=None, llm=None) == run_settings(None)


def test_settings_reach_a_worker_whole() -> None:
    settings = run_settings("databases", suites="suites", workers=2)
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert isinstance(settings, RunSettings)


def test_a_keyword_that_there_is_not() -> None:
    case = sj.Case(id="1", predicted_sql="SELECT 1", reference_sqls=("SELECT 1",))
    with pytest.raises(TypeError, match="worker"):
        sj.evaluate([case], ["exact_match"], worker=2)  # type: ignore[call-arg]
