"""Detectors of questions to abstain from, and of wrong SQL: trained on texts and labels.

``forest`` is the paper's RF and RF*: a random forest on TF–IDF of words and pairs of words.
``novelty`` adds what a forest cannot see, words that it never met: a logistic regression, fitted on
held-out folds, joins extra trees on words and characters with the share of unknown words and the
similarity to the nearest answerable questions; and, where a representation is given, with a plane
through its vectors.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.2; stacking: Wolpert (1992).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any, Literal

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.distance import DistanceDetector, distance_from_file
from sqljury.learning.forest import Forest
from sqljury.learning.masking import Reads, masked
from sqljury.learning.model_file import PathLike, read_model, write_model
from sqljury.learning.novelty import Novelty
from sqljury.learning.plane import Plane
from sqljury.learning.representations import Representation, from_file, representation
from sqljury.learning.sampling import FOLDS, folds
from sqljury.learning.text_vectors import Tfidf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Kind = Literal["forest", "novelty"]

_VERSION = 2
_DIGITS = 9
"""Of a score, behind the point."""


@dataclass(frozen=True, slots=True)
class TrainedDetector:
    """A trained detector; its scores are probabilities that answering is right.

    ``reads`` says what its texts are: the question, or the question and the SQL.
    """

    kind: Kind
    reads: Reads
    tfidfs: tuple[Tfidf, ...]
    forest: Forest
    novelty: Novelty | None = None
    weights: tuple[float, ...] = ()
    """Of the logistic regression: the constant, then one for each measure."""
    vectors: Representation | None = None
    plane: Plane | None = None
    """Through those vectors."""

    def scores(self, texts: Sequence[str]) -> list[float]:
        """The probability of yes for each text."""
        plain = [masked(text) for text in texts]
        yes = self.forest.probabilities(_vectors(self.tfidfs, plain))
        if self.novelty is None:
            return [round(float(one), _DIGITS) for one in yes]
        measures = [yes, *self.novelty.measures(plain).T]
        if self.vectors is not None and self.plane is not None:
            measures.append(self.plane.heights(self.vectors.transform(plain)))
        chances = (_logistic(self.weights, row) for row in zip(*measures, strict=True))
        # What the last digits are depends on how many texts are looked at together.
        return [round(chance, _DIGITS) for chance in chances]

    def save(self, path: PathLike) -> None:
        """Write a model file.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        arrays = self.forest.arrays("forest_")
        tfidfs = list(self.tfidfs)
        facts: dict[str, Any] = {"version": _VERSION, "kind": self.kind, "reads": self.reads}
        if self.novelty is not None:
            arrays |= self.novelty.arrays()
            tfidfs.append(self.novelty.tfidf)
            facts |= {"words": sorted(self.novelty.words), "weights": list(self.weights)}
        if self.vectors is not None and self.plane is not None:
            arrays |= {**self.vectors.arrays(), **self.plane.arrays()}
            facts["representation"] = self.vectors.facts()
        for place, tfidf in enumerate(tfidfs):
            arrays[f"idf_{place}"] = tfidf.idf
        facts["tfidfs"] = [[one.analyzer, one.ngrams, one.terms] for one in tfidfs]
        write_model(path, facts, arrays)


def load_detector(path: PathLike) -> TrainedDetector | DistanceDetector:
    """The detector of a model file, of any kind.

    Raises:
        InputError: SJ020: there is no such file; SJ030: it holds no detector of this version;
            SJ031: it is damaged.
    """
    facts, arrays = read_model(path)
    if facts.get("version") != _VERSION or "kind" not in facts:
        raise InputError("SJ030", "not a detector of this version.", where=str(path))
    try:
        if facts["kind"] in ("distance", "relative"):
            return distance_from_file(facts, arrays)
        return _from_file(facts, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("SJ031", f"not a whole detector: {error}.", where=str(path)) from None


def _from_file(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> TrainedDetector:
    tfidfs = [
        Tfidf(analyzer, (low, high), tuple(terms), arrays[f"idf_{place}"])
        for place, (analyzer, (low, high), terms) in enumerate(facts["tfidfs"])
    ]
    novelty = None
    if facts["kind"] == "novelty":
        novelty = Novelty.from_arrays(facts["words"], tfidfs.pop(), arrays)
    plane = Plane.from_arrays(arrays) if "representation" in facts else None
    return TrainedDetector(
        kind=facts["kind"],
        reads=facts["reads"],
        tfidfs=tuple(tfidfs),
        forest=Forest.from_arrays(arrays, "forest_"),
        novelty=novelty,
        weights=tuple(facts.get("weights", ())),
        vectors=from_file(facts["representation"], arrays) if plane else None,
        plane=plane,
    )


# ---------------------------------------------------------------- training


def train_detector(
    texts: Sequence[str],
    labels: Sequence[bool],
    *,
    kind: Kind = "novelty",
    vectors: str | None = None,
    reads: Reads = "question",
    seed: int = 0,
) -> TrainedDetector:
    """Train on texts and whether answering was right; the same seed gives the same detector.

    Args:
        vectors: a representation for ``novelty``, by the names of
            :mod:`sqljury.learning.representations`; words only without it.

    Raises:
        InputError: SJ021: too few texts of a label; SJ022, SJ028: no such representation.
        MissingExtraError: scikit-learn is not installed, or what the representation needs.
    """
    least = min(sum(labels), len(labels) - sum(labels))
    if least < FOLDS:
        raise InputError("SJ021", f"there are {least} texts of one label, {FOLDS} are needed.")
    plain = [masked(text) for text in texts]
    if kind == "forest":
        tfidf = Tfidf.fit(plain)
        forest = Forest.train(tfidf.transform(plain), labels, seed=seed)
        return TrainedDetector(kind, reads, (tfidf,), forest)
    known = None if vectors is None else representation(vectors, plain)
    rows = None if known is None else known.transform(plain)
    weights = _weights(plain, rows, labels, seed)
    plane = None if rows is None else Plane.fit(rows, labels)
    return TrainedDetector(kind, reads, *_parts(plain, labels, seed), weights, known, plane)


def _parts(
    texts: Sequence[str], labels: Sequence[bool], seed: int
) -> tuple[tuple[Tfidf, ...], Forest, Novelty]:
    tfidfs = (
        Tfidf.fit(texts),
        Tfidf.fit(texts, analyzer="char_wb", ngrams=(2, 4), least=2),
    )
    forest = Forest.train(_vectors(tfidfs, texts), labels, seed=seed, kind="extra", balanced=True)
    answerable = [text for text, yes in zip(texts, labels, strict=True) if yes]
    return tfidfs, forest, Novelty.fit(answerable)


def _weights(
    texts: Sequence[str], vectors: Array | None, labels: Sequence[bool], seed: int
) -> tuple[float, ...]:
    """A logistic regression on what each fold's texts measure by the others'."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtraError("scikit-learn", "learning", "Training a detector") from None
    import numpy as np

    rows = np.zeros((len(texts), 3 if vectors is None else 4))
    for inside, outside in folds(labels, seed):
        known = [texts[i] for i in inside]
        said = [labels[i] for i in inside]
        tfidfs, forest, novelty = _parts(known, said, seed)
        held = [texts[i] for i in outside]
        rows[outside, 0] = forest.probabilities(_vectors(tfidfs, held))
        rows[outside, 1:3] = novelty.measures(held)
        if vectors is not None:
            rows[outside, 3] = Plane.fit(vectors[inside], said).heights(vectors[outside])
    center, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    model = LogisticRegression(class_weight="balanced").fit((rows - center) / scale, labels)
    slopes = model.coef_[0] / scale
    return (float(model.intercept_[0] - slopes @ center), *map(float, slopes))


def _vectors(tfidfs: Sequence[Tfidf], texts: Sequence[str]) -> Any:
    from scipy.sparse import csr_array, hstack

    return csr_array(hstack([tfidf.transform(texts) for tfidf in tfidfs]))


def _logistic(weights: Sequence[float], measures: Sequence[float]) -> float:
    constant, *slopes = weights
    total = constant + sum(w * float(m) for w, m in zip(slopes, measures, strict=True))
    return 1 / (1 + exp(-max(-500.0, min(500.0, total))))
