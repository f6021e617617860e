"""A pair of queries: proposed, then labelled."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqljury.case import Case, Json
from sqljury.verdict import Outcome, Verdict

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


# ------------------------------------------------------------
# Labels of pairs, from what judges say of them.
# The rows on the real database decide where a mutation or another query gives different ones,
# and no LIMIT cuts a tie. Everything else is decided by proof or by a generated database. Of
# what neither decides, a rewrite counts as equivalent where no database of many tells it
# apart; the rest is left to people.

ROWS, IDENTITY, PROVED, REFUTED, TESTED, PEOPLE = (
    "rows",
    "identity",
    "proved",
    "refuted",
    "tested",
    "people",
)
HOW: Final = {
    ROWS: "different rows on the real database",
    REFUTED: "different rows on a generated database",
    IDENTITY: "the same canonical form",
    PROVED: "a proof",
    TESTED: "a rewrite that no generated database, of many, tells apart",
    PEOPLE: "somebody's decision",
}
"""What decides a label."""

_SURE = 0.99
"""The score from which on a search without a counterexample has looked hard enough."""
_SLIGHT = ("; the cells differ", "; no row against", "; the numbers differ", "; which rows")
"""Reasons of differences that people mostly do not call one."""


def by_rows(pair: QueryPair, verdict: Verdict) -> LabelledPair | None:
    """The label by the rows on the real database; None where these leave it open."""
    outcome = str(verdict.outcome)
    if verdict.outcome is Outcome.INCORRECT:
        open_ = "limit_cuts_tie" in verdict.labels or pair.origin == REWRITE
        return None if open_ else LabelledPair(pair, False, ROWS)
    if verdict.outcome in (Outcome.CORRECT, Outcome.UNKNOWN):
        return None
    return LabelledPair(pair, None, outcome)


def by_equivalence(pair: QueryPair, verdict: Verdict, *, same_rows: bool) -> LabelledPair:
    """The label by proof or counterexample.

    Args:
        same_rows: the real database gives the same rows for both queries.
    """
    said = verdict.labels[0] if verdict.labels else str(verdict.outcome)
    if said == "proved":
        if not same_rows:
            return LabelledPair(pair, None, "proved, but different rows")
        how = IDENTITY if "canonical" in verdict.reason else PROVED
        return LabelledPair(pair, True, how)
    if said == "refuted":
        slight = any(reason in verdict.reason for reason in _SLIGHT)
        return LabelledPair(pair, None, "slight") if slight else LabelledPair(pair, False, REFUTED)
    sure = (verdict.score or 0.0) >= _SURE
    if said == "no_counterexample" and pair.origin == REWRITE and same_rows and sure:
        return LabelledPair(pair, True, TESTED)
    return LabelledPair(pair, None, said)
