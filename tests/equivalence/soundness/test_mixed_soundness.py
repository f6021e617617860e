"""No wrong verdict on random pairs over mixed types, with COLLATE, CAST and subqueries as values."""

import pytest
from soak import explore

pytest.importorskip("z3")


def test_no_wrong_verdict() -> None:
    found = explore(range(24), databases=20)
    assert not found.wrong, found.wrong[0]
    assert found.seen["proved"] and found.seen["refuted"], found.seen


@pytest.mark.soak
@pytest.mark.parametrize("block", range(40))
def test_twenty_thousand_pairs(block: int) -> None:
    first = 100_000 + block * 510  # of some queries there is nothing to change
    found = explore(range(first, first + 510), databases=200)
    print(found.seen)
    assert not found.wrong, "\n\n".join(found.wrong)
