"""The public queries that SQLite accepts have trees. ``bench/tree_coverage.py`` prints more."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.public_queries import corpora, coverage

# What is asked for: all references of Spider and BIRD, nearly all predictions.
_LEAST = {"Spider dev gold": 1.0, "Spider test gold": 1.0, "BIRD mini-dev gold": 1.0}


@pytest.mark.data
@pytest.mark.slow
def test_public_queries_have_trees(data_dir: Path) -> None:
    for name, corpus in corpora(data_dir).items():
        found = coverage(corpus)
        least = _LEAST.get(name, 0.995)
        assert found.accepted and found.share >= least, (name, found.failures[:5])
        assert not found.reasons["syntax"], (name, found.failures[:5])
