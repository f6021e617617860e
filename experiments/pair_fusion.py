"""Do `equivalence`, `relpm` and `graph_match` together tell more of a pair than the best alone?

    python experiments/pair_fusion.py runs/train runs/spider runs/dk runs/wikisql

Runs of these three judges (`sqljury evaluate … -j equivalence,column_order=any -j relpm -j
graph_match --schemas …`). Logistic regression and monotone trees are fitted on the first run, whose
labels are `ex_colperm` of a pool, and scored on the others; what cannot be said counts as one half.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

import sqljury as sj

JUDGES = ("equivalence", "relpm", "graph_match")


def main() -> None:
    """Fit, score, print."""
    train, *tests = [table(folder) for folder in sys.argv[1:]]
    line = LogisticRegression(max_iter=2000).fit(filled(train[0]), train[1])
    signs = [1, 1, 1, 1, -1]
    trees = HistGradientBoostingClassifier(
        max_leaf_nodes=8, learning_rate=0.05, monotonic_cst=signs, random_state=0
    ).fit(*train)
    print(f"fitted on {len(train[1]):,} pairs, {train[1].mean():.1%} of them right")
    for folder, (x, y) in zip(sys.argv[2:], tests, strict=True):
        alone = {judge: filled(x)[:, place] for place, judge in enumerate(JUDGES)}
        fused = {
            "fused, linear": line.predict_proba(filled(x))[:, 1],
            "fused, trees": trees.predict_proba(x)[:, 1],
        }
        told = (
            f"{name} {roc_auc_score(y, score):.4f} ({f1_score(y, score >= 0.5):.4f})"
            for name, score in {**alone, **fused}.items()
        )
        print(f"{folder}, {len(y):,} pairs, AUC (F1 at one half): {', '.join(told)}")


def table(folder: str) -> tuple[Any, Any]:
    """Scores of the judges, and whether a proof or a counterexample was found; labels."""
    rows: dict[tuple[str, str], list[float]] = {}
    labels: dict[tuple[str, str], bool] = {}
    with sj.load_run(folder) as run:
        for record in run.records():
            case, verdict = record.case, record.verdict
            label = case.label if case.label is not None else case.extra.get("ex_colperm")
            if label is None:
                continue
            key = (case.id, case.source)
            row = rows.setdefault(key, [np.nan] * 5)
            judge = next(
                place for place, name in enumerate(JUDGES) if record.judge.startswith(name)
            )
            row[judge] = np.nan if verdict.score is None else verdict.score
            if judge == 0:
                row[3:] = [float(name in verdict.labels) for name in ("proved", "refuted")]
            labels[key] = bool(label)
    return np.array(list(rows.values())), np.array(list(labels.values()))


def filled(rows: Any) -> Any:
    """Without gaps: what is not known is one half."""
    return np.nan_to_num(rows, nan=0.5)


if __name__ == "__main__":
    main()
