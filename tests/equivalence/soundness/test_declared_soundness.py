"""No wrong verdict on random pairs over schemas with collations, CHECKs and keys of all kinds."""

import pytest
from declared_checks import explore

pytest.importorskip("z3")


def test_no_wrong_verdict() -> None:
    seen = explore(range(12), databases=1)
    assert seen["proved"] and seen["refuted"], seen


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_twenty_thousand_pairs(block: int) -> None:
    first = 10_000 + block * 1_050  # of some queries there is nothing to change
    print(explore(range(first, first + 1_050), databases=6))
