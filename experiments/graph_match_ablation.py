"""What each part of the graph network adds (FuncEvalGMN, table 3), on a small fixed budget.

    python experiments/graph_match_ablation.py --data $DATA --pairs PAIRS.jsonl --out FOLDER
        [--train 4000] [--validation 1000] [--epochs 6] [--seed 0 --seed 1 …] [--only NUMBER …]
        [--device cuda] [--curves FILE.svg]

Each line adds one part to the line above. All train on the first so many training pairs, for as
many epochs and with the same seeds. Validation pairs of other databases choose the epoch. Printed
are the AUC on these, and on Spider-pair dev, on which nothing is chosen: the mean over seeds and,
in brackets, the lowest and the highest. Pairs that cannot be read are left out; the syntax tree can
read more of them, so its pairs are a few more.

The curves are those of figure 18. Models, curves and graphs are kept in the folder: the same
command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from labelled_pairs import FILES

from sqljury.benchmarks import read_cases
from sqljury.databases import read_schemas
from sqljury.learning.graph_matching.matcher import Matcher, load_matcher
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions
from sqljury.likeness.graphs import GraphForm, PairGraph, graphs_of, pair_graph
from sqljury.reports.scatter import curves_svg
from sqljury.trees.nodes import Unreadable
from sqljury.uses.statistics import ScoreTable
from sqljury.uses.train.graph_match import train_graph_match


class Variant(NamedTuple):
    """One line of the table."""

    name: str
    form: GraphForm
    flows: bool
    network: NetworkOptions
    published: str = ""
    varied: bool = False
    views: tuple[GraphForm, ...] = ()
    """In which forms the pairs are evaluated, if not in the one of training."""
    trained_as: int | None = None
    """The line whose networks these are, if not its own."""


WHOLE = NetworkOptions()
CODED = replace(WHOLE, relations=False)
PLAIN = replace(CODED, coded=False)
VARIANTS = (
    Variant("0 syntax tree", "syntax", False, PLAIN, "0.9205"),
    Variant("1 operator tree", "faithful", False, PLAIN, "0.9514"),
    Variant("2 + logic and data flow", "faithful", True, PLAIN, "0.9565"),
    Variant("3 + canonical tree instead", "canonical", True, PLAIN),
    Variant("4 + codes of texts", "canonical", True, CODED),
    Variant("5 + relations to the other graph", "canonical", True, WHOLE),
    Variant("6 + pairs without some rules", "canonical", True, WHOLE, varied=True),
    Variant(
        "7 = 6, scores of two forms",
        "canonical",
        True,
        WHOLE,
        varied=True,
        views=("canonical", "plausible"),
        trained_as=6,
    ),
)
"""Published: table 3, as the text of section 5.3 gives its steps."""


def main() -> None:
    """Train what is not there yet, evaluate, print."""
    options = _options()
    counts = {"train": options.train, "validation": options.validation}
    pairs = _first(options.pairs, counts, options.out)
    print(f"{'':34}{'validation AUC':28}{'Spider-pair dev AUC':28}{'n':>6}  published")
    curves = []
    for number, variant in enumerate(VARIANTS):
        if options.only and number not in options.only:
            continue
        evaluated = _evaluated(options.data, variant)
        validation, test = [], []
        for seed in options.seed or [0, 1, 2]:
            own = number if variant.trained_as is None else variant.trained_as
            path = options.out / f"{own}-{seed}.npz"
            matcher = _trained(path, pairs, options, variant, seed)
            line = _curve(path)
            validation.append(max(line))
            test.append(_auc(matcher, *evaluated))
            if variant.trained_as is None and seed == (options.seed or [0])[0]:
                curves.append((variant.name, line))
        print(
            f"{variant.name:34}{_spread(validation):28}{_spread(test):28}{len(evaluated[1]):6}  "
            f"{variant.published}",
            flush=True,
        )
    if options.curves:
        svg = curves_svg(f"Validation AUC, {options.train:,} pairs", curves)
        options.curves.write_text(svg, encoding="utf-8")


def _first(path: Path, counts: Mapping[str, int], out: Path) -> Path:
    """A file of the first pairs of each split."""
    out.mkdir(parents=True, exist_ok=True)
    kept: dict[str, list[str]] = {split: [] for split in counts}
    for line in filter(None, path.read_text("utf-8").split("\n")):
        kept[json.loads(line)["split"]].append(line)
    chosen = [line for split, count in counts.items() for line in kept[split][:count]]
    target = out / "pairs.jsonl"
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
            form=variant.form,
            flows=variant.flows,
            varied=variant.varied,
            network=variant.network,
            training=TrainingOptions(epochs=options.epochs, seed=seed, device=options.device),
            work=options.out / f"work-{variant.form}-{variant.flows}",
        )
    return load_matcher(path)


def _curve(path: Path) -> list[float]:
    epochs = json.loads(path.with_suffix(".curve.json").read_text("utf-8"))
    return [epoch["auc"] for epoch in epochs]


def _evaluated(data: Path, variant: Variant) -> tuple[list[list[PairGraph]], list[bool]]:
    """Spider-pair dev as graphs, and its labels."""
    stem, schemas_file = FILES["Spider"]
    schemas = read_schemas(data / str(schemas_file))
    graphs, labels = [], []
    forms = variant.views or (variant.form,)
    for case in read_cases(data / "pairs" / f"{stem}.csv.gz"):
        schema = schemas.get(case.db_id)
        assert schema is not None
        left, right = (
            graphs_of(str(sql), schema, forms=forms, flows=variant.flows)
            for sql in (case.reference_sqls[0], case.predicted_sql)
        )
        if not isinstance(left, Unreadable) and not isinstance(right, Unreadable):
            graphs.append([pair_graph(*sides) for sides in zip(left, right, strict=True)])
            labels.append(bool(case.label))
    return graphs, labels


def _auc(matcher: Matcher, graphs: Sequence[Sequence[PairGraph]], labels: Sequence[bool]) -> float:
    found = ScoreTable.of(matcher.mean_scores(graphs), labels).statistics()["auc"]
    return float("nan") if found is None else found


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.4f} ({min(values):.4f}-{max(values):.4f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--train", type=int, default=4000)
    parser.add_argument("--validation", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--only", type=int, action="append", default=[])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--curves", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
