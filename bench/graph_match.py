"""Pairs per second of the graph network, and how near that is to its matrix products alone.

    python bench/graph_match.py [--data FOLDER] [--model FILE] [--threads 2]

Real pairs (FuncEvalGMN's of Spider's dev questions): from text to canonical trees, to graphs, to
pairs of graphs, to relations and batches, and through the network, in batches and one pair at a
time. The floor is the time of the same matrix products and convolutions of the same shapes on
tensors that are there already. The best of several runs, on the clock and of the processor: other
work on the machine adds to the first, and to the second only a little.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqljury.benchmarks import read_cases
from sqljury.databases import read_schemas
from sqljury.equivalence.canonical import canonical
from sqljury.learning.graph_matching.matcher import (
    Matcher,
    encode,
    load_matcher,
    log_odds_of,
    shipped_model,
)
from sqljury.likeness.graphs import PairGraph, QueryGraph, pair_graph, query_graph
from sqljury.trees import build_tree
from sqljury.trees.context import DECLARED_ASSUMPTIONS, Context
from sqljury.trees.nodes import Relation, Unreadable

if TYPE_CHECKING:
    from sqljury.learning.graph_matching.network import PackedPairs

RUNS = 3
SINGLE = 150
"""Pairs that go through the network one by one."""
PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "linear", "matmul", "conv1d")


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--model", type=Path, help="in place of sqljury's own")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if not (options.data / "pairs").is_dir():
        sys.exit(f"{options.data / 'pairs'} is not there: pass --data FOLDER")
    import torch

    from sqljury.learning.graph_matching.network import packed

    torch.set_num_threads(options.threads)
    matcher = load_matcher(options.model or shipped_model())
    pairs = real_pairs(options.data)
    weights = sum(w.numel() for w in matcher.network.parameters())
    print(f"{len(pairs):,} pairs, {options.threads} threads, {weights:,} weights")
    data = packed(*encode(pairs, matcher.vocabulary))
    line("relations and numbers", len(pairs), best(lambda: encoded_again(pairs, matcher)))
    batched = best(lambda: log_odds_of(matcher.network, data))
    line("network, in batches", len(pairs), batched)
    chosen = pairs[:SINGLE]
    line("all of it, one by one", len(chosen), best(lambda: one_by_one(chosen, matcher), 2))
    line("all of it, in batches", len(pairs), best(lambda: matcher.scores(pairs)))
    floor = floor_of(matcher, data)
    line("matrix products alone", len(pairs), floor)
    times = batched.processor / floor.processor
    print(f"the network takes {times:.1f} times the processor time of its matrix products")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB, torch included")


class Seconds(NamedTuple):
    """On the clock, and of the processor (of all threads together)."""

    clock: float
    processor: float


def line(what: str, count: int, seconds: Seconds) -> None:
    """Pairs per second, and milliseconds of a pair."""
    clock, processor = (1000 * each / count for each in seconds)
    print(
        f"{what:28}{1000 / clock:10,.0f} pairs/s{clock:10.3f} ms"
        f"{processor:10.3f} ms of the processor",
        flush=True,
    )


def best(work: Callable[[], object], runs: int = RUNS) -> Seconds:
    """The shortest times of several runs, after one that warms up."""
    work()
    found = [timed(work) for _ in range(runs)]
    return Seconds(*(min(column) for column in zip(*found, strict=True)))


def timed(work: Callable[[], object]) -> Seconds:
    """One run."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Seconds(time.perf_counter() - clock, time.process_time() - processor)


def real_pairs(data: Path) -> list[PairGraph]:
    """The pairs of the file whose queries can be read; says how long each stage takes."""
    schemas = read_schemas(data / "spider" / "tables.json")
    read: list[tuple[Context, list[Relation]]] = []
    for case in read_cases(data / "pairs" / "Spider_pair_dev.csv.gz"):
        schema = schemas.get(case.db_id)
        assert schema is not None
        trees = [
            tree
            for sql in (*case.reference_sqls, str(case.predicted_sql))
            if not isinstance(tree := build_tree(sql, schema, "sqlite"), Unreadable)
        ]
        if len(trees) == 2:
            read.append((Context(schema, "sqlite", DECLARED_ASSUMPTIONS), trees))
    rewritten: list[tuple[Context, list[Relation]]] = []
    seconds = timed(
        lambda: rewritten.extend(
            (context, [canonical(tree, context).relation for tree in trees])
            for context, trees in read
        )
    )
    line("trees to canonical trees", len(read), seconds)
    graphs: list[list[QueryGraph]] = []
    seconds = timed(
        lambda: graphs.extend(
            [query_graph(tree, context) for tree in trees] for context, trees in rewritten
        )
    )
    line("trees to graphs", len(read), seconds)
    pairs: list[PairGraph] = []
    line("graphs to pairs", len(read), timed(lambda: pairs.extend(pair_graph(*g) for g in graphs)))
    return pairs


def encoded_again(pairs: Sequence[PairGraph], matcher: Matcher) -> None:
    """What goes before the network."""
    from sqljury.learning.graph_matching.network import packed

    packed(*encode(pairs, matcher.vocabulary))


def one_by_one(pairs: Sequence[PairGraph], matcher: Matcher) -> None:
    """As a judge asks."""
    for pair in pairs:
        matcher.scores([pair])


def floor_of(matcher: Matcher, data: PackedPairs) -> Seconds:
    """Seconds of the network's matrix products and convolutions, and of nothing else."""
    import torch

    calls = products(matcher, data)
    ready: list[tuple[Any, tuple[Any, ...], int]] = []
    for (function, shapes), count in calls.items():
        made = tuple(
            torch.randn(shape) if isinstance(shape, torch.Size) else shape for shape in shapes
        )
        ready.append((function, made, count))

    def work() -> None:
        with torch.inference_mode():
            for function, made, count in ready:
                for _ in range(count):
                    function(*made)

    return best(work)


def products(matcher: Matcher, data: PackedPairs) -> Counter[tuple[Any, tuple[Any, ...]]]:
    """How often each matrix product of each shape is computed."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: Counter[tuple[Any, tuple[Any, ...]]] = Counter()

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func.overloadpacket.__name__ in PRODUCTS:
                found[func, tuple(map(_shape, args))] += 1
            return func(*args, **(kwargs or {}))

    def _shape(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.shape
        return tuple(value) if isinstance(value, list) else value

    with Recorder():
        log_odds_of(matcher.network, data)
    return found


if __name__ == "__main__":
    main()
