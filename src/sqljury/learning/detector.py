"""Detectors of questions to abstain from, and of wrong SQL: trained on texts and labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any, Literal

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.ensembles import Forest
from sqljury.learning.model_file import PathLike, read_model, whole_model, write_model
from sqljury.learning.representations import Representation, from_file, representation
from sqljury.learning.text_vectors import Tfidf

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Array = NDArray[Any]


# ---------------------------------------------------------------- masking
#
# The text of a case that a detector reads.


Reads = Literal["question", "sql"]

_NUMBER = re.compile(r"\d+")


def text_of(question: str, sql: str, reads: Reads) -> str:
    """The text that a detector reads: the question, or the question and the SQL."""
    return question if reads == "question" else f"{question}\n{sql}"


def masked(text: str) -> str:
    """The text with every number replaced by 0: a question's kind does not depend on them."""
    return _NUMBER.sub("0", text)


# ---------------------------------------------------------------- sampling
#
# Folds for cross-validation, with both labels balanced, the same for the same seed.


FOLDS = 5


def folds(labels: Sequence[bool], seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """For each of five folds: the indexes of the other cases, and of the fold's cases.

    Each label is spread evenly over the folds.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    fold = np.zeros(len(labels), dtype=int)
    for label in (True, False):
        places = np.flatnonzero(np.array(labels, dtype=bool) == label)
        fold[generator.permutation(places)] = np.arange(len(places)) % FOLDS
    for number in range(FOLDS):
        yield np.flatnonzero(fold != number).tolist(), np.flatnonzero(fold == number).tolist()


# ---------------------------------------------------------------- mahalanobis
#
# The distance of a vector from the training data.
#
# Source: Lee et al. (2018), arXiv:1807.03888; relative: Ren et al. (2021), arXiv:2106.09022.


_RIDGE = 1e-3
"""Share of the mean variance that is added to each variance: with few data some would be 0."""


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A mean and a whitening matrix: whitened data have the identity as covariance."""

    mean: Array
    whitening: Array

    @classmethod
    def fit(cls, rows: Array) -> Gaussian:
        """The Gaussian with the mean and the covariance of the rows."""
        import numpy as np

        covariance = np.cov(rows, rowvar=False)
        size = len(covariance)
        covariance += np.eye(size) * (_RIDGE * np.trace(covariance) / size + 1e-12)
        # If C = L L', inv(L) x has the squared length x' inv(C) x.
        return cls(rows.mean(axis=0), np.linalg.inv(np.linalg.cholesky(covariance)))

    def distances(self, rows: Array) -> Array:
        """The squared Mahalanobis distance of each row."""
        white = (rows - self.mean) @ self.whitening.T
        squared: Array = (white**2).sum(axis=1)
        return squared

    def arrays(self, prefix: str) -> dict[str, Array]:
        """The parts by name, for a model file."""
        return {f"{prefix}mean": self.mean, f"{prefix}whitening": self.whitening}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], prefix: str) -> Gaussian:
        """The inverse of :meth:`arrays`."""
        return cls(arrays[f"{prefix}mean"], arrays[f"{prefix}whitening"])


# ---------------------------------------------------------------- plane
#
# A linear classifier of a text's vector, for what words alone do not show.


@dataclass(frozen=True, slots=True)
class Plane:
    """A logistic regression; higher values mean yes."""

    constant: float
    slopes: Array

    @classmethod
    def fit(cls, rows: Array, labels: Sequence[bool]) -> Plane:
        """Trains with scikit-learn; both labels have the same total weight.

        Raises:
            MissingExtraError: SJ001: scikit-learn is not installed.
        """
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise MissingExtraError("scikit-learn", "learning", "Training a detector") from None
        import numpy as np

        # Rows are scaled to mean length 1, because the penalty on slopes depends on their length.
        length = float(np.linalg.norm(rows, axis=1).mean()) or 1.0
        model = LogisticRegression(class_weight="balanced", max_iter=2000)
        model.fit(rows / length, labels)
        return cls(float(model.intercept_[0]), model.coef_[0] / length)

    def heights(self, rows: Array) -> Array:
        """The log-odds of yes for each row."""
        above: Array = rows.astype(float) @ self.slopes.astype(float) + self.constant
        return above

    def arrays(self) -> dict[str, Array]:
        """The parts by name, for a model file."""
        import numpy as np

        return {"plane_slopes": self.slopes, "plane_constant": np.array(self.constant)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Plane:
        """The inverse of :meth:`arrays`."""
        return cls(float(arrays["plane_constant"]), arrays["plane_slopes"])


# ---------------------------------------------------------------- novelty
#
# How much a question differs from those that are known to be answerable.


_WORD = re.compile(r"\w+")
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Novelty:
    """The words of the answerable questions, and their TF–IDF vectors.

    Gives two measures: the share of a question's words that no answerable question has, and its
    mean cosine similarity to the three nearest answerable questions.
    """

    words: frozenset[str]
    tfidf: Tfidf
    known: csr_array

    @classmethod
    def fit(cls, texts: Sequence[str]) -> Novelty:
        """Learns from the texts of answerable questions."""
        words = frozenset(word for text in texts for word in _WORD.findall(text.lower()))
        tfidf = Tfidf.fit(texts)
        return cls(words, tfidf, tfidf.transform(texts))

    def measures(self, texts: Sequence[str]) -> Array:
        """A row per text: the share of unknown words, the mean similarity to the three nearest."""
        import numpy as np

        unknown = [self._unknown(text) for text in texts]
        similar = (self.tfidf.transform(texts) @ self.known.T).toarray()
        nearest = np.sort(similar, axis=1)[:, -_NEAREST:].mean(axis=1)
        return np.column_stack([np.array(unknown), nearest])

    def _unknown(self, text: str) -> float:
        words = _WORD.findall(text.lower())
        # A text without words counts as entirely unknown.
        return sum(word not in self.words for word in words) / len(words) if words else 1.0

    def arrays(self) -> dict[str, Array]:
        """The vectors, for a model file; words and terms are text and are stored as facts."""
        return {
            "known_data": self.known.data,
            "known_indices": self.known.indices,
            "known_indptr": self.known.indptr,
        }

    @classmethod
    def from_arrays(
        cls, words: Sequence[str], tfidf: Tfidf, arrays: Mapping[str, Array]
    ) -> Novelty:
        """The inverse of :meth:`arrays`."""
        from scipy.sparse import csr_array

        indptr = arrays["known_indptr"]
        shape = (len(indptr) - 1, len(tfidf.terms))
        parts = (arrays["known_data"], arrays["known_indices"], indptr)
        return cls(frozenset(words), tfidf, csr_array(parts, shape=shape))


# ---------------------------------------------------------------- distance
#
# FEATMD and FEATRMD: detectors that are trained on answerable questions only, and measure the
# distance of a question from them.
#
# A question's score is the share of answerable questions, held out from the Gaussian, that are at
# least as far: answerable questions score below s with a probability of about s.
#
# Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.2; the share is the p-value of
# conformal prediction, Vovk et al. (2005). The paper's representations are hidden states of T5.


@dataclass(frozen=True, slots=True)
class DistanceDetector:
    """Scores by the Mahalanobis distance to answerable questions, minus that to the background if
    there is one."""

    reads: Reads
    vectors: Representation
    inside: Gaussian
    background: Gaussian | None
    held_out: Array
    """Distances of answerable questions from Gaussians that were fitted without them, ascending."""

    @property
    def kind(self) -> str:
        """``distance`` (FEATMD) or ``relative`` (FEATRMD)."""
        return "distance" if self.background is None else "relative"

    def scores(self, texts: Sequence[str]) -> list[float]:
        """For each text, the share of held-out answerable questions that are at least as far."""
        import numpy as np

        rows = self.vectors.transform(list(map(masked, texts)))
        far = _far(rows, self.inside, self.background)
        nearer = np.searchsorted(self.held_out, far, side="left")
        return [(1 + len(self.held_out) - int(n)) / (1 + len(self.held_out)) for n in nearer]

    def save(self, path: PathLike) -> None:
        """Write a model file.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        facts = {
            "version": _VERSION,
            "kind": self.kind,
            "reads": self.reads,
            "representation": self.vectors.facts(),
        }
        arrays = {**self.vectors.arrays(), "held_out": self.held_out}
        arrays |= self.inside.arrays("inside_")
        arrays |= {} if self.background is None else self.background.arrays("background_")
        write_model(path, facts, arrays)


def distance_from_file(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> DistanceDetector:
    """The distance detector from the contents of a model file."""
    is_relative = facts["kind"] == "relative"
    return DistanceDetector(
        facts["reads"],
        from_file(facts["representation"], arrays),
        Gaussian.from_arrays(arrays, "inside_"),
        Gaussian.from_arrays(arrays, "background_") if is_relative else None,
        arrays["held_out"],
    )


def train_distance(
    texts: Sequence[str],
    *,
    background: Sequence[str] = (),
    pooled: bool = False,
    vectors: str = "lsa",
    reads: Reads = "question",
    seed: int = 0,
) -> DistanceDetector:
    """Trains a distance detector on the texts of answerable questions.

    Args:
        background: any other questions; with them the distance is relative.
        pooled: the background includes the answerable questions.
        vectors: the representation, by the names of :mod:`sqljury.learning.representations`.

    Raises:
        InputError: SJ021: too few texts; SJ022, SJ028: no such representation.
        MissingExtraError: SJ001: the representation's packages are not installed.
    """
    import numpy as np

    if len(texts) < 4 * FOLDS:
        raise InputError(
            "SJ021", f"{len(texts)} answerable questions are too few: {4 * FOLDS} are needed."
        )
    plain = list(map(masked, texts))
    known = representation(vectors, plain)
    rows = known.transform(plain)
    others = known.transform(list(map(masked, background))) if background else None

    def gaussians(some: Array) -> tuple[Gaussian, Gaussian | None]:
        if others is None:
            return Gaussian.fit(some), None
        return Gaussian.fit(some), Gaussian.fit(np.vstack([some, others]) if pooled else others)

    held_out = [
        _far(rows[outside], *gaussians(rows[inside]))
        for inside, outside in folds([True] * len(texts), seed)
    ]
    return DistanceDetector(reads, known, *gaussians(rows), np.sort(np.concatenate(held_out)))


def _far(rows: Array, inside: Gaussian, around: Gaussian | None) -> Array:
    far = inside.distances(rows)
    return far if around is None else far - around.distances(rows)


# ---------------------------------------------------------------- detector
#
# ``forest`` is the paper's RF and RF*: a random forest on TF–IDF of words and pairs of words.
# ``novelty`` also uses words that the forest does not know: a logistic regression, fitted on
# held-out folds, combines extra trees on words and characters with the share of unknown words and
# the similarity to the nearest answerable questions; and, if a representation is given, with a
# linear classifier of its vectors.
#
# Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.2; stacking: Wolpert (1992).


Kind = Literal["forest", "novelty"]

_VERSION = 2
_DIGITS = 9
"""Decimal places of a score."""


@dataclass(frozen=True, slots=True)
class TrainedDetector:
    """A trained detector; its scores are probabilities that answering is right.

    ``reads`` says which texts it takes: the question, or the question and the SQL.
    """

    kind: Kind
    reads: Reads
    tfidfs: tuple[Tfidf, ...]
    forest: Forest
    novelty: Novelty | None = None
    weights: tuple[float, ...] = ()
    """The constant of the logistic regression, then one weight per measure."""
    vectors: Representation | None = None
    plane: Plane | None = None
    """The linear classifier of those vectors."""

    def scores(self, texts: Sequence[str]) -> list[float]:
        """For each text, the probability that answering is right."""
        plain = [masked(text) for text in texts]
        yes = self.forest.probabilities(_vectors(self.tfidfs, plain))
        if self.novelty is None:
            return [round(float(one), _DIGITS) for one in yes]
        measures = [yes, *self.novelty.measures(plain).T]
        if self.vectors is not None and self.plane is not None:
            measures.append(self.plane.heights(self.vectors.transform(plain)))
        chances = (_logistic(self.weights, row) for row in zip(*measures, strict=True))
        # Rounded, because the last digits depend on how many texts are scored together.
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
    """Loads the detector of a model file, of any kind.

    Raises:
        InputError: SJ020: there is no such file; SJ030: it holds no detector of this version;
            SJ031: it is damaged.
    """
    facts, arrays = read_model(path)
    if facts.get("version") != _VERSION or "kind" not in facts:
        raise InputError(
            "SJ030", "not a detector that this version can read: train it again.", where=str(path)
        )
    with whole_model(path):
        if facts["kind"] in ("distance", "relative"):
            return distance_from_file(facts, arrays)
        return _from_file(facts, arrays)


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
    """Trains on texts and on whether answering was right; the same seed gives the same detector.

    Args:
        vectors: a representation for ``novelty``, by the names of
            :mod:`sqljury.learning.representations`; without it only words are used.

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
    """The weights of a logistic regression on the measures of each fold's texts by models that were
    trained on the other folds."""
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
