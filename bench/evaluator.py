"""What one case costs a program that judges now and then: `sj.Evaluator`, and `sj.evaluate` anew.

    python bench/evaluator.py [--data DATA] [--cases 300]

Cases of the demonstration, or of Spider dev under DATA (references as predictions of themselves);
milliseconds for each judge, waited for one by one, after the first.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import sqljury as sj
from sqljury import demo

JUDGES = ("execution", "exact_set_match", "equivalence", "jury:offline")


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cases", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases, databases = spider(options.data) if options.data else demonstration(Path(folder))
        measure(cases[: options.cases], databases)


def measure(cases: list[sj.Case], databases: Path) -> None:
    """Each judge on all cases."""
    anew = one_by_one(
        cases[:5],
        lambda case: sj.evaluate([case], ["execution"], databases, limits=demo.LIMITS).close(),
    )
    print(f"{len(cases)} cases; execution by evaluate() for each: {np.median(anew):.1f} ms")
    for judge in JUDGES:
        begun = time.perf_counter()
        with sj.Evaluator(databases, judge, limits=demo.LIMITS) as evaluator:
            evaluator.judge(cases[0])
            ready = time.perf_counter() - begun
            found = one_by_one(cases[1:], evaluator.judge)
        print(
            f"{judge:16} ready in {ready:.2f} s   median {np.median(found):6.2f} ms   "
            f"p95 {np.quantile(found, 0.95):6.2f} ms   "
            f"{np.median(anew) / np.median(found):7.1f} x as fast as evaluate()"
        )


def one_by_one(cases: list[sj.Case], judge: Callable[[sj.Case], object]) -> list[float]:
    """Milliseconds of each case."""
    found = []
    for case in cases:
        begun = time.perf_counter()
        judge(case)
        found.append(1000 * (time.perf_counter() - begun))
    return found


def spider(data: Path) -> tuple[list[sj.Case], Path]:
    """Spider dev's references beside themselves."""
    rows = json.loads((data / "spider/dev.json").read_text())
    cases = [
        sj.Case(
            id=str(place),
            db_id=row["db_id"],
            question=row["question"],
            reference_sqls=(row["query"],),
            predicted_sql=f"{row['query']} ",
        )
        for place, row in enumerate(rows)
        if row["db_id"] != "wta_1"
    ]
    return cases, data / "spider/databases"


def demonstration(folder: Path) -> tuple[list[sj.Case], Path]:
    """The bundled cases."""
    files = demo.write_demo(folder)
    return list(sj.read_cases(files.cases)), files.databases


if __name__ == "__main__":
    main()
