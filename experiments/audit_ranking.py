"""How well does typed evidence rank queries by how likely they are faulty, without a reference?

    python experiments/audit_ranking.py DATA [OUT]

Logistic regression on the features that `sqljury features` finds without a reference, the audit's
checks among them. It is fitted on five of BIRD's eleven databases of NL2SQL-Bugs (the penalty by
leaving out one of the five at a time) and tested on the other six, and on labels of other
people. OUT keeps the features; the same OUT again goes on.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import sqljury as sj
from audit import BUILDING, plain, ranked, read

GROUPS = "difficulty+faults+linking+question+verifier"
PENALTIES = (0.01, 0.05, 0.2, 1.0)
Query = dict[str, Any]


def evidence(data: Path, queries: Sequence[Query], out: Path) -> np.ndarray:
    """A row of features for each query; what is not known is NaN."""
    cases = [
        sj.Case(
            id=str(number),
            db_id=one["db_id"],
            question=one["question"],
            hint=one.get("hint") or None,
            predicted_sql=one["sql"],
        )
        for number, one in enumerate(queries)
    ]
    schemas = out / "tables.json"
    out.mkdir(parents=True, exist_ok=True)
    schemas.write_bytes(gzip.decompress((data / "bird/dev_tables.json.gz").read_bytes()))
    found = sj.features(cases, data / "bird/databases", schemas=schemas, groups=GROUPS, run=out)
    return np.array([[_number(row[one.name]) for one in found.features] for row in found.rows])


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else np.nan


def model(penalty: float) -> Pipeline:
    """Unknown is the mean of what is known."""
    return make_pipeline(
        SimpleImputer(keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(C=penalty, max_iter=5000),
    )


def left_out(penalty: float, x: np.ndarray, y: np.ndarray, databases: np.ndarray) -> float:
    """The area under the curve where each database is told by a model of the others."""
    told = np.zeros(len(y))
    for one in np.unique(databases):
        own = databases == one
        told[own] = model(penalty).fit(x[~own], y[~own]).predict_proba(x[own])[:, 1]
    return float(roc_auc_score(y, told))


def bugs(data: Path) -> list[Query]:
    """NL2SQL-Bugs: experts' labels."""
    rows = read(data / "human/nl2sql-bugs/NL2SQL-Bugs-with-evidence.json.gz")
    return [{**one, "hint": one["evidence"], "faulty": not one["label"]} for one in rows]


def rose_vec(data: Path) -> list[Query]:
    """ROSE-VEC, BIRD: an annotator's reason calls the reference false."""
    return [
        {
            "db_id": one["db_id"],
            "question": one["question"],
            "hint": one.get("evidence"),
            "sql": one["gold_sql"],
            "faulty": "GOLD" in f"{one.get('reason_1')} {one.get('reason_2')}".upper(),
        }
        for one in read(data / "rose-vec/rose-vec-bird.json")
    ]


def arcwise(data: Path) -> list[Query]:
    """Arcwise: references of BIRD's mini-dev that were corrected since."""
    new = {str(one["question_id"]): one for one in read(data / "bird/arcwise/mini_dev_sqlite.json")}
    return [
        {
            "db_id": one["db_id"],
            "question": one["question"],
            "hint": one["evidence"],
            "sql": one["SQL"],
            "faulty": plain(one["SQL"]) != plain(new[str(one["question_id"])]["SQL"]),
        }
        for one in read(data / "bird/dev.json")
        if str(one["question_id"]) in new
    ]


def main() -> None:
    """Print areas under the curve with intervals, and calibration."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder)
        rows = bugs(options.data)
        x = evidence(options.data, rows, out / "bugs")
        y = np.array([one["faulty"] for one in rows])
        databases = np.array([one["db_id"] for one in rows])
        own = np.isin(databases, sorted(BUILDING))
        areas = {c: left_out(c, x[own], y[own], databases[own]) for c in PENALTIES}
        best = max(areas, key=areas.__getitem__)
        print("one database left out, by penalty:", {c: round(a, 3) for c, a in areas.items()})
        fitted = model(best).fit(x[own], y[own])
        show("NL2SQL-Bugs, the six databases", fitted, x[~own], y[~own])
        for part in (rose_vec, arcwise):
            queries = [one for one in part(options.data) if one["db_id"] not in BUILDING]
            labels = np.array([one["faulty"] for one in queries])
            found = evidence(options.data, queries, out / part.__name__)
            show(f"{part.__name__}, databases not fitted on", fitted, found, labels)


def show(name: str, fitted: Pipeline, x: np.ndarray, y: np.ndarray) -> None:
    """One set of labels."""
    told = fitted.predict_proba(x)[:, 1]
    print(f"{name}: {len(y)} queries, {int(y.sum())} faulty")
    ranked([(bool(is_faulty), float(p), "") for is_faulty, p in zip(y, told, strict=True)])


if __name__ == "__main__":
    main()
