"""The built-in strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self

from sqljury.judge_name import JudgeName
from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Fixed, Ranking, Vote, register


@register
class First(Fixed):
    """Picks the first candidate of the pool."""

    kind: ClassVar[str] = "first"
    priority: ClassVar[int] = 0
    is_baseline: ClassVar[bool] = True

    def place(self, ballot: Ballot) -> int:  # noqa: ARG002 - a strategy's shape
        """0, the index of the first candidate of the pool."""
        return 0


@register
class Random(Ranking):
    """A candidate drawn uniformly from all."""

    kind: ClassVar[str] = "random"
    priority: ClassVar[int] = 1
    is_baseline: ClassVar[bool] = True

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """0 for every candidate."""
        return [0.0] * len(ballot.counts)


@register
class ExecutionStrategy(Ranking):
    """A candidate that runs and returns a row; if none does, one that runs; else any.

    Source: Tritto et al. 2026 (GradeSQL), section 4, after Chen et al. 2023.
    """

    kind: ClassVar[str] = "execution"
    priority: ClassVar[int] = 2
    is_baseline: ClassVar[bool] = True

    needs_results = True

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """2 if a candidate returns rows, 1 if it returns none, 0 if it fails."""
        return [runs + rows for runs, rows in zip(ballot.runs, ballot.rows, strict=True)]


@register
class Majority(Vote):
    """A candidate drawn uniformly from the largest group of equal results.

    Source: Tritto et al. 2026 (GradeSQL), section 4, after Sheng & Xu 2025.
    """

    kind: ClassVar[str] = "majority"
    priority: ClassVar[int] = 3
    is_baseline: ClassVar[bool] = True

    def votes(self, ballot: Ballot) -> Sequence[float]:
        """1 for every candidate."""
        return [1.0] * len(ballot.counts)


@register
class Oracle(Ranking):
    """A right candidate if there is one, known from the reference: the upper bound."""

    kind: ClassVar[str] = "oracle"
    priority: ClassVar[int] = 4

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """1 for right candidates, 0 for the others."""
        assert ballot.right is not None
        return [float(right) for right in ballot.right]


@register
class ScoreStrategy(Ranking):
    """The candidate with the highest score of a judge; those without a score come last.

    A candidate that does not run is picked only if there is no other, or with `--keep-failing`.

    Source: Tritto et al. 2026 (GradeSQL), section 3.1.
    """

    kind: ClassVar[str] = "judge"
    priority: ClassVar[int] = 201
    usage: ClassVar[str] = "judge:NAME"

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The strategy that ``judge:NAME`` names, which uses the scores of any judge."""
        kind, _, judge = text.partition(":")
        return cls(text, judge) if kind == cls.kind and judge else None

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """The scores; -1 for candidates without a score, -2 for those that do not run."""
        assert self.judge is not None
        ranks = [-1.0 if score is None else score for score in ballot.scores[self.judge]]
        left_out = ballot.left_out or [False] * len(ranks)
        return [-2.0 if out else rank for rank, out in zip(ranks, left_out, strict=True)]


@register
class SystemStrategy(Fixed):
    """The answer of one system; a question without its answer counts as wrong."""

    kind: ClassVar[str] = "system"
    priority: ClassVar[int] = 202
    usage: ClassVar[str] = "system:NAME"
    is_baseline: ClassVar[bool] = True

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The strategy that ``system:NAME`` names."""
        kind, _, system = text.partition(":")
        return cls(text) if kind == cls.kind and system else None

    def place(self, ballot: Ballot) -> int | None:
        """The index of the system's candidate; None if it has none."""
        wanted = self.name.partition(":")[2]
        places = (place for place, names in enumerate(ballot.systems) if wanted in names)
        return next(places, None)


@register
class VerifierStrategy(ScoreStrategy):
    """The candidate with the highest score of the judge ``verifier``."""

    kind: ClassVar[str] = "verifier"
    usage: ClassVar[str] = ""
    priority: ClassVar[int] = 199

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The strategy that ``verifier`` names, with the options of the judge ``verifier``."""
        judge = verifier_named(cls.kind, text)
        return None if judge is None else cls(text, judge)


def verifier_named(kind: str, text: str) -> str | None:
    """The judge ``verifier`` with the options in ``text``; None if ``text`` is not of ``kind``."""
    if text.partition(",")[0] != kind:
        return None
    return str(replace(JudgeName.parse(text), name="verifier"))


@register
class Weighted(Vote):
    """A candidate drawn uniformly from the group of equal results with the largest sum of scores.

    Source: Li et al. 2023 (arXiv:2206.02336), weighted voting with a verifier.
    """

    kind: ClassVar[str] = "verifier-majority"
    priority: ClassVar[int] = 200

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The strategy that ``verifier-majority`` names, with the options of ``verifier``."""
        judge = verifier_named(cls.kind, text)
        return None if judge is None else cls(text, judge)

    def votes(self, ballot: Ballot) -> Sequence[float]:
        """The scores; 0 for candidates without one."""
        assert self.judge is not None
        return [score or 0.0 for score in ballot.scores[self.judge]]
