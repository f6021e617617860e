"""What each departure of `relpm` from the printed equations gains, on FuncEvalGMN's labelled pairs.

    python bench/relpm.py [--data FOLDER]

From `relpm:paper` to `relpm`, one departure at a time: by itself, and all but that one. AUC of the
score over all rows of a file that can be read, and the mean over the files. FOLDER holds pairs/ and
spider/ (docs/reproduce.md).

Of `relpm:paper` also the threshold that is right most often on the rows whose hash is even, the
half that thresholds are chosen on (bench/pairs.py).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sklearn.metrics import roc_auc_score

from pairs import FILES, half_of
from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.databases import read_schemas
from sqljury.databases.ddl import schema_from_ddl
from sqljury.equivalence.canonical import Canonical, canonical_query
from sqljury.likeness.matching.partial import AS_PRINTED, TreeReading, Weights, partial_match
from sqljury.likeness.matching.trees import Node, operator_tree
from sqljury.schema import Schema
from sqljury.trees.context import DECLARED_ASSUMPTIONS

PAPER = Weights(alpha=0.5, omega=0.5, beta=2.0, reading=AS_PRINTED)
OURS = Weights()
DEPARTURES = ("by_size", "deep", "ordered", "beta")


@dataclass(frozen=True)
class Pair:
    """Two trees, and whether people call the queries equal."""

    prediction: Node
    reference: Node
    label: bool
    even: bool


def main() -> None:
    """Read, match, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    options = parser.parse_args()
    if not (options.data / "pairs").is_dir():
        sys.exit(f"{options.data / 'pairs'} is not there: pass --data FOLDER")
    files = [list(pairs(options.data, name)) for name in FILES]
    print(f"{'':34}" + "".join(f"{name[:12]:>14}" for name in FILES) + f"{'mean':>8}")
    for what, weights in steps():
        found = [auc(rows, weights) for rows in files]
        mean = sum(found) / len(found)
        print(f"{what:34}" + "".join(f"{value:14.4f}" for value in found) + f"{mean:8.4f}")
    even = [pair for rows in files for pair in rows if pair.even]
    print(f"threshold of relpm:paper on {len(even):,} even rows: {best_threshold(even):.3f}")


def steps() -> Iterator[tuple[str, Weights]]:
    """The printed equations, each departure alone, all but each, and all."""
    yield "as printed (relpm:paper)", PAPER
    for name in DEPARTURES:
        yield f"  and {name}", departed(name)
    for name in DEPARTURES:
        yield f"  all but {name}", departed(*(other for other in DEPARTURES if other != name))
    yield "all (relpm)", departed(*DEPARTURES)
    yield "relpm with beta 2", replace(OURS, beta=2.0)


def departed(*names: str) -> Weights:
    """The printed equations but for some departures."""
    reading = TreeReading(**{name: name in names for name in ("by_size", "deep", "ordered")})
    return Weights(
        omega=OURS.omega if reading.by_size else PAPER.omega,
        beta=OURS.beta if "beta" in names else PAPER.beta,
        reading=reading,
    )


def scored(rows: Sequence[Pair], weights: Weights) -> tuple[list[float], list[bool]]:
    """Scores and labels."""
    scores = [partial_match(row.prediction, row.reference, weights).f for row in rows]
    return scores, [row.label for row in rows]


def auc(rows: Sequence[Pair], weights: Weights) -> float:
    """Of the score over all rows."""
    scores, labels = scored(rows, weights)
    return float(roc_auc_score(labels, scores))


def best_threshold(rows: Sequence[Pair]) -> float:
    """The lowest score from which on a yes is right most often."""
    scores, labels = scored(rows, PAPER)
    candidates = sorted({round(score, 3) for score in scores})
    return max(
        candidates,
        key=lambda at: sum((s >= at) == label for s, label in zip(scores, labels, strict=True)),
    )


def pairs(data: Path, name: str) -> Iterator[Pair]:
    """The pairs of a file of which both sides can be read."""
    known = FILES[name]
    schemas = None if known is None else read_schemas(data / known)
    for case in read_cases(data / "pairs" / f"{name}.csv.gz"):
        schema = None if schemas is None else schemas.get(case.db_id)
        if schema is None and case.schema_sql is not None:
            schema = schema_from_ddl(case.schema_sql)
        trees = [tree(sql, schema) for sql in (str(case.predicted_sql), case.reference_sqls[0])]
        if trees[0] is not None and trees[1] is not None:
            yield Pair(trees[0], trees[1], bool(case.label), not half(case))


def half(case: Case) -> int:
    """0 for the rows that thresholds are chosen on."""
    return half_of(case.reference_sqls[0], str(case.predicted_sql))


def tree(sql: str, schema: Schema | None) -> Node | None:
    """The canonical tree; None where the query cannot be read."""
    found = None if schema is None else canonical_query(sql, schema, "sqlite", DECLARED_ASSUMPTIONS)
    return operator_tree(found.relation) if isinstance(found, Canonical) else None


if __name__ == "__main__":
    main()
