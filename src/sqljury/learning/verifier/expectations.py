"""What a question is expected to ask for: learned from questions and reference queries alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqljury.learning.boosting import Boosting
from sqljury.learning.verifier.choices import Choices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Vectors = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Expectations:
    """The chances of columns, of tables, and of the parts of a query's sketch.

    Args:
        by_role: for each role of a column, trees over the column's features.
        by_table: trees over the features of a table.
        choices: the words of the sketch by the terms of a masked question.
    """

    by_role: Mapping[str, Boosting]
    by_table: Boosting
    choices: Choices

    def roles(self, vectors: Vectors) -> dict[str, list[float]]:
        """By role, the chance of each column."""
        return {role: _chances(trees, vectors) for role, trees in self.by_role.items()}

    def tables(self, vectors: Vectors) -> list[float]:
        """The chance of each table."""
        return _chances(self.by_table, vectors)

    def parts(self, terms: Iterable[str]) -> dict[str, dict[str, float]]:
        """By part of the sketch, the chance of each word."""
        return self.choices.probabilities(terms)

    def arrays(self) -> dict[str, Array]:
        """All arrays by name, for a model file."""
        found = self.by_table.arrays("table_") | self.choices.arrays("part_")
        for role, trees in self.by_role.items():
            found |= trees.arrays(f"role_{role}_")
        return found

    def facts(self) -> dict[str, Any]:
        """What is no array."""
        return {"roles": list(self.by_role), "choices": self.choices.facts()}

    @classmethod
    def from_file(cls, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Expectations:
        """The inverse of :meth:`facts` and :meth:`arrays`."""
        return cls(
            {role: Boosting.from_arrays(arrays, f"role_{role}_") for role in facts["roles"]},
            Boosting.from_arrays(arrays, "table_"),
            Choices.from_file(facts["choices"], arrays, "part_"),
        )


def _chances(trees: Boosting, vectors: Vectors) -> list[float]:
    import numpy as np

    if not vectors:
        return []
    return [float(one) for one in trees.probabilities(np.array(vectors))]
