"""Pairs of queries: labels them, chooses those to keep, and finds those that people must label."""

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
    """Two queries on one database that may be equivalent.

    Args:
        origin: of the prediction: ``rewrite`` and ``mutation`` are made from the reference,
            ``other`` is another reference of the database, ``given`` is from the input.
        kinds: the changes that were made, to the prediction and then to the reference.
    """

    db_id: str
    reference: str
    prediction: str
    origin: str
    kinds: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A digest of both texts and the database's name."""
        text = "\0".join((self.db_id, self.reference, self.prediction))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def case(self) -> Case:
        """The pair as a case for judges."""
        return Case(
            id=self.id,
            db_id=self.db_id,
            reference_sqls=(self.reference,),
            predicted_sql=self.prediction,
            extra={"origin": self.origin, "kinds": list(self.kinds)},
        )

    @classmethod
    def of(cls, case: Case) -> QueryPair:
        """The pair of a case made by :meth:`case`; any other case is a pair of origin ``given``.

        Such a pair has the case's prediction and its first reference.
        """
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
    """A pair with its label: whether its queries are equivalent.

    Args:
        label: None if undecided.
        how: what decided the label (a key of :data:`HOW`), or why nothing did.
    """

    pair: QueryPair
    label: bool | None
    how: str

    def to_json(self, split: str) -> Mapping[str, Json]:
        """The JSON object of a line of the file of pairs."""
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
# Labels of pairs, from judges' verdicts.
# A mutation or another query that returns different rows on the real database is labelled by
# these, unless LIMIT cuts a tie. All others are decided by proof or by a generated database. If
# neither decides, a rewrite counts as equivalent if none of many databases gives different rows;
# the rest is left to people.

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
"""What can decide a label, with the words for it."""
_SURE = 0.99
"""The lowest score with which a search without a counterexample counts as thorough."""
_SLIGHT = ("; the cells differ", "; no row against", "; the numbers differ", "; which rows")
"""Parts of reasons for differences that people mostly do not count as such."""


def by_rows(pair: QueryPair, verdict: Verdict) -> LabelledPair | None:
    """The pair labelled by the rows on the real database; None if these do not decide."""
    outcome = str(verdict.outcome)
    if verdict.outcome is Outcome.INCORRECT:
        open_ = "limit_cuts_tie" in verdict.labels or pair.origin == REWRITE
        return None if open_ else LabelledPair(pair, False, ROWS)
    if verdict.outcome in (Outcome.CORRECT, Outcome.UNKNOWN):
        return None
    return LabelledPair(pair, None, outcome)


def by_equivalence(pair: QueryPair, verdict: Verdict, *, same_rows: bool) -> LabelledPair:
    """The pair labelled by proof or counterexample.

    Args:
        same_rows: True if both queries return the same rows on the real database.
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
"""The largest share of equivalent pairs whose canonical forms differ."""
_SHAPE = ("cte", "nesting", "distinct", "grouping", "joins")
"""Features of the prediction that pairs of either label should have equally often."""
_VALIDATION = 0.1
"""The share of pairs whose databases are held out."""


def chosen(
    labelled: Iterable[LabelledPair], form: Callable[[str, str], str], *, most: int, seed: int
) -> list[LabelledPair]:
    """At most ``most`` pairs, as many equivalent as different ones, in a random order.

    All labelled pairs of origin ``given`` are kept. Of the equivalent ones, those whose canonical
    forms differ come first, up to a quarter. Each equivalent pair is matched with a different one
    whose prediction has the same shape; kinds of mistakes alternate. Pairs whose queries have
    the same form, and pairs that repeat the forms of another pair, are left out.

    Args:
        form: maps a database and a query to the query's form.
    """
    every = sorted(labelled, key=lambda one: place(seed, "pair", one.pair.id))
    given = [one for one in every if one.pair.origin == GIVEN and one.label is not None]
    made = [one for one in every if one.pair.origin != GIVEN]
    alike = [one for one in made if one.label is True]
    different = [one for one in made if one.label is False]
    room = max(0, most - len(given)) // 2
    hard = [one for one in alike if one.how != IDENTITY][: round(_HARD * room)]
    alike = _once([*hard, *(one for one in alike if one.how == IDENTITY)], form)
    different = _alternating(_once(different, form))
    kept = [one for pair in list(_matched(alike, different))[:room] for one in pair]
    return sorted([*given, *kept], key=lambda one: place(seed, "order", one.pair.id))


def _alternating(pairs: Sequence[LabelledPair]) -> list[LabelledPair]:
    """The pairs in an order in which kinds of mistakes alternate, so that rare kinds come early."""
    before: dict[str, int] = {}
    rank = {}
    for one in pairs:
        kind = one.pair.kinds[0] if one.pair.kinds else one.pair.origin
        rank[one.pair.id] = before[kind] = before.get(kind, 0) + 1
    return sorted(pairs, key=lambda one: rank[one.pair.id])


def _matched(
    alike: Sequence[LabelledPair], different: Sequence[LabelledPair]
) -> Iterator[tuple[LabelledPair, LabelledPair]]:
    """Each equivalent pair with a different one whose prediction has the same shape.

    Otherwise a network could learn the label from the shape: rewrites nest queries, mutations
    mostly do not.
    """
    waiting: dict[tuple[str, ...], deque[LabelledPair]] = {}
    for one in different:
        waiting.setdefault(_shape(one), deque()).append(one)
    for one in alike:
        others = waiting.get(_shape(one))
        if others:
            yield one, others.popleft()


def _shape(one: LabelledPair) -> tuple[str, ...]:
    """The prediction's features in :data:`_SHAPE`: nesting of queries, and clauses."""
    return tuple(name for name in features(one.pair.prediction) if name.startswith(_SHAPE))


def _once(pairs: Sequence[LabelledPair], form: Callable[[str, str], str]) -> list[LabelledPair]:
    """The pairs without those that repeat another's forms or have the same form on both sides."""
    found: dict[tuple[str, str, str], LabelledPair] = {}
    for one in pairs:
        pair = one.pair
        key = (pair.db_id, form(pair.db_id, pair.reference), form(pair.db_id, pair.prediction))
        if key[1] != key[2]:
            found.setdefault(key, one)
    return list(found.values())


def splits(pairs: Sequence[LabelledPair], *, seed: int) -> dict[str, str]:
    """The split of each database: databases are held out until they have a tenth of the pairs.

    A single database is not held out.
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
# Pairs that people must label: two judges disagree, or nothing decides.
# Source: FuncEvalGMN, appendix E.2: first results on test suites, then a language model, then
# people for the pairs on which these disagree.

DISAGREEMENT = "disagreement"


def with_second(
    labelled: Iterable[LabelledPair], opinions: Mapping[str, Verdict]
) -> list[LabelledPair]:
    """The pairs, without the labels that a second judge contradicts; people decide those.

    Args:
        opinions: the second judge's verdicts, by the pairs' ids; those without a score count as
            no opinion.
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
    """The pairs with people's labels in place of any earlier ones."""
    return [
        replace(one, label=decisions[one.pair.id], how=PEOPLE) if one.pair.id in decisions else one
        for one in labelled
    ]


def decisions_of(cases: Iterable[Case]) -> dict[str, bool]:
    """People's labels in a file of pairs to review, by the pairs' ids; None yet: left out.

    Raises:
        InputError: SJ581: a line has no reference or no prediction.
    """
    found = {}
    for case in cases:
        if not case.reference_sqls or not isinstance(case.predicted_sql, str):
            raise InputError(
                "SJ581", "a pair needs a reference and a prediction.", where=case.origin
            )
        if case.label is not None:
            found[QueryPair.of(case).id] = case.label
    return found
