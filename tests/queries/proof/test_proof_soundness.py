"""What is proved of random queries and small changes of them holds on random databases."""

import pytest
from proof_checks import explore

pytest.importorskip("z3")


@pytest.mark.parametrize("block", range(2))
def test_sqlite(block: int) -> None:
    seen = explore("sqlite", range(block * 60, (block + 1) * 60), databases=4)
    assert seen["z3"] + seen["identity"] > 5, seen


def test_duckdb() -> None:
    explore("duckdb", range(1_000, 1_040), databases=2)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_twenty_thousand_pairs(block: int) -> None:
    explore("sqlite", range(10_000 + block * 1_000, 11_000 + block * 1_000), databases=6)
