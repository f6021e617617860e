"""Do training pairs give their labels away?

    python experiments/pair_shortcuts.py pairs.jsonl

Gradient boosting on how often each keyword stands in the prediction, and in both queries, fitted on
the training split and scored on the validation split (whose databases are others). What it gets
right it gets right without comparing the queries: 0.5 would be no shortcut at all. Needs
scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

WORDS = (
    *("SELECT", "JOIN", "WHERE", "DISTINCT", "GROUP BY", "ORDER BY", "LIMIT", "COUNT", "CAST"),
    *("WITH ", " AND ", " OR ", " IN ", "NOT ", "EXISTS", "UNION", "=", "AS ", "''", "NULL"),
)


def counts(sql: str) -> list[int]:
    """How often each word is in a query."""
    text = sql.upper()
    return [len(re.findall(word, text)) for word in WORDS]


def main() -> None:
    """Print the AUC of both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path)
    lines = parser.parse_args().pairs.read_text("utf-8").splitlines()
    pairs: list[dict[str, Any]] = [json.loads(line) for line in lines]
    held_out = np.array([pair["split"] == "validation" for pair in pairs])
    labels = np.array([pair["label"] for pair in pairs])
    predictions = np.array([counts(pair["prediction"]) for pair in pairs])
    both = np.hstack([predictions, [counts(pair["reference"]) for pair in pairs]])
    for name, features in (("prediction alone", predictions), ("both queries", both)):
        model = HistGradientBoostingClassifier(random_state=0)
        model.fit(features[~held_out], labels[~held_out])
        scores = model.predict_proba(features[held_out])[:, 1]
        print(f"{name}: AUC {roc_auc_score(labels[held_out], scores):.3f}")


if __name__ == "__main__":
    main()
