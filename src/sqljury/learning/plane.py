"""On which side of a plane a text's vector lies: what words alone do not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqljury.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Plane:
    """A logistic regression: higher is yes."""

    constant: float
    slopes: Array

    @classmethod
    def fit(cls, rows: Array, labels: Sequence[bool]) -> Plane:
        """Train with scikit-learn, both labels weighing the same.

        Raises:
            MissingExtraError: SJ001: scikit-learn is not installed.
        """
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise MissingExtraError("scikit-learn", "learning", "Training a detector") from None
        import numpy as np

        # Vectors of some networks are long, and the penalty on slopes goes by their length.
        length = float(np.linalg.norm(rows, axis=1).mean()) or 1.0
        model = LogisticRegression(class_weight="balanced", max_iter=2000)
        model.fit(rows / length, labels)
        return cls(float(model.intercept_[0]), model.coef_[0] / length)

    def heights(self, rows: Array) -> Array:
        """How far on the side of yes each row lies, as log odds."""
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
