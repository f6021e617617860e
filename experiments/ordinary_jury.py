"""How near `jury:offline` is to the labels of ordinary predictions.

    python experiments/ordinary_jury.py FIT.jsonl [--also SILVER.jsonl]
        [--aside ASIDE.jsonl] [--reference query|rows|none] [--without] [--show OUT.jsonl]

FIT and ASIDE are tables of `ordinary_features.py`. Without --aside the figures are
cross-validated: an eighth of the databases at a time (each with its variant in Spider-DK) by trees
that were trained without them. With it they are of trees trained on FIT. Each population's figures
come alone: systems' answers, and predictions that were written for the labels. Intervals: databases
drawn again, 400 times. --without hides one group of features at a time from the trees. --show
writes the probability of each case.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from sqljury.learning.calibration import reliability
from sqljury.learning.jury import PENALTIES, JuryModel
from sqljury.uses.train.jury import train_jury_on

GROUPS: Final = "execution+tables+differences+faults+linking+question+generated+compared"
ALONE: Final = f"{GROUPS}+difficulty"
"""The groups of the trees that see no reference."""
WRITTEN: Final = ("spider-train", "kaggle-dbqa")
WEIGHTS: Final = {
    "methods": 0.2,
    "bugs": 0.2,
    "flex": 0.2,
    **dict.fromkeys(WRITTEN, 1.5),
    "spider-dev/flight_2": 0.3,
    "spider-dk/flight_2": 0.3,
}
FOLDS: Final = 8
DRAWS: Final = 400


def main() -> None:
    """Train, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fit", type=Path)
    parser.add_argument("--also", type=Path, nargs="*", default=())
    parser.add_argument("--aside", type=Path)
    parser.add_argument("--reference", choices=("query", "rows", "none"), default="query")
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--show", type=Path)
    options = parser.parse_args()
    rows, also = read(options.fit), [row for path in options.also for row in read(path)]
    if options.aside:
        model = trained([*rows, *also], options.reference)
        rows = read(options.aside)
        parts = [(model, np.arange(len(rows)))]
    else:
        families = [family(row["db_id"]) for row in rows]
        ordered = [name for name, _ in Counter(families).most_common()]
        of = np.array([ordered.index(name) % FOLDS for name in families])
        parts = []
        for number in range(FOLDS):
            held = {name for name, at in zip(families, of, strict=True) if at == number}
            rest = [row for row in [*rows, *also] if family(row["db_id"]) not in held]
            model = trained(rest, options.reference)
            parts.append((model, np.flatnonzero(of == number)))
    groups = ALONE if options.reference == "none" else GROUPS
    hidden = ["", *groups.split("+"), "asked"] if options.without else [""]
    for group in hidden:
        found, sure, unfamiliar = asked(rows, parts, group)
        print(f"without {group or 'nothing'}:")
        written = np.array([row["benchmark"] in WRITTEN for row in rows])
        for title, chosen in (("systems", ~written), ("written", written), ("all", written | True)):
            print(f" {title}:")
            at = np.flatnonzero(chosen)
            show([rows[i] for i in at], found[at], sure[at], unfamiliar[at], drawn=not group)
        if options.show and not group:
            lines = [{"id": row["id"], "probability": p, "label": row["label"], "sure": bool(s)}
                     for row, p, s in zip(rows, found.tolist(), sure, strict=True)]  # fmt: skip
            options.show.write_text("".join(json.dumps(one) + "\n" for one in lines))


def read(path: Path) -> list[Any]:
    """The rows of a table."""
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def family(database: str) -> str:
    """A database's name, without the prefix of its variant in Spider-DK."""
    return database.removeprefix("new_")


def trained(rows: Sequence[Any], reference: str) -> JuryModel:
    """A jury trained on rows."""
    with TemporaryDirectory() as folder:
        table = Path(folder) / "rows.jsonl"
        table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        out = Path(folder) / "jury.npz"
        groups = ALONE if reference == "none" else GROUPS
        return train_jury_on(table, out, weights=WEIGHTS, groups=groups, reference=reference)


def asked(rows: Sequence[Any], parts: Sequence[tuple[JuryModel, Any]], hidden: str) -> Any:
    """The probability of each row, and whether it is sure and unfamiliar, one group of features
    hidden."""
    found = np.zeros(len(rows))
    sure, unfamiliar = np.zeros((2, len(rows)), dtype=bool)
    for model, places in parts:
        names = [*model.names, *PENALTIES]
        table = np.array([[rows[at].get(name) for name in names] for at in places], dtype=float)
        if hidden:
            table[:, [name.startswith(f"{hidden}_") for name in names]] = np.nan
        known = len(model.names)
        extra = np.nan_to_num(table[:, known:]) @ np.array(list(PENALTIES.values()))
        found[places] = model.probabilities(table[:, :known], extra)
        low, high = model.sure or (0.0, 1.0)
        sure[places] = (found[places] <= low) | (found[places] >= high)
        for at in places:
            values = {k: v for k, v in rows[at].items() if isinstance(v, float)}
            unfamiliar[at] = bool(model.weigh(values).unfamiliar)
    return found, sure, unfamiliar


def show(rows: Sequence[Any], found: Any, sure: Any, unfamiliar: Any, *, drawn: bool) -> None:
    """All figures."""
    label = np.array([row["label"] for row in rows])
    weight = np.array([row["weight"] ** 3 for row in rows])
    equal = np.array([row["execution_spider"] == 1 for row in rows])
    of = np.array([row["db_id"] for row in rows])
    said = found >= 0.5

    def figure(name: str, value: Callable[[Any], float]) -> None:
        text = f"  {name}: {value(np.arange(len(rows))):.3f}"
        if drawn:
            text += " ({:.3f} to {:.3f})".format(*interval(of, value))
        print(text)

    def kappa(at: Any) -> float:
        return float(cohen_kappa_score(label[at], said[at]))

    def auc(at: Any) -> float:
        return float(roc_auc_score(label[at], found[at])) if len(set(label[at])) > 1 else np.nan

    def among(chosen: Any, value: Callable[[Any], float]) -> Callable[[Any], float]:
        return lambda at: value(at[chosen[at]])

    print(f"  {len(rows):,} cases, {label.mean():.0%} right, {said.mean():.0%} accepted")
    for name, chosen in (("equal", equal), ("differing", ~equal)):
        print(f"  {name} rows: {chosen.sum()} cases, {label[chosen].mean():.0%} right")
    figure("kappa", kappa)
    figure("AUC", auc)
    if not drawn:
        return
    figure("kappa by weight", lambda at: float(
        cohen_kappa_score(label[at], said[at], sample_weight=weight[at])))  # fmt: skip
    figure("wrong among accepted", lambda at: float(1 - label[at][said[at]].mean()))
    figure("differing, wrong, accepted", among(~equal, lambda at: float(
        (said[at] & ~label[at]).sum() / max(1, (~label[at]).sum()))))  # fmt: skip
    figure("differing, wrong and accepted, of all", among(~equal, lambda at: float(
        (said[at] & ~label[at]).mean())))  # fmt: skip
    for name, chosen in (("equal", equal), ("differing", ~equal)):
        figure(f"{name} rows: kappa", among(chosen, kappa))
        figure(f"{name} rows: AUC", among(chosen, auc))
    figure("expected calibration error",
           lambda at: reliability(found[at].tolist(), label[at].tolist()).ece)  # fmt: skip
    figure("unfamiliar", lambda at: float(unfamiliar[at].mean()))
    figure("right among unfamiliar", among(unfamiliar, lambda at: float(
        (said == label)[at].mean() if len(at) else np.nan)))  # fmt: skip
    figure("right among others", among(~unfamiliar, lambda at: float(
        (said == label)[at].mean())))  # fmt: skip
    figure("sure", lambda at: float(sure[at].mean()))
    figure("right among sure", among(sure, lambda at: float((said == label)[at].mean())))

    def hits(at: Any) -> float:
        return float((said == label)[at].mean()) if len(at) else np.nan

    for name, side in (("correct", said), ("incorrect", ~said)):
        figure(f"sure and {name}", lambda at, side=side: float((sure & side)[at].mean()))
        figure(f"right among sure and {name}", among(sure & side, hits))
    order = np.argsort(-np.abs(found - 0.5), kind="stable")
    right = np.cumsum((said == label)[order]) / np.arange(1, len(rows) + 1)
    enough = np.flatnonzero(right >= 0.95)
    print(
        f"  surest share with 95 % right: {(enough[-1] + 1 if len(enough) else 0) / len(rows):.2f}"
    )
    for name in PENALTIES:
        hit = [row["label"] for row in rows if row.get(name) == 1]
        print(f"  {name}: {len(hit)} cases, {sum(hit)} of them right")


def interval(of: Any, value: Callable[[Any], float]) -> tuple[float, float]:
    """The middle 95 % of a figure, databases drawn again."""
    random = np.random.default_rng(0)
    places = {name: np.flatnonzero(of == name) for name in sorted(set(of))}
    names = list(places)
    found = []
    for _ in range(DRAWS):
        drawn = random.choice(names, len(names))
        found.append(value(np.concatenate([places[name] for name in drawn])))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    main()
