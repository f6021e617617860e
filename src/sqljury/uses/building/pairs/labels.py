"""Labels of pairs, from what judges say of them.

The rows on the real database decide where a mutation or another query gives different ones, and
no LIMIT cuts a tie. Everything else is decided by proof or by a generated database. Of what
neither decides, a rewrite counts as equivalent where no database of many tells it apart; the rest
is left to people.
"""

from __future__ import annotations

from typing import Final

from sqljury.uses.building.pairs.pair import REWRITE, LabelledPair, QueryPair
from sqljury.verdict import Outcome, Verdict

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
