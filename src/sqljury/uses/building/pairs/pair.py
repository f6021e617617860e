"""Pairs of queries: labelled, chosen, and which of them people have to look at."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.sql import features
from sqljury.uses.building.names import place
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


TRAIN, VALIDATION = "train", "validation"
_HARD = 0.25
"""The share of equivalent pairs that no canonical form makes equal, at most."""
_SHAPE = ("cte", "nesting", "distinct", "grouping", "joins")
"""Features that pairs of either label have equally often."""
_VALIDATION = 0.1
"""The share of pairs whose databases are held out."""


def chosen(
    labelled: Iterable[LabelledPair], form: Callable[[str, str], str], *, most: int, seed: int
) -> list[LabelledPair]:
    """As many equivalent pairs as others, at most so many, in an order of chance.

    Pairs that somebody had are all kept. Among equivalent ones those that no canonical form makes
    equal come first, up to a quarter. For each there is another one whose prediction is of the
    same shape. A pair whose queries do the same in the same way, or that does what another one
    does, is left out.

    Args:
        form: what all queries on a database share that do the same in the same way.
    """
    every = sorted(labelled, key=lambda one: place(seed, "pair", one.pair.id))
    given = [one for one in every if one.pair.origin == GIVEN and one.label is not None]
    made = [one for one in every if one.pair.origin != GIVEN]
    alike = [one for one in made if one.label is True]
    different = [one for one in made if one.label is False]
    room = max(0, most - len(given)) // 2
    hard = [one for one in alike if one.how != IDENTITY][: round(_HARD * room)]
    alike = _once([*hard, *(one for one in alike if one.how == IDENTITY)], form)
    different = _once(different, form)
    kept = [one for pair in list(_matched(alike, different))[:room] for one in pair]
    return sorted([*given, *kept], key=lambda one: place(seed, "order", one.pair.id))


def _matched(
    alike: Sequence[LabelledPair], different: Sequence[LabelledPair]
) -> Iterator[tuple[LabelledPair, LabelledPair]]:
    """Each equivalent pair with another one whose prediction is of the same shape.

    Else the shape would give the label away: rewrites nest queries, mistakes mostly do not.
    """
    waiting: dict[tuple[str, ...], deque[LabelledPair]] = {}
    for one in different:
        waiting.setdefault(_shape(one), deque()).append(one)
    for one in alike:
        others = waiting.get(_shape(one))
        if others:
            yield one, others.popleft()


def _shape(one: LabelledPair) -> tuple[str, ...]:
    """How a prediction nests queries and what its clauses are."""
    return tuple(name for name in features(one.pair.prediction) if name.startswith(_SHAPE))


def _once(pairs: Sequence[LabelledPair], form: Callable[[str, str], str]) -> list[LabelledPair]:
    """The pairs, none twice."""
    found: dict[tuple[str, str, str], LabelledPair] = {}
    for one in pairs:
        pair = one.pair
        key = (pair.db_id, form(pair.db_id, pair.reference), form(pair.db_id, pair.prediction))
        if key[1] != key[2]:
            found.setdefault(key, one)
    return list(found.values())


def splits(pairs: Sequence[LabelledPair], *, seed: int) -> dict[str, str]:
    """The split of each database: whole databases are held out, until a tenth of the pairs is.

    With one database there is nothing to hold out.
    """
    counts: dict[str, int] = {}
    for one in pairs:
        counts[one.pair.db_id] = counts.get(one.pair.db_id, 0) + 1
    found = dict.fromkeys(counts, TRAIN)
    held = 0
    for db_id in sorted(counts, key=lambda name: place(seed, "database", name)):
        if held >= _VALIDATION * len(pairs) or len(counts) < 2:
            break
        found[db_id] = VALIDATION
        held += counts[db_id]
    return found


# ------------------------------------------------------------
# Pairs that people have to look at: where two opinions differ, or nothing decides.
# Source: FuncEvalGMN, appendix E.2: denotations on test suites first, then a language model,
# then people for what these do not agree on.

DISAGREEMENT = "disagreement"


def with_second(
    labelled: Iterable[LabelledPair], opinions: Mapping[str, Verdict]
) -> list[LabelledPair]:
    """The labels that a second opinion does not contradict; the others are left to people.

    Args:
        opinions: by the pairs' ids; a verdict without a score is no opinion.
    """
    found = []
    for one in labelled:
        verdict = opinions.get(one.pair.id)
        score = verdict.score if verdict is not None else None
        if one.label is not None and score is not None and (score >= 0.5) != one.label:
            one = replace(one, label=None, how=f"{DISAGREEMENT}: {one.how}")
        found.append(one)
    return found


def with_people(
    labelled: Iterable[LabelledPair], decisions: Mapping[str, bool]
) -> list[LabelledPair]:
    """The same with what people decided, whatever was said before."""
    return [
        replace(one, label=decisions[one.pair.id], how=PEOPLE) if one.pair.id in decisions else one
        for one in labelled
    ]


def decisions_of(cases: Iterable[Case]) -> dict[str, bool]:
    """What people wrote into the queue, by the pairs' ids; lines without a label wait on.

    Raises:
        InputError: SJ581: a line that is no pair of a queue.
    """
    found = {}
    for case in cases:
        if not case.reference_sqls or not isinstance(case.predicted_sql, str):
            raise InputError("SJ581", "there is no reference or prediction.", where=case.origin)
        if case.label is not None:
            found[QueryPair.of(case).id] = case.label
    return found
