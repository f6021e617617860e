"""How near to people is the judge `jury:offline`?

    python experiments/jury.py SILVER.jsonl --experts BIRD.jsonl SPIDER.jsonl --kept FOLDER \
        [--seeds 5] [--without]

Tables are of `sqljury features`: SILVER of what `jury_cases.py` writes, the experts' of ROSE-VEC.
What juries say of the experts' cases is kept in FOLDER, for `jury_cascade.py` and for another run.
Each fifth of the experts' questions is judged by a jury that was trained on the silver cases and on
the other four fifths; within these its calibration has folds of its own. κ and AUC, in percent,
with the range over the seeds; expected calibration error; κ and accuracy of the surest cases.
With --without also what is left of κ and AUC where a group of evidence is missing when a case is
judged; the juries are the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from math import log, nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from sqljury.learning.calibration import reliability
from sqljury.learning.jury import PENALTIES
from sqljury.uses.train.jury import train_jury_on

WEIGHTS = {"methods": 1.0, "bugs": 1.0, "flex": 1.4, "rose-vec-bird": 7.0, "rose-vec-spider": 7.0}
"""None below 1, so that silver labels count in the calibration, too."""
GROUPS = "execution+tables+differences+faults+verifier+linking+difficulty+question"
FOLDS = 5
COVERAGES = (1.0, 0.8, 0.6, 0.4)


def main() -> None:
    """Judge each fold, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("silver", type=Path)
    parser.add_argument("--experts", type=Path, nargs="+", required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--groups", default=GROUPS)
    parser.add_argument("--without", action="store_true")
    given = parser.parse_args()
    juries = Juries(given.silver, given.experts, given.kept, given.groups)
    rows = juries.rows
    found = [1 / (1 + np.exp(-juries.outer(seed))) for seed in range(given.seeds)]
    for name, chosen in parts(rows).items():
        show(name, [one[chosen] for one in found], labels(rows)[chosen])
    if given.without:
        show_missing(juries, given.seeds)


class Juries:
    """Log-odds by juries that have not seen a fold; trained once, kept in a folder."""

    def __init__(
        self, silver: Path, experts: Sequence[Path], kept: Path, groups: str = GROUPS
    ) -> None:
        self._lines = [line for path in experts for line in path.read_text().splitlines()]
        self.rows = [row_of(line) for line in self._lines]
        self._silver, self._kept, self._groups = silver, kept / groups, groups
        self._kept.mkdir(parents=True, exist_ok=True)

    def fold_of(self, seed: int) -> Any:
        """The fold of each case."""
        known = labels(self.rows)
        fold = np.empty(len(known), dtype=int)
        splits = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for number, (_, left_out) in enumerate(splits.split(self.rows, known)):
            fold[left_out] = number
        return fold

    @property
    def groups(self) -> list[str]:
        """The groups of evidence that juries see."""
        return self._groups.split("+")

    def outer(self, seed: int, missing: str = "") -> Any:
        """Of each case, by a jury that has not seen its fold, one group missing or none."""
        fold = self.fold_of(seed)
        found = np.empty(len(fold))
        for number in range(FOLDS):
            found[fold == number] = self._unseen(seed, number)[missing][fold == number]
        return found

    def _unseen(self, seed: int, left_out: int) -> dict[str, Any]:
        """Of all cases, by a jury that has not seen a fold; by the group that is missing."""
        file = self._kept / f"seed-{seed}-fold-{left_out}.json"
        if not file.exists():
            file.write_text(json.dumps(self._trained(seed, left_out)))
        return {name: np.array(one) for name, one in json.loads(file.read_text()).items()}

    def _trained(self, seed: int, left_out: int) -> dict[str, list[float]]:
        fold = self.fold_of(seed)
        with TemporaryDirectory() as folder:
            known, model = Path(folder) / "known.jsonl", Path(folder) / "jury.npz"
            rest = [line for line, of in zip(self._lines, fold, strict=True) if of != left_out]
            known.write_text("\n".join(rest))
            tables = [self._silver, known]
            jury = train_jury_on(tables, model, weights=WEIGHTS, groups=self._groups, seed=seed)
        vectors = np.array(
            [[row.get(name) for name in jury.names] for row in self.rows], dtype=float
        )
        asked = [[row.get(name) or 0.0 for name in PENALTIES] for row in self.rows]
        extra = np.array(asked) @ np.array([*PENALTIES.values()])
        found = {}
        for group in ("", *self.groups):
            of_group = [name.startswith(f"{group}_") for name in jury.names]
            seen = np.where(of_group, np.nan, vectors)
            found[group] = [log(p / (1 - p)) for p in jury.probabilities(seen, extra).tolist()]
        return found


def row_of(line: str) -> Any:
    """A row of a table."""
    return json.loads(line)


def labels(rows: list[Any]) -> Any:
    """What the experts say."""
    return np.array([row["label"] for row in rows], dtype=bool)


def parts(rows: list[Any]) -> dict[str, Any]:
    """The cases of each benchmark, those with rows, and all."""
    names = np.array([row["benchmark"] for row in rows])
    has_rows = np.array([row["execution_prediction_runs"] is not None for row in rows])
    found = {str(name): names == name for name in dict.fromkeys(names)}
    superhero = np.array([row["db_id"] == "superhero" for row in rows])
    return {**found, "with a database": has_rows, "superhero": superhero, "all": names == names}


def show(name: str, found: list[Any], known: Any) -> None:
    """The figures of one part."""
    kappas = [100 * cohen_kappa_score(known, one >= 0.5) for one in found]
    aucs = [100 * roc_auc_score(known, one) for one in found]
    mean = np.mean(found, axis=0)
    print(
        f"{name}: n {len(known)}, κ {np.mean(kappas):.1f} ({min(kappas):.1f}–{max(kappas):.1f}), "
        f"AUC {np.mean(aucs):.1f} ({min(aucs):.1f}–{max(aucs):.1f}), "
        f"ECE {np.mean([reliability(one.tolist(), known.tolist()).ece for one in found]):.3f}"
    )
    order = np.argsort(-np.abs(mean - 0.5))
    for coverage in COVERAGES:
        kept = order[: round(coverage * len(order))]
        said = mean[kept] >= 0.5
        # κ of cases that all have one label is not defined.
        kappa = (
            100 * cohen_kappa_score(known[kept], said) if len({*known[kept], *said}) > 1 else nan
        )
        accuracy = 100 * np.mean(known[kept] == said)
        print(f"  surest {coverage:.0%}: κ {kappa:.1f}, accuracy {accuracy:.1f}")


def show_missing(juries: Juries, seeds: int) -> None:
    """κ and AUC of each part where a group of evidence is missing, means over the seeds."""
    known = labels(juries.rows)
    for name, chosen in parts(juries.rows).items():
        print(f"{name}, without")
        for group in ("", *juries.groups):
            found = [juries.outer(seed, group)[chosen] for seed in range(seeds)]
            kappa = np.mean([cohen_kappa_score(known[chosen], one >= 0) for one in found])
            auc = np.mean([roc_auc_score(known[chosen], one) for one in found])
            print(f"  {group or 'nothing'}: κ {100 * kappa:.1f}, AUC {100 * auc:.1f}")


if __name__ == "__main__":
    main()
