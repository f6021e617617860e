"""The small verifier as one file: expectations, and the trees that weigh a query by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqljury.errors import InputError
from sqljury.learning.boosting import Boosting
from sqljury.learning.model_file import PathLike, read_model, write_model
from sqljury.learning.verifier.expectations import Expectations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_KIND = "small verifier"
_VERSION = 1
MISSING: Final = -9.0
"""What stands for a feature that a query does not have."""

SHIPPED: Final = Path(__file__).with_name("spider_train.npz")
"""The verifier that comes with the package."""


@dataclass(frozen=True, slots=True)
class Weigher:
    """Trees over named features, and how sure of itself the sum of their leaves may be.

    Args:
        slope: what the log-odds are multiplied with: the calibration on questions held out.
    """

    names: tuple[str, ...]
    trees: Boosting
    slope: float = 1.0

    def probabilities(self, features: Sequence[Mapping[str, float]]) -> list[float]:
        """The probability that each query answers its question."""
        import numpy as np

        if not features:
            return []
        odds = self.slope * self.trees.log_odds(table_of(features, self.names))
        return [float(one) for one in 1.0 / (1.0 + np.exp(-odds))]


def table_of(features: Sequence[Mapping[str, float]], names: Sequence[str]) -> Array:
    """One row for each query, one column for each name."""
    import numpy as np

    return np.array([[one.get(name, MISSING) for name in names] for one in features])


@dataclass(frozen=True, slots=True)
class SmallVerifier:
    """What a question lets one expect, and what a query beside it is worth.

    ``blind`` weighs queries of which no question is known.
    """

    expectations: Expectations
    asked: Weigher
    blind: Weigher
    card: Mapping[str, Any]
    """What it was trained on."""

    def save(self, path: PathLike) -> None:
        """Write a model file.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        facts: dict[str, Any] = {
            "kind": _KIND,
            "version": _VERSION,
            "card": dict(self.card),
            "expectations": self.expectations.facts(),
        }
        arrays = self.expectations.arrays()
        for name, weigher in (("asked", self.asked), ("blind", self.blind)):
            facts[name] = {"names": list(weigher.names), "slope": weigher.slope}
            arrays |= weigher.trees.arrays(f"{name}_")
        write_model(path, facts, arrays)


def load_small_verifier(path: PathLike) -> SmallVerifier:
    """The verifier of a model file.

    Raises:
        InputError: SJ020: there is no such file; SJ030: it holds no small verifier of this version;
            SJ031: it is damaged.
    """
    facts, arrays = read_model(path)
    if facts.get("kind") != _KIND or facts.get("version") != _VERSION:
        raise InputError("SJ030", "not a small verifier of this version.", where=str(path))
    asked, blind = (
        Weigher(
            tuple(facts[name]["names"]),
            Boosting.from_arrays(arrays, f"{name}_"),
            float(facts[name]["slope"]),
        )
        for name in ("asked", "blind")
    )
    expectations = Expectations.from_file(facts["expectations"], arrays)
    return SmallVerifier(expectations, asked, blind, facts["card"])
