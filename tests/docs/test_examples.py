"""The examples that need the public data, run as their first lines say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from needs import needs

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
def test_gated_agent(data_dir: Path, tmp_path: Path) -> None:
    """The gate fails when SuperSQL's answers become C3's, and says by how much."""
    script = EXAMPLES / "gated_agent" / "gate.sh"
    programs = Path(sys.executable).parent
    found = subprocess.run(
        ["sh", str(script), str(data_dir), str(tmp_path)],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 1, found.stdout + found.stderr
    assert "75 newly wrong and 32 newly right are a significant fall" in found.stdout
    assert (tmp_path / "baseline.jsonl").stat().st_size


@pytest.mark.slow
@needs("trl")
def test_trained_with_reward(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reward rises while the model is trained."""
    monkeypatch.syspath_prepend(EXAMPLES / "trained_with_reward")
    from train import main

    rewards = main(data_dir)
    assert sum(rewards[:6]) / 6 < 0.6
    assert sum(rewards[-6:]) / 6 > 0.9
