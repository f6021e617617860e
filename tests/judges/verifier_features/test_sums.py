"""Features are sums over sets: the same to the last digit in whatever order a set is read."""

from __future__ import annotations

import os
import subprocess
import sys

CODE = """
from sqljury.judges.verifier_features.candidate import _fit
chances = {f"column {i}": (i * 0.37) % 1 for i in range(40)}
print(_fit(list(chances)[::3], chances))
"""


def test_the_same_under_every_hash_seed() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in "12345"
    }
    assert len(told) == 1
