"""No wrong proof and no wrong refutation on pairs written by hand, by family.

The truth of each pair is checked on the engine of its dialect (slow); what cannot be decided is no
mistake, but the shares are kept.
"""

from __future__ import annotations

import pytest
from pair_files import Pair, differing, families, read

import sqljury as sj

SEEDS = range(60)
EVERY = 6
"""Which of the pairs the fast tests take: each proof takes a tenth of a second."""
SERVERS = {
    "postgres": "postgresql://postgres@127.0.0.1/postgres",
    "mysql": "mysql://root@127.0.0.1/mysql",
}


@pytest.mark.parametrize("family", families())
def test_no_wrong_verdict_on_some(family: str) -> None:
    assert not [str(pair) for pair in read(family)[::EVERY] if is_wrong(pair)]


@pytest.mark.slow
@pytest.mark.parametrize("family", families())
def test_no_wrong_verdict(family: str) -> None:
    assert not [str(pair) for pair in read(family) if is_wrong(pair)]


def is_wrong(pair: Pair, server: str | None = None) -> bool:
    found = sj.compare_queries(pair.left, pair.right, schema=pair.schema, replay=server)
    if found.verdict == "proved":
        by_chance = pair.truth == "chance" and "no ties" not in found.assumptions
        return pair.truth == "different" or by_chance
    return found.verdict == "refuted" and pair.truth != "different"


@pytest.mark.slow
@pytest.mark.parametrize("family", families())
def test_no_wrong_verdict_of_servers(family: str) -> None:
    pairs = [pair for pair in read(family) if pair.dialect in SERVERS]
    assert not [str(pair) for pair in pairs if is_wrong(pair, SERVERS[pair.dialect])]


@pytest.mark.slow
@pytest.mark.parametrize("family", families())
def test_the_engine_agrees(family: str) -> None:
    pairs = [pair for pair in read(family) if pair.truth != "chance"]
    told_apart = differing(pairs, SEEDS)
    wrong = [str(p) for p in pairs if (p in told_apart) is not (p.truth == "different")]
    assert not wrong
