"""FEATMD and FEATRMD: detectors that know answerable questions only, and how far others are.

A question's score is the share of answerable questions, held out from the Gaussian, that lie as
far: answerable questions score below s with a probability of about s.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.2; the share is the p-value of
conformal prediction, Vovk et al. (2005). The paper's representations are hidden states of T5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqljury.errors import InputError
from sqljury.learning.mahalanobis import Gaussian
from sqljury.learning.masking import Reads, masked
from sqljury.learning.model_file import PathLike, write_model
from sqljury.learning.representations import Representation, from_file, representation
from sqljury.learning.sampling import FOLDS, folds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

VERSION = 2


@dataclass(frozen=True, slots=True)
class DistanceDetector:
    """The Mahalanobis distance to answerable questions, less that to a background if any."""

    reads: Reads
    vectors: Representation
    inside: Gaussian
    background: Gaussian | None
    held_out: Array
    """Distances of answerable questions from Gaussians that did not see them, ascending."""

    @property
    def kind(self) -> str:
        """``distance`` (FEATMD) or ``relative`` (FEATRMD)."""
        return "distance" if self.background is None else "relative"

    def scores(self, texts: Sequence[str]) -> list[float]:
        """For each text the share of held-out answerable ones that lie as far."""
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
            "version": VERSION,
            "kind": self.kind,
            "reads": self.reads,
            "representation": self.vectors.facts(),
        }
        arrays = {**self.vectors.arrays(), "held_out": self.held_out}
        arrays |= self.inside.arrays("inside_")
        arrays |= {} if self.background is None else self.background.arrays("background_")
        write_model(path, facts, arrays)


def distance_from_file(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> DistanceDetector:
    """The detector that a model file holds."""
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
    """Learn where answerable questions lie.

    Args:
        background: any other questions; with them the distance is relative.
        pooled: the background is these and the answerable ones, not these alone.
        vectors: the representation, by the names of :mod:`sqljury.learning.representations`.

    Raises:
        InputError: SJ021: too few texts; SJ022, SJ028: no such representation.
        MissingExtraError: SJ001: the representation's packages are not installed.
    """
    import numpy as np

    if len(texts) < 4 * FOLDS:
        raise InputError("SJ021", f"there are {len(texts)} answerable questions.")
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
