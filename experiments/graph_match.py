"""How the graph network ranks FuncEvalGMN's labelled pairs, beside judges that train on nothing.

    python experiments/graph_match.py --data $DATA [--model FILE ...] [--judge NAME ...]
        [--runs FOLDER]

For each file: AUC with its interval (95 %, bootstrap), Kendall's tau, Spearman's and Pearson's
correlation of the score, and in brackets of its yes or no, over all rows, and over distinct pairs
(white space collapsed, lower case); then AUC by hardness, joins, nesting and grouping of the
reference, and by the model that wrote the prediction. Several models (seeds) are given one by one,
and as a mean with its spread. Published figures stand beside, of tables 1, 2 and 5.

Nothing is chosen on these rows: the network and its threshold come from pairs of Spider's training
databases. A score is missing where a query cannot be read; such rows are counted and left out. What
`canonical` and `equivalence` leave unknown counts as 0, as not proved is what they say. Verdicts
are kept in --runs, if given: another command goes on from there.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import sqljury as sj
from sqljury.judges import make_judge
from sqljury.uses.statistics import Bootstrap, ScoreTable
from sqljury.verdict import Record

FILES = {
    "Spider": ("Spider_pair_dev", "spider/tables.json"),
    "Spider-DK": ("SpiderDK_pair_dev", "spider/spider_dk/tables.json.gz"),
    "WikiSQL": ("Wikisql_pair_dev", None),
}
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
PROVERS = ("canonical", "equivalence")
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


class Row(NamedTuple):
    """A pair with its label, and what one judge says."""

    score: float | None
    label: bool
    texts: tuple[str, str]
    slices: tuple[str, ...]


def main() -> None:
    """Evaluate, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--model", type=Path, action="append", default=[], help="one per seed")
    parser.add_argument("--judge", action="append", help="in place of all that train on nothing")
    parser.add_argument("--runs", type=Path, help="where verdicts are kept")
    options = parser.parse_args()
    networks = [f"{NETWORK},model={path}" for path in options.model] or [NETWORK]
    judges = [*networks, *(BASELINES if options.judge is None else options.judge)]
    for name in FILES:
        found = rows_of(options.data, name, judges, options.runs)
        print(f"\n## {name}: {len(found[judges[0]]):,} pairs")
        show_judges(name, found)
        show_slices(name, found)


def rows_of(
    data: Path, name: str, judges: Sequence[str], runs: Path | None = None
) -> dict[str, list[Row]]:
    """What each judge says of the pairs of a file."""
    stem, schemas = FILES[name]
    found: dict[str, list[Row]] = {judge: [] for judge in judges}
    by_name = dict(zip((str(make_name(judge)) for judge in judges), judges, strict=True))
    path = data / "pairs" / f"{stem}.csv.gz"
    where = None if runs is None else runs / stem
    with sj.evaluate([path], judges, schemas=schemas and data / schemas, run=where) as run:
        for record in run.records():
            found[by_name[record.judge]].append(row_of(record))
    return found


def make_name(judge: str) -> str:
    """The judge's name as a run has it."""
    from sqljury.judges import spec_of

    return spec_of(make_judge(judge))


def row_of(record: Record) -> Row:
    """One pair of a run."""
    case, score = record.case, record.verdict.score
    if score is None and record.judge.startswith(PROVERS):
        score = 0.0
    texts = (case.reference_sqls[0], str(case.predicted_sql))
    return Row(score, bool(case.label), texts, tuple(slices_of(record)))


def slices_of(record: Record) -> Iterator[str]:
    """The slices of tables 2 and 5, and the writer of the prediction."""
    for feature in record.features:
        kind = feature.partition(":")[0]
        if kind == "hardness":
            yield feature
        elif kind in ("joins", "nesting", "grouping") and not feature.endswith(":0"):
            yield kind
    yield f"by {record.case.source}"


def distinct(rows: Sequence[Row]) -> list[Row]:
    """The first of the rows whose texts are the same but for white space and case."""
    found: dict[tuple[str, ...], Row] = {}
    for row in rows:
        found.setdefault(tuple(" ".join(text.lower().split()) for text in row.texts), row)
    return list(found.values())


# ---------------------------------------------------------------- tables


def show_judges(name: str, found: dict[str, list[Row]]) -> None:
    """Table 1: a line for each judge, over all rows and over distinct pairs."""
    print(f"\n{'':40}{'n':>6}{'none':>5}  AUC [95 %]               tau (yes/no)     "
          "rho (yes/no)     r (yes/no)       published")  # fmt: skip
    aucs: dict[str, list[float]] = {}
    for judge, rows in found.items():
        for what, chosen in (("", rows), (" distinct", distinct(rows))):
            line = figures(judge, chosen)
            said = PUBLISHED[name].get(short(judge), "") if not what else ""
            print(f"{label(judge)[:31] + what:40}{line}  {said}")
            if short(judge) == NETWORK:
                aucs.setdefault(what, []).append(auc(chosen))
    for what, values in aucs.items():
        if len(values) > 1:
            print(f"{f'{NETWORK}, {len(values)} seeds{what}':40}{'':13}{spread(values)}")


def show_slices(name: str, found: dict[str, list[Row]]) -> None:
    """Tables 2 and 5, and by writer: AUC of each judge."""
    networks = [judge for judge in found if short(judge) == NETWORK]
    others = [judge for judge in found if short(judge) != NETWORK]
    heads = [NETWORK, "published", *(label(judge)[:17] for judge in others)]
    print(f"\n{'AUC':34}{'n':>6}{'pos':>6}" + "".join(f"{head:>19}" for head in heads))
    names = sorted({piece for row in found[networks[0]] for piece in row.slices})
    for piece in names:
        chosen = {
            judge: [row for row in rows if piece in row.slices] for judge, rows in found.items()
        }
        first = chosen[networks[0]]
        positives = sum(row.label for row in first)
        published = PUBLISHED_SLICES[name].get(piece)
        cells = [
            spread([auc(chosen[judge]) for judge in networks]),
            "" if published is None else f"{published:.4f}",
            *(f"{auc(chosen[judge]):.4f}" for judge in others),
        ]
        print(f"{piece[:33]:34}{len(first):6}{positives:6}" + "".join(f"{c:>19}" for c in cells))


def short(judge: str) -> str:
    """A judge's name without its options."""
    return judge.partition(",")[0]


def label(judge: str) -> str:
    """A judge's name, with the model's file name."""
    head, _, path = judge.partition(",model=")
    return f"{head} {Path(path).stem}" if path else judge


def scored(rows: Sequence[Row]) -> ScoreTable:
    """The rows that have a score."""
    kept = [(row.score, row.label) for row in rows if row.score is not None]
    return ScoreTable.of([score for score, _ in kept], [said for _, said in kept])


def auc(rows: Sequence[Row]) -> float:
    """Of the rows that have a score; NaN where one of the labels is missing."""
    found = scored(rows).statistics()["auc"]
    return float("nan") if found is None else found


def figures(judge: str, rows: Sequence[Row]) -> str:
    """The figures of one judge in a line."""
    table = scored(rows)
    values = table.statistics()
    threshold = getattr(make_judge(judge), "threshold", 0.5)
    answers = ScoreTable.of(
        [float(row.score is not None and row.score >= threshold) for row in rows],
        [row.label for row in rows],
    ).statistics()
    interval = Bootstrap().association(table)["auc"]
    low, high = interval or (float("nan"), float("nan"))
    missing = sum(row.score is None for row in rows)
    cells = "  ".join(
        f"{number(values[key])} ({number(answers[key])})"
        for key in ("kendall_tau", "spearman_rho", "pearson_r")
    )
    return f"{len(rows):6,}{missing:5}  {number(values['auc'])} [{low:.4f}, {high:.4f}]  {cells}"


def number(value: float | None) -> str:
    """Four digits, or a dash where undefined."""
    return "-" if value is None else f"{value:.4f}"


def spread(values: Sequence[float]) -> str:
    """The mean, and the standard deviation over seeds where there are several."""
    mean = f"{statistics.fmean(values):.4f}"
    return mean if len(values) == 1 or mean == "nan" else f"{mean} ± {statistics.stdev(values):.4f}"


if __name__ == "__main__":
    main()
