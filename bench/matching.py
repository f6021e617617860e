"""Milliseconds of partial matching (RelPM) by size of the trees: python bench/matching.py

Both trees are random, of the same size, with 20 different values and up to four children a node.
The baseline is two trees of 30 nodes, about as large as a query of Spider.
"""

from __future__ import annotations

import random
import statistics
import time

from sqljury.likeness.matching.partial import Weights, partial_match
from sqljury.likeness.matching.trees import Node

SIZES = (30, 100, 300)
PAIRS = 20


def main() -> None:
    """Measure, print."""
    baseline = 0.0
    print(f"{'nodes':>6}{'median ms':>11}{'worst ms':>10}{'x baseline':>12}")
    for size in SIZES:
        times = [milliseconds(size, seed) for seed in range(PAIRS)]
        median = statistics.median(times)
        baseline = baseline or median
        print(f"{size:6}{median:11.2f}{max(times):10.2f}{median / baseline:12.1f}")


def milliseconds(size: int, seed: int) -> float:
    """The time of one pair."""
    rng = random.Random(seed)
    prediction, reference = tree(size, rng), tree(size, rng)
    start = time.process_time()
    partial_match(prediction, reference, Weights())
    return (time.process_time() - start) * 1000


def tree(size: int, rng: random.Random) -> Node:
    """A random tree with that many nodes."""
    value = f"v{rng.randrange(20)}"
    if size == 1:
        return Node(value)
    parts = min(size - 1, rng.randint(1, 4))
    cuts = sorted(rng.sample(range(1, size - 1), parts - 1)) if parts > 1 else []
    sizes = [end - start for start, end in zip([0, *cuts], [*cuts, size - 1], strict=True)]
    return Node(value, tuple(tree(part, rng) for part in sizes), rng.random() < 0.2)


if __name__ == "__main__":
    main()
