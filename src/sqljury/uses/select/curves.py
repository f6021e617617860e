"""Accuracy as a function of the number of candidates: the mean over all, or many, subsets.

For a question with N candidates, the mean over all subsets of n candidates is an unbiased estimate
of the accuracy with n samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqljury.uses.select.pool import Ballot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

_MOST_SIZES = 1024
_CELLS_AT_ONCE = 2_000_000
"""Limits the memory of one array of resampled votes."""
_TIE = 1e-9
"""Sums of scores whose relative difference is smaller than this are equal up to rounding."""


def sizes_up_to(most: int) -> list[int]:
    """Every n from 1 to ``most``; above 1,024, about so many, evenly on a logarithmic scale."""
    if most <= _MOST_SIZES:
        return list(range(1, most + 1))
    import numpy as np

    return sorted({*np.geomspace(1, most, _MOST_SIZES).round().astype(int).tolist(), most})


def is_most(total: Any, most: Any) -> Any:
    """True if a sum of votes equals the largest one, up to rounding."""
    return total >= most * (1 - _TIE)


def constant(value: float, sizes: Sequence[int]) -> Floats:
    """The same value for all sizes."""
    import numpy as np

    return np.full(len(sizes), value, dtype=np.float64)


def of_ranking(
    counts: Sequence[int], ranks: Sequence[float], right: Sequence[bool], sizes: Sequence[int]
) -> Floats:
    """The exact expected accuracy of picking among the highest ranked candidates of a subset.

    The best candidate of a subset is of the t-th rank if none of the a_t better ones is in it
    but one of its own m_t is: P_t(n) = [C(N - a_t, n) - C(N - a_t - m_t, n)] / C(N, n). Among
    candidates of one rank the pick is uniform. With two ranks, right and wrong, this is pass@n.

    Source: Chen et al. 2021 (arXiv:2107.03374), equation 1, for pass@n.
    """
    import numpy as np

    total = sum(counts)
    accuracy = np.zeros(total)
    better, missed = 0, np.ones(total)
    for rank in sorted(set(ranks), reverse=True):
        own = [place for place, one in enumerate(ranks) if one == rank]
        size = sum(counts[place] for place in own)
        hits = sum(counts[place] for place in own if right[place])
        still_missed = _missed(total, better + size)
        accuracy += hits / size * (missed - still_missed)
        better, missed = better + size, still_missed
    clipped: Floats = accuracy[_clipped(sizes, total) - 1]
    return clipped


def _missed(total: int, wanted: int) -> Floats:
    """C(N - m, n) / C(N, n) for n = 1 … N: the probability that none of m candidates is drawn."""
    import numpy as np

    taken = np.arange(total)
    still_there = np.maximum(total - wanted - taken, 0) / (total - taken)
    return np.cumprod(still_there, dtype=np.float64)


def _clipped(sizes: Sequence[int], total: int) -> Ints:
    """The sizes, at most ``total``: a question with fewer candidates uses all of them."""
    import numpy as np

    return np.minimum(np.asarray(sizes, dtype=np.int64), total)


def of_vote(
    ballot: Ballot,
    votes: Sequence[float],
    right: Sequence[bool],
    sizes: Sequence[int],
    *,
    seed: int,
    resamples: int,
) -> Floats:
    """The accuracy of a vote among the first n candidates, averaged over random orders.

    For n = 1 and n = N the values are exact.
    """
    import numpy as np

    total = ballot.n
    wanted, back = np.unique(_clipped(sizes, total), return_inverse=True)
    # Candidates that do not run are the last group, which never wins against votes.
    numbers = sorted({group for group in ballot.groups if group is not None})
    place = {group: i for i, group in enumerate(numbers)}
    groups = np.array([len(numbers) if g is None else place[g] for g in ballot.groups])
    drawn = _Drawn(
        np.repeat(groups, ballot.counts),
        np.repeat(np.asarray(votes, dtype=float), ballot.counts),
        np.repeat(np.asarray(right, dtype=float), ballot.counts),
        len(numbers) + 1,
        wanted,
    )
    generator = np.random.default_rng(seed)
    at_once = max(1, _CELLS_AT_ONCE // max(total, len(wanted) * drawn.groups))
    accuracy = np.zeros(len(wanted))
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        orders = generator.permuted(np.tile(np.arange(total), (size, 1)), axis=1)
        accuracy += drawn.accuracy(orders[:, : wanted[-1]]).sum(axis=0)
    accuracy /= resamples
    accuracy[wanted == 1] = np.dot(right, ballot.counts) / total
    return accuracy[back]


class _Drawn:
    """Candidates as arrays, equal ones repeated: group, vote, and whether each is right."""

    def __init__(
        self,
        group_of: Ints,
        votes: Floats,
        right: Floats,
        groups: int,
        sizes: Ints,
    ) -> None:
        import numpy as np

        self._group_of, self._votes, self._right = group_of, votes, right
        self.groups, self._sizes = groups, sizes
        # For each place in an order, the first size that includes it.
        self._step = np.searchsorted(sizes, np.arange(sizes[-1]), side="right")

    def accuracy(self, orders: Ints) -> Floats:
        """For each order and size, the share of right candidates among those of the winners."""
        import numpy as np

        votes = self._summed(orders, self._votes)
        counts = self._summed(orders, np.ones_like(self._votes))
        hits = self._summed(orders, self._right)
        votes[..., -1] = 0.0
        most = votes.max(axis=-1, keepdims=True)
        # Without votes every candidate may be picked.
        chosen = is_most(votes, most) & ((votes > 0) | (most == 0))
        picked: Floats = (hits * chosen).sum(axis=-1) / (counts * chosen).sum(axis=-1)
        return picked

    def _summed(self, orders: Ints, values: Floats) -> Floats:
        """Array (orders, sizes, groups): the sums by group over the first n of each order."""
        import numpy as np

        shape = len(orders), len(self._sizes), self.groups
        rows = np.arange(len(orders))[:, None]
        cells = (rows * shape[1] + self._step) * shape[2] + self._group_of[orders]
        flat = np.bincount(cells.ravel(), values[orders].ravel(), int(np.prod(shape)))
        summed: Floats = flat.reshape(shape).cumsum(axis=1)
        return summed
