"""Test-suite accuracy beside recorded labels, and built suites beside the official ones.

    python bench/suite.py [--data FOLDER] [--part labels|pairs|built ...] [--share 1.0]

labels: `test_suite` on the candidates of 17 systems beside their recorded `ts` and `ts_colperm`.
pairs: AUC, Kendall's tau and Spearman's rho on FuncEvalGMN's labelled pairs, on official suites and
on suites built from the pairs' references: all pairs whose database has one, then those that have
both, also by Spider's hardness and by half (`even` is the half that anybody looked at).
built: suites built from Spider dev's references, without a look at any candidate, beside the
official ones on the same candidates. FOLDER holds candidates/, pairs/ and spider/
(docs/reproduce.md). --share takes that share of the candidates, every n-th question.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqljury as sj
from sqljury.case import Case
from sqljury.uses.agree.agreement import agree
from sqljury.uses.suite.build import build_suites
from sqljury.verdict import Record, Scored

LABELLED = "test_suite:strict,column_order=any,tolerance=1e-6"
"""The rules by which the labels `ts_colperm` were computed."""
PAIR_JUDGES = ("test_suite:strict,column_order=any", "test_suite:spider")
LIMITS = sj.Limits(seconds=5)
Labels = dict[str, dict[str, Any]]


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--part", action="append", choices=("labels", "pairs", "built"))
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if not (options.data / "spider" / "test_suite").is_dir():
        sys.exit(f"{options.data} has no spider/test_suite: pass --data FOLDER")
    for part in options.part or ("labels", "pairs", "built"):
        {"labels": labels, "pairs": pairs, "built": built}[part](options)


# ---------------------------------------------------------------- the 17 systems' candidates


def candidates(options: argparse.Namespace) -> tuple[list[Case], Labels]:
    """The cases of every n-th question that has a database, and their labels by id."""
    step = max(1, round(1 / options.share))
    cases, found = [], {}
    path = options.data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in (json.loads(line) for line in lines):
            if row["index"] % step or not row["has_db"]:
                continue
            for number, candidate in enumerate(row["candidates"]):
                case_id = f"{row['index']}/{number}"
                found[case_id] = candidate
                cases.append(
                    Case(
                        id=case_id,
                        db_id=row["db_id"],
                        predicted_sql=candidate["sql"],
                        reference_sqls=(row["gold_sql"],),
                    )
                )
    return cases, found


def half(case: Case) -> str:
    """``even`` or ``odd``, by the hash of the two queries."""
    texts = f"{case.reference_sqls[0]}\0{case.predicted_sql}"
    return "odd" if int(sha256(texts.encode()).hexdigest(), 16) % 2 else "even"


def labels(options: argparse.Namespace) -> None:
    """Verdicts on the official suites beside the recorded labels."""
    cases, known = candidates(options)
    judges = [LABELLED, "test_suite:spider"]
    started = time.perf_counter()
    suites = options.data / "spider" / "test_suite"
    with sj.evaluate(cases, judges, suites=suites, limits=LIMITS, workers=options.workers) as found:
        records = list(found.records())
    seconds = time.perf_counter() - started
    print(f"\n{len(cases):,} candidates, {len(judges)} judges, {seconds:.0f} s")
    for judge in judges:
        said = {r.case.id: r for r in records if r.judge.split(",")[0] == judge.split(",")[0]}
        for label in ("ts", "ts_colperm"):
            passed = {i: r.verdict.outcome == "correct" for i, r in said.items()}
            too_good = [i for i in passed if passed[i] and not known[i][label]]
            too_bad = [i for i in passed if not passed[i] and known[i][label]]
            distinct = sum(has_distinct(said[i].case) for i in (*too_good, *too_bad))
            share = 1 - (len(too_good) + len(too_bad)) / len(passed)
            print(
                f"{judge:52}{label:12}{share:8.4%} agree; passes against the label "
                f"{len(too_good):,}, fails against it {len(too_bad):,} ({distinct:,} with DISTINCT)"
            )


def has_distinct(case: Case) -> bool:
    """Whether one of the two queries says DISTINCT."""
    return "distinct" in f"{case.reference_sqls[0]} {case.predicted_sql}".lower()


def built(options: argparse.Namespace) -> None:
    """Suites built here beside the recorded labels of the official ones."""
    cases, known = candidates(options)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.perf_counter()
        databases = options.data / "spider" / "databases"
        reports = build_suites(
            list(references(options.data)), databases, folder, workers=options.workers
        )
        seconds = time.perf_counter() - started
        size = sum(path.stat().st_size for path in folder.rglob("*.sqlite"))
        print(
            f"\nbuilt in {seconds:.0f} s: {sum(len(r.databases) for r in reports):,} databases, "
            f"{size / 1e6:.1f} MB; {sum(r.told_apart for r in reports):,} of "
            f"{sum(r.neighbours for r in reports):,} neighbours told apart, by the originals "
            f"{sum(r.by_original for r in reports):,}"
        )
        started = time.perf_counter()
        with sj.evaluate(
            cases, [LABELLED], suites=folder, limits=LIMITS, workers=options.workers
        ) as found:
            records = list(found.records())
        print(f"{len(records):,} candidates judged in {time.perf_counter() - started:.0f} s")
        for what in ("even", "odd", "all"):
            chosen = [r for r in records if what in ("all", half(r.case))]
            print(f"    {what:6}{beside_official(chosen, known)}")


def references(data: Path) -> Iterator[Case]:
    """Spider dev's references whose database has an official suite."""
    there = {path.name.removesuffix(".tar.xz") for path in (data / "spider/test_suite").iterdir()}
    for number, row in enumerate(json.loads((data / "spider/dev.json").read_text("utf-8"))):
        if row["db_id"] in there:
            yield Case(id=str(number), db_id=row["db_id"], reference_sqls=(row["query"],))


def beside_official(records: list[Record], known: Labels) -> str:
    """How verdicts on built suites compare with what the official ones say."""
    passed = {r.case.id: r.verdict.outcome == "correct" for r in records}
    agreeing = sum(passed[i] == known[i]["ts_colperm"] for i in passed)
    lucky = [i for i in passed if known[i]["ex_colperm"] and not known[i]["ts_colperm"]]
    right = [i for i in passed if known[i]["ts_colperm"]]
    caught, refuted = (sum(not passed[i] for i in ids) for ids in (lucky, right))
    return (
        f"{len(passed):7,} candidates, {agreeing / len(passed):.2%} agree; of {len(lucky):,} that "
        f"are right on the original only, {caught:,} ({caught / len(lucky):.1%}) are caught; of "
        f"{len(right):,} that pass, {refuted:,} ({refuted / len(right):.1%}) are refuted"
    )


# ---------------------------------------------------------------- FuncEvalGMN's pairs


def pairs(options: argparse.Namespace) -> None:
    """Figures on labelled pairs, on the official suites and on suites of the pairs' references."""
    for name in ("Spider_pair_dev", "SpiderDK_pair_dev"):
        path = options.data / "pairs" / f"{name}.csv.gz"
        official = options.data / "spider" / "test_suite"
        with tempfile.TemporaryDirectory() as folder:
            databases = options.data / "spider" / "databases"
            build_suites([path], databases, folder, workers=options.workers)
            on_official, on_built = (
                counted_records(path, place, options) for place in (official, Path(folder))
            )
        both = {(r.judge, r.case.id) for r in on_official} & {
            (r.judge, r.case.id) for r in on_built
        }
        for judge in PAIR_JUDGES:
            for what, records in (("official", on_official), ("built", on_built)):
                own = [r for r in records if r.judge == judge]
                shared = [r for r in own if (judge, r.case.id) in both]
                print(f"\n{name}, {judge}, {what} suites")
                print(f"    {'with one':10}{figures(judge, own)}")
                for part, chosen in slices(shared):
                    print(f"    {part:10}{figures(judge, chosen)}")


def counted_records(path: Path, suites: Path, options: argparse.Namespace) -> list[Record]:
    """The verdicts on the pairs whose database has a suite."""
    with sj.evaluate(
        [path], PAIR_JUDGES, suites=suites, limits=LIMITS, workers=options.workers
    ) as found:
        return [r for r in found.records() if not r.verdict.outcome.left_out]


def slices(records: list[Record]) -> Iterator[tuple[str, list[Record]]]:
    """All, by half, and by Spider's hardness of the reference."""
    yield "all", records
    for what in ("even", "odd"):
        yield what, [r for r in records if half(r.case) == what]
    for level in ("easy", "medium", "hard", "extra"):
        yield level, [r for r in records if f"hardness:{level}" in r.features]


def figures(judge: str, records: list[Record]) -> str:
    """AUC, tau, rho, and how the yes/no answers are wrong."""
    scored = [
        Scored(
            id=r.case.id,
            score=r.verdict.score,
            label=r.case.label,
            outcome=r.verdict.outcome,
        )
        for r in records
    ]
    found = agree({judge: scored}, bootstrap=0).judges[0]
    numbers = (found.auc, found.kendall_tau, found.spearman_rho)
    shown = "  ".join("-" if value is None else f"{value:.4f}" for value in numbers)
    confusion = found.confusion
    return f"n {len(records):5,}  AUC, tau, rho {shown}  fp {confusion.fp}  fn {confusion.fn}"


if __name__ == "__main__":
    main()
