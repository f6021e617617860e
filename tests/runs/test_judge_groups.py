"""What the processes of judges that run in the same way are started with."""

from __future__ import annotations

import pytest

from sqljury.judges import make_judge
from sqljury.runs.judge_groups import groups_of
from sqljury.uses.inputs import run_settings


@pytest.mark.parametrize(("workers", "threads"), [(1, None), (2, "1")])
def test_several_processes_have_a_thread_each(workers: int, threads: str | None) -> None:
    group, *_ = groups_of([make_judge("relpm")])
    settings = run_settings(None, workers=workers)
    assert group._environment({}, settings).get("OMP_NUM_THREADS") == threads
    assert group._environment({"OMP_NUM_THREADS": "3"}, settings)["OMP_NUM_THREADS"] == "3"
