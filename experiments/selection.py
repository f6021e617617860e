"""Picking one of many candidates, on recorded pools: the tables of docs/select.md.

    python experiments/selection.py --data $DATA [--runs FOLDER] [--part NAME ...]

`spider`: 17 systems on Spider dev and 6 on Spider test as pools; what is right by rows, columns in
any order. `matching`: majority voting under other rules of when tables are equal, and of ties.
`sampled`: 256 samples for 30 BIRD questions, curves from recorded verdicts and result hashes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import sqljury as sj
from sqljury.uses.select import Ballot, Selection
from sqljury.uses.select.strategies.base import uniform
from sqljury.uses.select.strategies.builtin import Majority

JUDGE = "execution:strict,column_order=any,tolerance=1e-6"
SETS = {"dev": "spider-dev-17-systems", "test": "spider-test-6-systems"}
STRATEGIES = (
    "first",
    "random",
    "execution",
    "majority",
    "judge:relpm",
    "verifier",
    "verifier-majority",
)
MATCHES = (
    "strict,column_order=any,tolerance=1e-6",
    "strict,column_order=any,row_order=free,tolerance=1e-6",
    "strict",
    "bird",
    "spider",
    "intent",
)
SAMPLED_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SAMPLED = (
    "golden_schema_linking_columns",
    "golden_schema_linking_tables",
    "change_mschema_null_desc",
    "add_instructions",
)


class EarliestMajority(Majority):
    """Of groups with equally many votes the one whose first candidate stands first."""

    def shares(self, ballot: Ballot) -> list[float]:
        """Uniform over the candidates of that group."""
        tied = super().shares(ballot)
        first = next(place for place, share in enumerate(tied) if share)
        group = ballot.groups[first]
        if group is None:
            return tied
        return uniform([one == group for one in ballot.groups], ballot.counts)


def main() -> None:
    """Select, print."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        for part in options.part:
            PARTS[part](options.data, Path(options.runs or scratch), options.strategy)


def _spider(data: Path, runs: Path, names: Sequence[str]) -> None:
    for name in SETS:
        # Pools of Spider test have no question text: what the verifier says there is blind to it.
        best = {"dev": "supersql", "test": "rsl-sql-step4"}[name]
        found = _selected(data, runs, name, [*names, f"system:{best}", "oracle"])
        print(f"\n{name}: {found.signature}\n")
        print(f"| {name} ({found.n} questions) | accuracy | 95 % | drawn | regret |")
        print("|---|---|---|---|---|")
        for one in found.strategies:
            ends = f"{_percent(one.low)}–{_percent(one.high)}"
            cells = map(_percent, (one.drawn, one.regret))
            print(f"| {one.name} | {_percent(one.accuracy)} | {ends} | {' | '.join(cells)} |")
        print(f"\n| {name} | difference | only first | only second | p | χ² p | Bonferroni |")
        print("|---|---|---|---|---|---|---|")
        for test in found.tests:
            ends = f"{_percent(test.low)} to {_percent(test.high)}"
            only = f"{test.only_strategy} | {test.only_baseline}"
            ps = " | ".join(f"{p:.2g}" for p in (test.p, test.p_chi2, test.p_bonferroni))
            pair = f"{test.strategy} – {test.baseline}"
            print(f"| {pair} | {_percent(test.difference)} ({ends}) | {only} | {ps} |")
        slices = [part for part in found.strategies[0].slices if part.dimension == "hardness"]
        print(f"\n| {name} | {' | '.join(f'{part.value} ({part.n})' for part in slices)} |")
        print(f"|---|{'---|' * len(slices)}")
        for one in found.strategies:
            parts = [part for part in one.slices if part.dimension == "hardness"]
            print(f"| {one.name} | {' | '.join(_percent(part.accuracy) for part in parts)} |")
        _print_curves(found, [size for size in (1, 2, 4, 6, 8, 12, 16, 17) if size in found.sizes])


def _matching(data: Path, runs: Path, _: Sequence[str]) -> None:
    strategies = ["majority", EarliestMajority("earliest")]
    print("\n| tables are equal under | ties | dev | test |\n|---|---|---|---|")
    for match in MATCHES:
        found = [_selected(data, runs, name, strategies, match) for name in SETS]
        for place, tie in enumerate(("drawn", "earliest")):
            cells = " | ".join(_percent(one.strategies[place].accuracy) for one in found)
            print(f"| `{match}` | {tie} | {cells} |")


def _sampled(data: Path, runs: Path, _: Sequence[str]) -> None:
    for name in SAMPLED:
        folder = data / "candidates" / "contextual-bird-california_schools" / name
        found = sj.select(
            folder / "candidates.jsonl.gz",
            ["first", "random", "execution", "majority"],
            label="evaluation",
            run=runs / name,
            resamples=1000,
        )
        distinct = f"{found.candidates:,} candidates, {found.distinct:,} distinct"
        print(f"\n{name}: {found.n} questions, {distinct}")
        _print_curves(found, SAMPLED_SIZES)


def _selected(
    data: Path,
    runs: Path,
    name: str,
    strategies: Sequence[str | Majority],
    match: str | None = None,
) -> Selection:
    return sj.select(
        data / "candidates" / f"{SETS[name]}.jsonl.gz",
        strategies,
        data / "spider" / "databases",
        judge=JUDGE,
        match=match,
        run=runs / f"spider-{name}",
    )


def _print_curves(found: Selection, sizes: Sequence[int]) -> None:
    print(f"\n| n | {' | '.join(map(str, sizes))} |")
    print(f"|---|{'---|' * len(sizes)}")
    lines = [one for one in found.strategies if one.curve and one.name != "oracle"]
    for one in [*lines, *([found.oracle] if found.oracle else [])]:
        cells = (_percent(one.curve[found.sizes.index(size)]) for size in sizes)
        name = "oracle (pass@n)" if one.name == "oracle" else one.name
        print(f"| {name} | {' | '.join(cells)} |")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


PARTS = {"spider": _spider, "matching": _matching, "sampled": _sampled}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the public data")
    parser.add_argument("--runs", type=Path, help="folder to keep the runs in")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--strategy", nargs="+", default=STRATEGIES, help="of the part spider")
    return parser.parse_args()


if __name__ == "__main__":
    main()
