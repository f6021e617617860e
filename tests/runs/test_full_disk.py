"""A run whose disk fills again and again ends with the bytes of one that was left alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_BENCH = Path(__file__).parents[2] / "bench" / "full_disk.py"


@pytest.mark.slow
@pytest.mark.data
def test_the_same_bytes_after_three_full_disks(data_dir: Path, tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "tmpfs", tmp_path]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a disk")
    subprocess.run(["umount", tmp_path], check=True)
    command = [sys.executable, _BENCH, "--data", data_dir, "--cases", "1500", "--moments", "3"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, "the same export: True" in done.stdout) == (0, True), done.stdout
