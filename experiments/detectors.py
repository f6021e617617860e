"""Detectors of unanswerable questions that read nothing but the question.

    python experiments/detectors.py --data $DATA

EHRSQL-2024: trained on train, thresholds chosen on valid, scored on test; the same trained on both,
at the same thresholds. TriageSQL, of which only the test set is here: five folds of distinct
questions, thresholds chosen on a fifth of what is trained on. Its questions are the background of
the relative distance on EHRSQL-2024. Positive is "unanswerable" for F1 (at
0.5, and at the threshold with the best F1 where thresholds are chosen); an answered answerable
question counts 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sqljury.benchmarks import read_cases
from sqljury.decision import Decision, Reply
from sqljury.learning.detector import train_detector
from sqljury.learning.distance import train_distance
from sqljury.uses.statistics import Confusion, ScoreTable
from sqljury.uses.trust import DEFAULT_PENALTIES, best_threshold, count, withhold
from sqljury.uses.trust.training import answerable_examples

KINDS = ("forest", "novelty", "distance", "relative")


class Data(NamedTuple):
    """Questions, and whether they can be answered."""

    texts: list[str]
    labels: list[bool]

    def part(self, places: Sequence[int]) -> Data:
        """Some of the questions."""
        return Data([self.texts[i] for i in places], [self.labels[i] for i in places])

    def __add__(self, other: object) -> Data:
        assert isinstance(other, Data)
        return Data([*self.texts, *other.texts], [*self.labels, *other.labels])


class Chosen(NamedTuple):
    """What was chosen on validation questions: for F1, and for each penalty."""

    f1: float
    phi: tuple[float, ...]


def main() -> None:
    """Train, score, print."""
    folder = _options().data / "trustsql"
    names = [f"φ{penalty.name}" for penalty in DEFAULT_PENALTIES]
    print(f"| data | detector | AUROC | F1 at 0.5 | F1 | {' | '.join(names)} |")
    print(f"|---|---|---|---|---|{'---|' * len(names)}")
    triage = _distinct(_read(folder / "triagesql" / "testset_test.json.gz"))
    train, valid, test = (
        _read(folder / "ehrsql-2024" / part / "data.json.gz") for part in ("train", "valid", "test")
    )
    for kind in KINDS:
        found, chosen = _chosen(kind, train, valid, triage.texts)
        _line("EHRSQL-2024, train", kind, [(found, test, chosen)])
        both = _trained(kind, train + valid, triage.texts)
        _line("EHRSQL-2024, train and valid", kind, [(both, test, chosen)])
    for kind in KINDS[:2]:
        parts = []
        for inside, outside in _folds(len(triage.texts), 5):
            known = triage.part(inside)
            for fit, choose in list(_folds(len(inside), 5))[:1]:
                found, chosen = _chosen(kind, known.part(fit), known.part(choose))
            parts.append((found, triage.part(outside), chosen))
        _line("TriageSQL, five folds", kind, parts)


def _read(path: Path) -> Data:
    examples = list(answerable_examples(read_cases(path)))
    return Data([one.question for one in examples], [one.is_right for one in examples])


def _distinct(data: Data) -> Data:
    """Each question once: folds share none."""
    first = {text.casefold(): place for place, text in reversed(list(enumerate(data.texts)))}
    return data.part(sorted(first.values()))


def _folds(n: int, folds: int) -> Iterator[tuple[list[int], list[int]]]:
    fold = np.random.default_rng(0).permutation(n) % folds
    for number in range(folds):
        yield np.flatnonzero(fold != number).tolist(), np.flatnonzero(fold == number).tolist()


def _trained(kind: str, train: Data, background: Sequence[str]):  # type: ignore[no-untyped-def]
    """A detector; the distances learn from answerable questions only."""
    if kind in ("distance", "relative"):
        answerable = [text for text, yes in zip(*train, strict=True) if yes]
        return train_distance(answerable, background=background if kind == "relative" else ())
    return train_detector(*train, kind="forest" if kind == "forest" else "novelty")


def _chosen(  # type: ignore[no-untyped-def]
    kind: str, train: Data, valid: Data, background: Sequence[str] = ()
):
    """A detector, and the thresholds that are best on the validation questions."""
    found = _trained(kind, train, background)
    scores = found.scores(valid.texts)
    f1 = max(sorted(set(scores)), key=lambda at: _f1(scores, valid.labels, at) or 0.0)
    decisions = _decisions(scores, valid.labels)
    return found, Chosen(f1, tuple(best_threshold(decisions, p) for p in DEFAULT_PENALTIES))


def _line(data: str, kind: str, parts) -> None:  # type: ignore[no-untyped-def]
    """Scores of all folds together; each fold at its own thresholds."""
    scores, labels, at, decisions = [], [], [], [[] for _ in DEFAULT_PENALTIES]
    for found, held, chosen in parts:
        said = found.scores(held.texts)
        scores += said
        labels += held.labels
        at += [chosen.f1] * len(said)
        for kept, threshold in zip(decisions, chosen.phi, strict=True):
            kept += withhold(_decisions(said, held.labels), threshold)
    auc = ScoreTable.of(scores, labels).statistics()["auc"]
    moved = [score - threshold for score, threshold in zip(scores, at, strict=True)]
    figures = [auc, _f1(scores, labels, 0.5), _f1(moved, labels, 0.0)]
    figures += [
        count(kept).phi(penalty.of(len(kept)))
        for kept, penalty in zip(decisions, DEFAULT_PENALTIES, strict=True)
    ]
    print(f"| {data} | `{kind}` | {' | '.join(f'{100 * (f or 0):.1f}' for f in figures)} |")


def _f1(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> float | None:
    pairs = ((not label, score < threshold) for score, label in zip(scores, labels, strict=True))
    return Confusion.of(pairs).statistics()["f1"]


def _decisions(scores: Sequence[float], labels: Sequence[bool]) -> list[Decision]:
    answered = Decision(id="", answerable=True, reply=Reply.ANSWERED, correct=True)
    return [
        replace(answered, id=str(i), answerable=label, confidence=score)
        for i, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the public data")
    return parser.parse_args()


if __name__ == "__main__":
    main()
