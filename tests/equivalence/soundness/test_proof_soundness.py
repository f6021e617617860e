"""What is proved of random queries and small changes of them holds on random databases."""

import pytest
from proof_checks import explore

pytest.importorskip("z3")


@pytest.mark.parametrize(
    "faithful",
    [pytest.param(False, marks=pytest.mark.slow), True],
    ids=["canonical", "faithful"],
)
def test_sqlite(faithful: bool) -> None:
    seen = explore("sqlite", range(50), databases=3, faithful=faithful)
    assert seen["z3"] + seen["identity"] > 5, seen


def test_duckdb() -> None:
    explore("duckdb", range(1_000, 1_020), databases=2, faithful=True)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_twenty_thousand_pairs(block: int) -> None:
    seeds = range(10_000 + block * 1_000, 11_000 + block * 1_000)
    explore("sqlite", seeds, databases=6, faithful=block % 4 != 0)
