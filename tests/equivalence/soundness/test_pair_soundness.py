"""Pairs that are known to be equal are never refuted, and pairs that are known to differ never proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from pair_checks import never_proved, never_refuted, random_references, references


@pytest.mark.slow
@pytest.mark.data
def test_rewritten_references_are_not_refuted(data_dir: Path) -> None:
    seen = never_refuted(references(data_dir)[:24])
    assert seen["canonical"] > 30, seen
    assert seen["rewritten"] > 40, seen


@pytest.mark.slow
def test_rewritten_random_queries_are_not_refuted() -> None:
    seen = never_refuted(random_references(range(16)))
    assert seen["canonical"] > 10, seen


@pytest.mark.slow
@pytest.mark.data
def test_changed_references_are_not_proved(data_dir: Path) -> None:
    pytest.importorskip("z3")
    seen = never_proved(references(data_dir)[:14], data_dir / "spider" / "databases")
    assert seen["different"] > 40, seen


_BLOCKS = 20


@pytest.mark.soak
@pytest.mark.data
@pytest.mark.parametrize("block", range(_BLOCKS))
def test_many_rewritten_references(block: int, data_dir: Path) -> None:
    never_refuted(references(data_dir)[block::_BLOCKS], seed=block + 1)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(_BLOCKS))
def test_many_rewritten_random_queries(block: int) -> None:
    never_refuted(random_references(range(1_000 + block * 250, 1_250 + block * 250)), seed=block)


@pytest.mark.soak
@pytest.mark.data
@pytest.mark.parametrize("block", range(_BLOCKS))
def test_many_changed_references(block: int, data_dir: Path) -> None:
    pytest.importorskip("z3")
    databases = data_dir / "spider" / "databases"
    never_proved(references(data_dir)[block :: 2 * _BLOCKS], databases)
