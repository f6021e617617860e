"""How judges that run nothing rank FuncEvalGMN's labelled pairs, and what rewriting proves.

    python bench/pairs.py [--data FOLDER] [--judge NAME ...] [--slices] [--merged]

For each file and judge: AUC, Kendall's tau and Spearman's rho of the score (tau and rho of the
yes/no answer behind a stroke), over all rows, and over distinct pairs by two rules: white space
collapsed; and in lower case too. Pairs that cannot be read have no score and are counted. Of
`canonical` the share of merged pairs is given by label; --merged prints the merged pairs that the
labels call different. FOLDER holds pairs/ and spider/ (docs/reproduce.md).

Thresholds of judges were chosen on the rows whose hash is even (`half` in the code); `odd` gives
the rows that nothing was chosen on.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path

import sqljury as sj
from sqljury.judges import make_judge
from sqljury.uses.agree.agreement import JudgeAgreement, agree
from sqljury.verdict import Record, Scored

FILES = {
    "Spider_pair_dev": "spider/tables.json",
    "SpiderDK_pair_dev": "spider/spider_dk/tables.json.gz",
    "Wikisql_pair_dev": None,
}
JUDGES = (
    "relpm",
    "astpm",
    "tree_match",
    "codebleu",
    "codebleu:operator",
    "crystalbleu",
)
PROVER = "canonical,permuted=true"
ASSUMED = ("nothing", "all")
PROVERS = (PROVER, *(f"{PROVER},assuming={text}" for text in ASSUMED))
FEATURES = ("hardness", "joins", "nesting")


def main() -> None:
    """Evaluate, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--judge", action="append", help="in place of all")
    parser.add_argument("--slices", action="store_true", help="AUC by generator and by clauses")
    parser.add_argument("--merged", action="store_true", help="list proofs against the labels")
    options = parser.parse_args()
    if not (options.data / "pairs").is_dir():
        sys.exit(f"{options.data / 'pairs'} is not there: pass --data FOLDER")
    for name, schemas in FILES.items():
        path = options.data / "pairs" / f"{name}.csv.gz"
        judges = options.judge or [*JUDGES, *PROVERS]
        with sj.evaluate(
            [path], judges, schemas=None if schemas is None else options.data / schemas
        ) as found:
            records = list(found.records())
        show(name, judges, records, options)


def show(name: str, judges: list[str], records: list[Record], options: argparse.Namespace) -> None:
    """All that is said of one file."""
    print(f"\n{name}: {len(records) // len(judges):,} pairs")
    print(f"{'':34}{'n':>6}{'unknown':>8}{'AUC':>8}  tau (yes/no)     rho (yes/no)")
    for judge, rows in by_judge(records):
        if judge.startswith("canonical"):
            merged(judge, rows, listed=options.merged and judge == PROVER)
            continue
        for what, chosen in subsets(rows):
            print(line(f"{judge} {what}", judge, chosen))
        if options.slices:
            for what, chosen in slices(rows):
                print(line(f"    {what}", judge, chosen))


def by_judge(records: Iterable[Record]) -> Iterator[tuple[str, list[Record]]]:
    """The records of each judge."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.judge, []).append(record)
    yield from found.items()


def subsets(rows: list[Record]) -> Iterator[tuple[str, list[Record]]]:
    """All rows, the odd half, and distinct pairs by both rules."""
    yield "", rows
    yield "odd", [row for row in rows if half(row)]
    yield "distinct", distinct(rows, lambda text: " ".join(text.split()))
    yield "distinct, caseless", distinct(rows, lambda text: " ".join(text.lower().split()))


def texts(row: Record) -> tuple[str, str]:
    """The reference and the prediction."""
    return row.case.reference_sqls[0], str(row.case.predicted_sql)


def half(row: Record) -> int:
    """0 for the rows that thresholds were chosen on, else 1."""
    return half_of(*texts(row))


def half_of(reference: str, prediction: str) -> int:
    """The same of two texts."""
    return int(sha256(f"{reference}\0{prediction}".encode()).hexdigest(), 16) % 2


def distinct(rows: list[Record], normal: Callable[[str], str]) -> list[Record]:
    """The first of the rows whose texts, and database, are the same."""
    found: dict[tuple[str, ...], Record] = {}
    for row in rows:
        found.setdefault((row.case.db_id, *map(normal, texts(row))), row)
    return list(found.values())


def slices(rows: list[Record]) -> Iterator[tuple[str, list[Record]]]:
    """By generator, Spider's hardness, joins, nesting and grouping of the reference."""
    groups: dict[str, list[Record]] = {}
    for row in rows:
        groups.setdefault(f"by {row.case.source}", []).append(row)
        for feature in row.features:
            if feature.partition(":")[0] in FEATURES or feature == "grouping":
                groups.setdefault(feature, []).append(row)
    yield from sorted(groups.items())


def line(what: str, judge: str, rows: list[Record]) -> str:
    """The figures of a judge on some rows."""
    found = figures(judge, rows)
    unknown = sum(1 for row in rows if row.verdict.score is None)
    return (
        f"{what:34}{len(rows):6,}{unknown:8}{number(found.auc):>8}"
        f"{number(found.kendall_tau):>8} ({number(found.kendall_tau_thresholded)})"
        f"{number(found.spearman_rho):>8} ({number(found.spearman_rho_thresholded)})"
    )


def figures(judge: str, rows: list[Record]) -> JudgeAgreement:
    """Agreement with the labels."""
    scored = [
        Scored(
            id=row.case.id,
            score=row.verdict.score,
            label=row.case.label,
            outcome=row.verdict.outcome,
            threshold=getattr(make_judge(judge), "threshold", 0.5),
        )
        for row in rows
    ]
    return agree({judge: scored}, bootstrap=0).judges[0]


def number(value: float | None) -> str:
    """Four digits, or a dash where undefined."""
    return "-" if value is None else f"{value:.4f}"


def merged(judge: str, rows: list[Record], *, listed: bool) -> None:
    """The share of the pairs that are proved equal, by label."""
    shares = []
    for label in (True, False):
        of_label = [row for row in rows if row.case.label is label]
        proved = [row for row in of_label if row.verdict.score == 1]
        shares.append(f"label {int(label)}: {len(proved):,} of {len(of_label):,} merged"
                      f" ({len(proved) / max(1, len(of_label)):.1%})")  # fmt: skip
        if listed and not label:
            for row in proved:
                reference, prediction = (" ".join(text.split()) for text in texts(row))
                print(f"    {row.case.id} {row.verdict.evidence['assumptions']}")
                print(f"        {reference}\n        {prediction}")
    print(f"{judge:44}{'; '.join(shares)}")


if __name__ == "__main__":
    main()
