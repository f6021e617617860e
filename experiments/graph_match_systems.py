"""Do systems rank by the graph network as they rank by execution? (figure 19 of FuncEvalGMN)

    python experiments/graph_match_systems.py --data $DATA [--model FILE]

The predictions of 17 systems for Spider's dev questions. Beside execution on the one database and
on the distilled suites (as recorded with the predictions, columns in any order; the 972 questions
whose database is there) stand the network's mean score and the share from its threshold on; it sees
the schema only. A query that cannot be read counts 0. Below: how alike the orders are (Kendall's
tau-b, Spearman's rho; 95 % by bootstrap over questions), and over all predictions the accuracy and
AUC of the network against the suites.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from labelled_pairs import network_scores
from numpy.typing import NDArray
from scipy import stats

from sqljury.benchmarks import read_cases
from sqljury.databases import read_schemas
from sqljury.learning.graph_matching.matcher import load_matcher, shipped_model
from sqljury.uses.statistics import Bootstrap, Interval, ScoreTable

RESAMPLES = 1000
TRUTHS = ("ex_colperm", "ts_colperm")


class Said(NamedTuple):
    """One prediction: whose it is, what execution says, and the score."""

    question: str
    systems: tuple[str, ...]
    truths: tuple[bool, ...]
    score: float | None


def main() -> None:
    """Score, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--model", type=Path, help="in place of sqljury's own")
    options = parser.parse_args()
    matcher = load_matcher(options.model or shipped_model())
    schemas = read_schemas(options.data / "spider" / "tables.json")
    cases = [
        case
        for case in read_cases(options.data / "candidates" / "spider-dev-17-systems.jsonl.gz")
        if case.extra["has_db"]
    ]
    texts = (
        (case.reference_sqls[0], str(case.predicted_sql), schemas.by_id[case.db_id])
        for case in cases
    )
    (scores,) = network_scores(texts, [matcher])
    rows = [
        Said(
            str(case.id),
            tuple(map(str, as_list(case.extra["systems"]))),
            tuple(bool(case.extra[truth]) for truth in TRUTHS),
            score,
        )
        for case, score in zip(cases, scores, strict=True)
    ]
    tables = tables_of(rows, matcher.threshold)
    alike(tables)
    against_suites(rows, matcher.threshold)


def as_list(value: object) -> list[object]:
    """A list, as a record has it."""
    assert isinstance(value, list)
    return value


def tables_of(rows: Sequence[Said], threshold: float) -> dict[str, NDArray[np.float64]]:
    """Systems × questions: the score, whether it reaches the threshold, what execution says."""
    systems = sorted({system for row in rows for system in row.systems})
    questions = {name: i for i, name in enumerate(dict.fromkeys(row.question for row in rows))}
    tables = {name: np.zeros((len(systems), len(questions))) for name in ("mean", "share", *TRUTHS)}
    for row in rows:
        score = row.score or 0.0
        values = (score, float(score >= threshold), *map(float, row.truths))
        for system in row.systems:
            place = systems.index(system), questions[row.question]
            for name, value in zip(tables, values, strict=True):
                tables[name][place] = value
    print(f"{len(rows):,} different predictions, {len(questions)} questions\n")
    print(f"{'':20}{'execution':>11}{'suites':>9}{'mean score':>12}{'from threshold':>16}")
    for i in sorted(range(len(systems)), key=lambda i: -tables["ts_colperm"][i].mean()):
        ex, suites, mean, share = (
            100 * tables[name][i].mean() for name in (*TRUTHS, "mean", "share")
        )
        print(f"{systems[i]:20}{ex:11.2f}{suites:9.2f}{mean:12.2f}{share:16.2f}")
    return tables


def alike(tables: Mapping[str, NDArray[np.float64]]) -> None:
    """How alike the orders of the systems are, with intervals over questions."""
    print()
    rng = np.random.default_rng(0)
    count = tables["mean"].shape[1]
    draws = rng.multinomial(count, np.full(count, 1 / count), RESAMPLES) / count
    for of in ("mean", "share", "ex_colperm"):
        for truth in TRUTHS:
            if of == truth:
                continue
            one, other = tables[of].mean(1), tables[truth].mean(1)
            again = [(tables[of] @ draw, tables[truth] @ draw) for draw in draws]
            cells = []
            for name, statistic in (("tau", stats.kendalltau), ("rho", stats.spearmanr)):
                found = [float(statistic(a, b).statistic) for a, b in again]
                low, high = np.percentile(found, (2.5, 97.5))
                value = float(statistic(one, other).statistic)
                cells.append(f"{name} {value:.3f} [{low:.3f}, {high:.3f}]")
            print(f"{of} and {truth}: {', '.join(cells)}")


def against_suites(rows: Sequence[Said], threshold: float) -> None:
    """Of single predictions: AUC and accuracy, the suites being right."""
    known = [row for row in rows if row.score is not None]
    table = ScoreTable.of([row.score or 0.0 for row in known], [row.truths[1] for row in known])
    auc = table.statistics()["auc"]
    interval: Interval | None = Bootstrap().association(table)["auc"]
    right = sum(((row.score or 0.0) >= threshold) == row.truths[1] for row in rows) / len(rows)
    low, high = interval or (float("nan"), float("nan"))
    print(
        f"different predictions against suites: AUC {auc:.4f} [{low:.4f}, {high:.4f}],"
        f" accuracy {right:.4f}, {len(rows) - len(known)} without a score"
    )


if __name__ == "__main__":
    main()
