"""The base classes of strategies, which give each candidate a probability of being picked."""

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
    """A way to pick one candidate of a question; equal candidates are one, with a count."""

    kind: ClassVar[str]
    """The key in the registry: the strategy's name, or the start of its name."""
    usage: ClassVar[str] = ""
    """How users write its name; empty: as ``kind``."""
    priority: ClassVar[int] = 100
    """Its place in lists: lower ones come first."""
    is_baseline: ClassVar[bool] = False
    """True if the other strategies are tested against it."""

    name: str
    judge: str | None = None
    """The judge whose scores it uses, if any."""

    needs_results = False
    """True if it uses the results of running the candidates."""

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The strategy that ``text`` names; None if it names one of another class."""
        return cls(text) if text == cls.kind else None

    @abstractmethod
    def shares(self, ballot: Ballot) -> list[float]:
        """The probability of picking each distinct candidate; they sum to 1."""

    @abstractmethod
    def curve(
        self, ballot: Ballot, right: Sequence[bool], sizes: Sequence[int], seed: int, resamples: int
    ) -> Floats:
        """For each n in ``sizes``: the expected accuracy of picking from n random candidates."""


class Ranking(Strategy):
    """Picks a candidate of the highest rank; ranks do not depend on the other candidates."""

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
        """For each n in ``sizes``: the mean accuracy over all subsets of n candidates, exactly."""
        return curves.of_ranking(ballot.counts, self.ranks(ballot), right, sizes)


class Vote(Strategy):
    """Picks among the candidates of the group with the most votes.

    A group has the candidates with equal results; candidates that do not run have no vote. If
    several groups have the most votes, all their candidates are equally likely. If there are no
    votes, all candidates are.
    """

    needs_results = True

    @abstractmethod
    def votes(self, ballot: Ballot) -> Sequence[float]:
        """The weight of each distinct candidate's vote."""

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
        """The mean over random subsets: the first n candidates of random orders."""
        votes = self.votes(ballot)
        return curves.of_vote(ballot, votes, right, sizes, seed=seed, resamples=resamples)


class Fixed(Strategy):
    """Always picks the same candidate, whatever the number of candidates."""

    @abstractmethod
    def place(self, ballot: Ballot) -> int | None:
        """The index of the distinct candidate that it picks; None if there is none."""

    def shares(self, ballot: Ballot) -> list[float]:
        """1 for the picked candidate, 0 for all others."""
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
        """The same accuracy for all sizes."""
        chosen = self.place(ballot)
        return curves.constant(0.0 if chosen is None else float(right[chosen]), sizes)


def uniform(chosen: Sequence[bool], counts: Sequence[int]) -> list[float]:
    """Probabilities of the chosen candidates in proportion to their counts; 0 for the others."""
    total = sum(count for yes, count in zip(chosen, counts, strict=True) if yes)
    return [count / total if yes else 0.0 for yes, count in zip(chosen, counts, strict=True)]


STRATEGIES: Final[Registry[type[Strategy]]] = Registry(
    "sqljury.uses.select.strategies", group="sqljury.strategies"
)
"""Strategies by their kind."""

S = TypeVar("S", bound=type[Strategy])


def register(cls: S) -> S:
    """Class decorator that registers a strategy by its ``kind``."""
    STRATEGIES.add(cls.kind, cls, priority=cls.priority)
    return cls
