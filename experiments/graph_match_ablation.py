"""What each part of the graph network adds (FuncEvalGMN, table 3).

    python experiments/graph_match_ablation.py --data $DATA --pairs PAIRS.jsonl --out FOLDER
        [--device cuda] [--epochs 5] [--seed 0 --seed 1 …] [--train N] [--validation N]
        [--curves FILE.svg]

Each line leaves one part out of the whole network. All train on the same pairs (the first N of a
split, if given), for as many epochs. Validation pairs of other databases choose the epoch. Printed
are the AUC on these, and on FuncEvalGMN's three files, on which nothing is chosen: the mean over
seeds and, where there are several, the lowest and the highest.

The curves are those of figure 18. Models, curves and graphs are kept in the folder: the same
command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from labelled_pairs import FILES, labelled_pairs, network_scores

from sqljury.learning.graph_matching.matcher import Matcher, load_matcher
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions
from sqljury.likeness.graphs import GraphForm
from sqljury.reports.scatter import curves_svg
from sqljury.uses.statistics import ScoreTable
from sqljury.uses.train.graph_match import train_graph_match


class Variant(NamedTuple):
    """One line of the table; the key names its files."""

    key: str
    name: str
    network: NetworkOptions = NetworkOptions()
    form: GraphForm = "canonical"
    flows: bool = True
    varied: bool = True


WHOLE = NetworkOptions()
VARIANTS = (
    Variant("full", "whole network"),
    Variant("no_attention", "no attention between graphs", replace(WHOLE, attention=False)),
    Variant("no_relations", "no relations to the other graph", replace(WHOLE, relations=False)),
    Variant("no_codes", "no codes of texts", replace(WHOLE, coded=False)),
    Variant("no_types", "no types and keys of nodes", replace(WHOLE, types=False)),
    Variant("no_flows", "no logic and data flow", flows=False),
    Variant("canonical_only", "no views less than canonical", varied=False),
    Variant("faithful", "trees as written", form="faithful", varied=False),
)
ONE_FORM = "whole network, score of one form"

Group = tuple[tuple[str, ...], bool]
"""Networks that read the same graphs: their views, and whether these have flows."""


def main() -> None:
    """Train what is not there yet, evaluate, print."""
    options = _options()
    pairs = _first(options.pairs, options.train, options.validation, options.out)
    seeds = options.seed or [0, 1, 2]
    rows: dict[str, list[Matcher]] = {}
    validation: dict[str, list[float]] = {}
    curves = []
    for variant in VARIANTS:
        lines = []
        for seed in seeds:
            path = options.out / f"{variant.key}-{seed}.npz"
            rows.setdefault(variant.name, []).append(_trained(path, pairs, options, variant, seed))
            lines.append(_curve(path))
        validation[variant.name] = [max(line) for line in lines]
        curves.append((variant.name, lines[0]))
    rows[ONE_FORM] = [
        replace(one, notes={**one.notes, "views": ["canonical"]}) for one in rows[VARIANTS[0].name]
    ]
    found = {name: _scored(options.data, name, rows) for name in FILES}
    print(f"{'':34}" + "".join(f"{name:26}" for name in ("validation", *FILES)))
    for name in rows:
        cells = [validation.get(name, []), *(found[file][name] for file in FILES)]
        print(f"{name:34}" + "".join(f"{_spread(cell):26}" for cell in cells))
    if options.curves:
        svg = curves_svg("Validation AUC by epoch", curves)
        options.curves.write_text(svg, encoding="utf-8")


def _first(path: Path, train: int | None, validation: int | None, out: Path) -> Path:
    """A file of the first pairs of each split."""
    out.mkdir(parents=True, exist_ok=True)
    kept: dict[str, list[str]] = {"train": [], "validation": []}
    for line in filter(None, path.read_text("utf-8").split("\n")):
        kept[json.loads(line)["split"]].append(line)
    target = out / "pairs.jsonl"
    chosen = [*kept["train"][:train], *kept["validation"][:validation]]
    target.write_text("\n".join(chosen) + "\n", encoding="utf-8")
    return target


def _trained(
    path: Path, pairs: Path, options: argparse.Namespace, variant: Variant, seed: int
) -> Matcher:
    if not path.is_file():
        train_graph_match(
            pairs,
            path,
            schemas=options.data / "spider" / "tables.json",
            databases=options.data / "spider" / "databases",
            form=variant.form,
            flows=variant.flows,
            varied=variant.varied,
            network=variant.network,
            training=TrainingOptions(
                epochs=options.epochs, rate=1.5e-3, seed=seed, device=options.device
            ),
            work=options.out / f"work-{variant.form}-{variant.flows}",
        )
    return load_matcher(path)


def _curve(path: Path) -> list[float]:
    epochs = json.loads(path.with_suffix(".curve.json").read_text("utf-8"))
    return [epoch["auc"] for epoch in epochs]


def _scored(data: Path, name: str, rows: dict[str, list[Matcher]]) -> dict[str, list[float]]:
    """AUC on one file by line, a value for each seed; graphs are made once for each kind."""
    pairs = labelled_pairs(data, name)
    labels = [pair.label for pair in pairs]
    groups: dict[Group, list[tuple[str, Matcher]]] = {}
    for row, matchers in rows.items():
        for one in matchers:
            groups.setdefault((one.views, one.flows), []).append((row, one))
    found: dict[str, list[float]] = {}
    for group in groups.values():
        texts = ((*pair.texts, pair.schema) for pair in pairs)
        scores = network_scores(texts, [matcher for _, matcher in group])
        for (row, _), said in zip(group, scores, strict=True):
            kept = [(s, label) for s, label in zip(said, labels, strict=True) if s is not None]
            table = ScoreTable.of([s for s, _ in kept], [label for _, label in kept])
            found.setdefault(row, []).append(table.statistics()["auc"] or float("nan"))
    return found


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "as above"
    mean = f"{statistics.mean(values):.4f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.4f}-{max(values):.4f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--train", type=int)
    parser.add_argument("--validation", type=int)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--curves", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
