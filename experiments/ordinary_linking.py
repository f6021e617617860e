"""Schema linking of written predictions by a verifier that has not seen their databases.

    python experiments/ordinary_linking.py DATA CASES.jsonl --work FOLDER --out LINKING.jsonl

The verifier that comes with the package learned from all of Spider's training questions what a
question lets one expect. Here that is learned on two thirds of the databases for the last third, in
turn, as for training the verifier itself. LINKING has the features of the group `linking` of each
case that answers one of these questions, for `ordinary_features.py --linking`. Each third is kept
in FOLDER.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from train_verifier import FOLDS, Examples, expectations, fold_of

from sqljury.benchmarks import read_cases
from sqljury.databases import open_databases
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.jury_features import Pair, chosen_groups
from sqljury.learning import small_verifier


def main() -> None:
    """Learn what to expect, find the features, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fold", type=int, help="find the features of this third only")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.fold is not None:
        one_fold(options.data, options.cases, options.work, options.fold, options.out)
        return
    known: list[Examples] = []

    def examples() -> Examples:
        if not known:
            known.append(training_questions(options.data))
        return known[0]

    shipped = small_verifier.load_small_verifier(small_verifier.SHIPPED)
    for fold in range(FOLDS):
        expected = expectations(options.work, fold, examples)
        made = small_verifier.SmallVerifier(expected, shipped.asked, shipped.blind, shipped.card)
        made.save(options.work / f"verifier-{fold}.npz")
    with options.out.open("w", encoding="utf-8") as file:
        for fold in range(FOLDS):
            # The jury loads the verifier that comes with the package, once per process.
            part = options.work / f"linking-{fold}.jsonl"
            run_fold(fold, options, part)
            file.write(part.read_text(encoding="utf-8"))


def run_fold(fold: int, options: argparse.Namespace, part: Path) -> None:
    """The features of one third, in a process of its own."""
    import subprocess

    places = [str(one) for one in (options.data, options.cases)]
    more = ["--work", str(options.work), "--out", str(part), "--fold", str(fold)]
    subprocess.run([sys.executable, __file__, *places, *more], check=True)


def training_questions(data: Path) -> Examples:
    """Spider's training questions with their references, of the databases that are at hand."""
    file = data / "spider/spider_syn/train_spider.json.gz"
    of: dict[str, list[Any]] = defaultdict(list)
    for one in json.loads(gzip.decompress(file.read_bytes())):
        asked = [{"question": one["SpiderQuestion"]}]
        pool = {"db_id": one["db_id"], "reference": one["query"], "questions": asked}
        of[one["db_id"]].append(pool)
    found = Examples()
    databases = open_databases(data / "spider/databases")
    for name, pools in sorted(of.items()):
        if databases.open(name) is not None:
            found.add(pools, data)
    return found


def one_fold(data: Path, cases: Path, work: Path, fold: int, out: Path) -> None:
    """The features of the cases of one third of the databases."""
    small_verifier.SHIPPED = work / f"verifier-{fold}.npz"  # type: ignore[misc]
    (linking,) = chosen_groups("linking")
    databases = open_databases(data / "spider/databases")
    chosen = [c for c in read_cases(cases) if c.benchmark == "spider-train"]
    with out.open("w", encoding="utf-8") as file:
        for case in chosen:
            if fold_of(case.db_id or "") == fold:
                database = databases.open(case.db_id or "")
                evidence = DatabaseEvidence(case, database, ExecutionCache(), Limits())
                row = {"id": case.id, **linking.values(Pair(case, evidence))}
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
