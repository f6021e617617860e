"""What a strategy is: it says how likely each candidate of a question is to be picked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Self, TypeVar

from sqljury.registry import Registry
from sqljury.uses.select import curves
from sqljury.uses.select.pool import Ballot

if TYPE_CHECKING:
    from sqljury.uses.select.curves import Floats


@dataclass(frozen=True)
class Strategy(ABC):
    """One way to pick. Distinct candidates are looked at once, with their counts."""

    kind: ClassVar[str]
    """By which it is registered: its name, or what its name begins with."""
    usage: ClassVar[str] = ""
    """How it is written, where that is not ``kind``."""
    priority: ClassVar[int] = 100
    """Its place in lists: lower ones come first."""
    is_baseline: ClassVar[bool] = False
    """Whether the others are tested against it."""

    name: str
    judge: str | None = None
    """The judge whose scores it reads."""

    needs_results = False
    """Whether it looks at what candidates return."""

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The strategy that a text names; None where it names another."""
        return cls(text) if text == cls.kind else None

    @abstractmethod
    def shares(self, ballot: Ballot) -> list[float]:
        """How likely each distinct candidate is to be picked; they sum to 1."""

    @abstractmethod
    def curve(
        self, ballot: Ballot, right: Sequence[bool], sizes: Sequence[int], seed: int, resamples: int
    ) -> Floats:
        """Expected accuracy when n of the candidates were there, for each n in ``sizes``."""


class Ranking(Strategy):
    """Picks among those of the highest rank; a candidate's rank does not depend on the others."""

    @abstractmethod
    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """The rank of each distinct candidate: higher is better."""

    def shares(self, ballot: Ballot) -> list[float]:
        """Uniform over the candidates of the highest rank."""
        ranks = self.ranks(ballot)
        best = max(ranks)
        return uniform([rank == best for rank in ranks], ballot.counts)

    def curve(
        self,
        ballot: Ballot,
        right: Sequence[bool],
        sizes: Sequence[int],
        seed: int,  # noqa: ARG002 - exact
        resamples: int,  # noqa: ARG002
    ) -> Floats:
        """Exact over all subsets."""
        return curves.of_ranking(ballot.counts, self.ranks(ballot), right, sizes)


class Vote(Strategy):
    """Picks among the candidates of the group with the most votes.

    Groups are equal results; what does not run has no vote. Of groups with equally many votes
    each candidate is as likely. Without any vote every candidate is.
    """

    needs_results = True

    @abstractmethod
    def votes(self, ballot: Ballot) -> Sequence[float]:
        """What one candidate's vote weighs."""

    def shares(self, ballot: Ballot) -> list[float]:
        """Uniform over the candidates of the winning groups."""
        totals: dict[int, float] = {}
        votes = self.votes(ballot)
        for group, count, vote in zip(ballot.groups, ballot.counts, votes, strict=True):
            if group is not None:
                totals[group] = totals.get(group, 0.0) + count * vote
        most = max(totals.values(), default=0.0)
        if not most:
            return uniform([True] * len(ballot.counts), ballot.counts)
        winners = {group for group, total in totals.items() if curves.is_most(total, most)}
        return uniform([group in winners for group in ballot.groups], ballot.counts)

    def curve(
        self, ballot: Ballot, right: Sequence[bool], sizes: Sequence[int], seed: int, resamples: int
    ) -> Floats:
        """The mean over random subsets; each is one prefix of a random order of the candidates."""
        votes = self.votes(ballot)
        return curves.of_vote(ballot, votes, right, sizes, seed=seed, resamples=resamples)


class Fixed(Strategy):
    """Picks the same candidate however many there are."""

    @abstractmethod
    def place(self, ballot: Ballot) -> int | None:
        """Which distinct candidate; None where there is none for this question."""

    def shares(self, ballot: Ballot) -> list[float]:
        """Sure."""
        chosen = self.place(ballot)
        return [float(place == chosen) for place in range(len(ballot.counts))]

    def curve(
        self,
        ballot: Ballot,
        right: Sequence[bool],
        sizes: Sequence[int],
        seed: int,  # noqa: ARG002 - exact
        resamples: int,  # noqa: ARG002
    ) -> Floats:
        """The same for all sizes."""
        chosen = self.place(ballot)
        return curves.constant(0.0 if chosen is None else float(right[chosen]), sizes)


def uniform(chosen: Sequence[bool], counts: Sequence[int]) -> list[float]:
    """Each candidate as likely, so that a query is as likely as it is frequent."""
    total = sum(count for yes, count in zip(chosen, counts, strict=True) if yes)
    return [count / total if yes else 0.0 for yes, count in zip(chosen, counts, strict=True)]


STRATEGIES: Final[Registry[type[Strategy]]] = Registry(
    "sqljury.uses.select.strategies", group="sqljury.strategies"
)
"""Strategies by their kind."""

S = TypeVar("S", bound=type[Strategy])


def register(cls: S) -> S:
    """Class decorator: make a strategy known by its ``kind``."""
    STRATEGIES.add(cls.kind, cls, priority=cls.priority)
    return cls
