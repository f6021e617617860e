"""How far a vector lies from where training data lie.

Source: Lee et al. (2018), arXiv:1807.03888; relative: Ren et al. (2021), arXiv:2106.09022.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_RIDGE = 1e-3
"""Share of the mean variance that is added to each: few data leave some directions empty."""


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A mean, and the matrix that makes the data white around it."""

    mean: Array
    whitening: Array

    @classmethod
    def fit(cls, rows: Array) -> Gaussian:
        """The Gaussian of some rows."""
        import numpy as np

        covariance = np.cov(rows, rowvar=False)
        size = len(covariance)
        covariance += np.eye(size) * (_RIDGE * np.trace(covariance) / size + 1e-12)
        # inv(L) x has the squared length x' inv(C) x where C = L L'.
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
