"""A pair of queries: proposed, then labelled."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from sqljury.case import Case, Json

GIVEN, REWRITE, MUTATION, OTHER = "given", "rewrite", "mutation", "other"


@dataclass(frozen=True, slots=True)
class QueryPair:
    """Two queries on one database that may mean the same.

    Args:
        origin: ``rewrite`` and ``mutation``: made from the reference; ``other``: another
            reference of the database; ``given``: a pair that somebody had.
        kinds: the changes that were made, of the prediction and then of the reference.
    """

    db_id: str
    reference: str
    prediction: str
    origin: str
    kinds: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same two texts on the same database."""
        text = "\0".join((self.db_id, self.reference, self.prediction))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def case(self) -> Case:
        """The pair as judges take it."""
        return Case(
            id=self.id,
            db_id=self.db_id,
            reference_sqls=(self.reference,),
            predicted_sql=self.prediction,
            extra={"origin": self.origin, "kinds": list(self.kinds)},
        )

    @classmethod
    def of(cls, case: Case) -> QueryPair:
        """The inverse of :meth:`case`; of a case from elsewhere, a given pair: its prediction and
        its first reference."""
        kinds = case.extra.get("kinds")
        return cls(
            case.db_id,
            case.reference_sqls[0],
            str(case.predicted_sql),
            str(case.extra.get("origin", GIVEN)),
            tuple(map(str, kinds if isinstance(kinds, list | tuple) else ())),
        )


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A pair and whether its queries mean the same.

    Args:
        label: None where that is not decided.
        how: what decided, or why nothing did; see :mod:`labels`.
    """

    pair: QueryPair
    label: bool | None
    how: str

    def to_json(self, split: str) -> Mapping[str, Json]:
        """A line of the file of pairs."""
        return {
            "id": self.pair.id,
            "db_id": self.pair.db_id,
            "reference": self.pair.reference,
            "prediction": self.pair.prediction,
            "label": None if self.label is None else int(self.label),
            "kind": "+".join(self.pair.kinds),
            "origin": self.pair.origin,
            "split": split,
            "how": self.how,
        }
