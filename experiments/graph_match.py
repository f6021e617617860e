"""How the graph network ranks FuncEvalGMN's labelled pairs, beside judges that train on nothing.

    python experiments/graph_match.py --data $DATA [--model FILE ...] [--judge [NAME ...]]
        [--runs FOLDER] [--curves FILE.svg] [--pictures FOLDER]

For each file: AUC with its interval (95 %, bootstrap); Kendall's tau, Spearman's and Pearson's
correlation of the score, and in brackets of its yes or no; Cohen's kappa and the Brier score; over
all rows, and over distinct pairs (white space collapsed, lower case). Then the calibration of the
networks: the expected calibration error, and by tenth of the score the mean score and the share of
equivalent pairs (--curves draws it); how many graphs are equal, and which AUC that allows; right,
missed and wrongly accepted pairs at the threshold. Then AUC by hardness, joins, nesting and
grouping of the reference, and by the model that wrote the prediction. Several models (seeds) are
given one by one, and as a mean with its spread. Published figures stand beside, of tables 1, 2
and 5.

--pictures draws the attention of the first network (as `sqljury diff --network --svg` does) for ten
right and ten wrong verdicts of the three files, half of each `equivalent`: those with the least
SHA-256 of their texts among the pairs whose graphs differ.

Nothing is chosen on these rows: the network and its threshold come from pairs of Spider's training
databases. A score is missing where a query cannot be read; such rows are counted and left out. What
`canonical` and `equivalence` leave unknown counts as 0, as not proved is what they say. Verdicts
are kept in --runs, if given: another command goes on from there.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from labelled_pairs import FILES, Pair, Scores, judge_scores, labelled_pairs, network_scores

import sqljury as sj
from sqljury.judges import make_judge
from sqljury.learning.calibration import Reliability, reliability
from sqljury.learning.graph_matching.matcher import load_matcher, shipped_model
from sqljury.reports.plots import reliability_svg
from sqljury.uses.statistics import Bootstrap, Confusion, ScoreTable

BASELINES = (
    "relpm",
    "astpm",
    "codebleu",
    "codebleu:operator",
    "crystalbleu",
    "canonical,permuted=true",
    "equivalence,column_order=any",
)
NETWORK = "graph_match"
PUBLISHED = {
    "Spider": {
        NETWORK: "0.9750 0.8529 0.8529",
        "relpm": "0.8442 0.5028 0.5967",
        "astpm": "0.8281 0.4824 0.5718",
        "codebleu:operator": "0.8395 0.4852 0.5864",
        "crystalbleu": "0.6721 0.2424 0.2966",
    },
    "Spider-DK": {
        NETWORK: "0.9753 0.8741 0.8741",
        "relpm": "0.8872 0.4929 0.5959",
        "astpm": "0.8712 0.4838 0.5723",
        "codebleu:operator": "0.7489 0.3241 0.3852",
        "crystalbleu": "0.7364 0.2963 0.3627",
    },
    "WikiSQL": {
        NETWORK: "0.9910 0.9155 0.9155",
        "relpm": "0.7419 0.3427 0.3910",
        "astpm": "0.6658 0.2284 0.2667",
        "codebleu:operator": "0.6425 0.1884 0.2270",
        "crystalbleu": "0.7095 0.2869 0.3373",
    },
}
"""AUC, tau and rho of table 1 (the network's tau and rho are those of its yes or no)."""
PUBLISHED_SLICES = {
    "Spider": {
        "hardness:easy": 0.9908,
        "hardness:medium": 0.9767,
        "hardness:hard": 0.9730,
        "hardness:extra": 0.9517,
        "joins": 0.9580,
        "nesting": 0.9662,
        "grouping": 0.9740,
    },
    "Spider-DK": {
        "hardness:easy": 0.9921,
        "hardness:medium": 0.9898,
        "hardness:hard": 0.9490,
        "hardness:extra": 0.9348,
        "joins": 0.9589,
        "nesting": 0.9493,
        "grouping": 0.9791,
    },
    "WikiSQL": {},
}
"""The network's AUC in tables 2 and 5."""


class Rows(NamedTuple):
    """What one judge says of some pairs."""

    judge: str
    threshold: float
    pairs: Sequence[Pair]
    scores: Scores

    @property
    def is_network(self) -> bool:
        """Whether it is the one in question."""
        return self.judge.startswith(NETWORK)

    def chosen(self, places: Sequence[int]) -> Rows:
        """Some of the pairs."""
        pairs, scores = [self.pairs[i] for i in places], [self.scores[i] for i in places]
        return self._replace(pairs=pairs, scores=scores)


def main() -> None:
    """Score, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--model", type=Path, action="append", help="one per seed")
    parser.add_argument("--judge", nargs="*", default=BASELINES, help="in place of all")
    parser.add_argument("--runs", type=Path, help="where verdicts are kept")
    parser.add_argument("--curves", type=Path, help="an SVG of the first network's calibration")
    parser.add_argument("--pictures", type=Path, help="a folder for twenty pictures of attention")
    options = parser.parse_args()
    models = options.model or [shipped_model()]
    matchers = [load_matcher(path) for path in models]
    curves: dict[str, Reliability] = {}
    networks: dict[str, Rows] = {}
    for name in FILES:
        pairs = labelled_pairs(options.data, name)
        print(f"\n## {name}: {len(pairs):,} pairs")
        texts = ((*pair.texts, pair.schema) for pair in pairs)
        found = [
            Rows(f"{NETWORK} {path.stem}", matcher.threshold, pairs, scores)
            for path, matcher, scores in zip(
                models, matchers, network_scores(texts, matchers), strict=True
            )
        ]
        said = judge_scores(options.data, name, options.judge, options.runs)
        for judge, scores in zip(options.judge, said, strict=True):
            threshold = getattr(make_judge(judge), "threshold", 0.5)
            found.append(Rows(judge, threshold, pairs, scores))
        show_judges(name, found)
        for rows in found[: len(models)]:
            show_calibration(rows)
        networks[name] = found[0]
        curves[name] = calibration(found[0])
        show_slices(name, found)
    if options.curves:
        options.curves.write_text(reliability_svg(curves), encoding="utf-8")
    if options.pictures:
        draw(networks, models[0], options.pictures)


def distinct(pairs: Sequence[Pair]) -> list[int]:
    """The places of the first pairs whose texts are the same but for white space and case."""
    found: dict[tuple[str, ...], int] = {}
    for place, pair in enumerate(pairs):
        found.setdefault(tuple(" ".join(text.lower().split()) for text in pair.texts), place)
    return list(found.values())


def draw(networks: Mapping[str, Rows], model: Path, folder: Path) -> None:
    """Writes a picture for each chosen verdict, and prints what it is of."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, right in (("right", True), ("wrong", False)):
        picked = chosen(networks, right, True) + chosen(networks, right, False)
        for number, (name, pair) in enumerate(picked, start=1):
            found = sj.explain_match(*pair.texts, schema=pair.schema, model=model)
            path = folder / f"{kind}-{number:02}.svg"
            path.write_text(found.svg, encoding="utf-8")
            label = "equivalent" if pair.label else "different"
            print(f"\n{path.name}: {name} {pair.case.id}, label {label}, {found.summary}")
            print(*(" ".join(text.split()) for text in pair.texts), sep="\n")


def chosen(networks: Mapping[str, Rows], right: bool, accepted: bool) -> list[tuple[str, Pair]]:
    """Five pairs on which the verdict is right, or wrong, with their files; by a hash of the texts.

    A score of 1 is left out: the graphs are equal, and the network was not asked.
    """
    found = {
        sha256("\0".join(pair.texts).encode()).hexdigest(): (name, pair)
        for name, rows in networks.items()
        for pair, score in zip(rows.pairs, rows.scores, strict=True)
        if score not in (None, 1.0)
        and (score >= rows.threshold) is accepted
        and pair.label is (accepted == right)
    }
    return [found[key] for key in sorted(found)[:5]]


# ---------------------------------------------------------------- tables


def show_judges(name: str, found: Sequence[Rows]) -> None:
    """Table 1: a line for each judge, over all rows and over distinct pairs."""
    print(
        f"\n{'':40}{'n':>6}{'none':>5}  {'AUC [95 %]':24}  {'tau (yes/no)':15}"
        f"  {'rho (yes/no)':15}  {'r (yes/no)':15}  kappa   Brier   published: AUC, tau, rho"
    )
    places = distinct(found[0].pairs)
    aucs: dict[str, list[float]] = {}
    for rows in found:
        for what, chosen in (("", rows), (" distinct", rows.chosen(places))):
            published = "" if what else PUBLISHED[name].get(rows.judge.split()[0], "")
            print(f"{rows.judge[:31] + what:40}{figures(chosen)}  {published}")
            if rows.is_network:
                aucs.setdefault(what, []).append(auc(chosen))
    for what, values in aucs.items():
        if len(values) > 1:
            print(f"{f'{NETWORK}, {len(values)} seeds{what}':40}{'':13}{spread(values)}")


def show_calibration(rows: Rows) -> None:
    """The calibration error, by tenth of the score; and the answers at the threshold."""
    found = calibration(rows)
    print(f"\n{rows.judge}: ECE {number(found.ece)}, Brier score {number(found.brier)}")
    print(f"{'score':12}{'pairs':>6}  mean score  equivalent")
    for one in found.bins:
        if one.count:
            share = f"{one.low:.1f} to {one.high:.1f}"
            print(f"{share:12}{one.count:6}{number(one.score):>12}{number(one.right):>12}")
    counts = Confusion.of(
        (pair.label, score >= rows.threshold)
        for pair, score in zip(rows.pairs, rows.scores, strict=True)
        if score is not None
    )
    equal = Confusion.of(
        (pair.label, score == 1.0)
        for pair, score in zip(rows.pairs, rows.scores, strict=True)
        if score is not None
    )
    # Best case: all others are in order. An equal pair of the wrong label is level with or above.
    lost = equal.fp * (equal.fn + equal.tp / 2)
    best = 1 - lost / ((equal.tp + equal.fn) * (equal.fp + equal.tn))
    print(
        f"equal graphs: {equal.tp} equivalent, {equal.fp} others; no network's AUC is above"
        f" {number(best)}"
    )
    print(
        f"from {rows.threshold:.3f} on: {counts.tp} equivalent pairs accepted and"
        f" {counts.fn} missed, {counts.fp} others accepted and {counts.tn} not"
    )


def calibration(rows: Rows) -> Reliability:
    """How well the scores agree with the labels, over the pairs that have a score."""
    kept = [
        (score, pair.label)
        for score, pair in zip(rows.scores, rows.pairs, strict=True)
        if score is not None
    ]
    return reliability([score for score, _ in kept], [label for _, label in kept])


def show_slices(name: str, found: Sequence[Rows]) -> None:
    """Tables 2 and 5, and by writer: AUC of each judge."""
    networks = [rows for rows in found if rows.is_network]
    others = [rows for rows in found if not rows.is_network]
    heads = [NETWORK, "published", *(rows.judge[:17] for rows in others)]
    print(f"\n{'AUC':34}{'n':>6}{'pos':>6}" + "".join(f"{head:>19}" for head in heads))
    slices: dict[str, list[int]] = {}
    for place, pair in enumerate(found[0].pairs):
        for piece in pair.slices:
            slices.setdefault(piece, []).append(place)
    for piece, places in sorted(slices.items()):
        positives = sum(found[0].pairs[place].label for place in places)
        published = PUBLISHED_SLICES[name].get(piece)
        cells = [
            spread([auc(rows.chosen(places)) for rows in networks]),
            "" if published is None else f"{published:.4f}",
            *(f"{auc(rows.chosen(places)):.4f}" for rows in others),
        ]
        print(f"{piece[:33]:34}{len(places):6}{positives:6}" + "".join(f"{c:>19}" for c in cells))


def table_of(rows: Rows) -> ScoreTable:
    """The pairs that have a score."""
    kept = [
        (score, pair.label)
        for score, pair in zip(rows.scores, rows.pairs, strict=True)
        if score is not None
    ]
    return ScoreTable.of([score for score, _ in kept], [label for _, label in kept])


def auc(rows: Rows) -> float:
    """Of the pairs that have a score; NaN where one of the labels is missing."""
    found = table_of(rows).statistics()["auc"]
    return float("nan") if found is None else found


def figures(rows: Rows) -> str:
    """The figures of one judge in a line."""
    table = table_of(rows)
    values = table.statistics()
    answers = ScoreTable.of(
        [float(score is not None and score >= rows.threshold) for score in rows.scores],
        [pair.label for pair in rows.pairs],
    ).statistics()
    low, high = Bootstrap().association(table)["auc"] or (float("nan"), float("nan"))
    missing = sum(score is None for score in rows.scores)
    cells = "  ".join(
        f"{number(values[key])} ({number(answers[key])})"
        for key in ("kendall_tau", "spearman_rho", "pearson_r")
    )
    count = len(rows.pairs)
    cells += f"  {number(kappa(rows))}  {number(calibration(rows).brier)}"
    return f"{count:6,}{missing:5}  {number(values['auc'])} [{low:.4f}, {high:.4f}]  {cells}"


def kappa(rows: Rows) -> float | None:
    """Cohen's kappa of the yes or no; no score is a no."""
    said = [score is not None and score >= rows.threshold for score in rows.scores]
    labels = (pair.label for pair in rows.pairs)
    return Confusion.of(zip(labels, said, strict=True)).statistics()["kappa"]


def number(value: float | None) -> str:
    """Four digits, or a dash where undefined."""
    return "-" if value is None else f"{value:.4f}"


def spread(values: Sequence[float]) -> str:
    """The mean, and the standard deviation over seeds where there are several."""
    mean = f"{statistics.fmean(values):.4f}"
    return mean if len(values) == 1 or mean == "nan" else f"{mean} ± {statistics.stdev(values):.4f}"


if __name__ == "__main__":
    main()
