"""Test-suite accuracy: the same rows on every database of a suite."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.errors import InfrastructureError
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register, settled
from sqljury.judges.execution import ExecutionMatch
from sqljury.verdict import Outcome, Verdict


@register
@dataclass(frozen=True)
class TestSuite(Judge):
    """Test-suite accuracy: prediction and reference return the same rows on all databases of a
    suite (``--suites``), where the reference runs.

    With several references one that agrees everywhere is enough. The first database on which
    the rows differ, or the prediction fails, decides and is named in the evidence.

    Args:
        policy: the variant: when two results are the same; ``spider`` is the published script.
        column_order: ``given`` or ``any``, instead of the policy's.
        tolerance: of numbers, instead of the policy's.
        keep_distinct: leave DISTINCT in where the policy removes it.
        whole: look at all databases, for the measure ``share``: of those on which the reference
            runs, how many agree. The score is 1 or 0 all the same.

    Source: Zhong, Yu and Klein 2020 (test suites).
    """

    __test__: ClassVar[bool] = False  # no test of pytest's, in spite of its name
    name: ClassVar[str] = "test_suite"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SUITE
    variant: ClassVar[str] = "policy"

    policy: str = "spider"
    column_order: str | None = None
    tolerance: float | None = None
    keep_distinct: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        _ = self.execution.rules  # a bad option is an error when the judge is made

    @cached_property
    def execution(self) -> ExecutionMatch:
        """The judge that is asked on each database."""
        return ExecutionMatch(
            policy=self.policy,
            column_order=self.column_order,
            tolerance=self.tolerance,
            keep_distinct=self.keep_distinct,
        )

    def signature_fields(self) -> dict[str, Json]:
        """What the policy fixes, for the line under a score."""
        return {**self.execution.signature_fields(), "execution": self.execution.version}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Compare with each reference on all databases; the best answer decides."""
        best: _Walk | None = None
        for sql in case.reference_sqls:
            walk = self._walk(replace(case, reference_sqls=(sql,)), evidence)
            if best is None or walk.rank > best.rank:
                best = walk
            if walk.passed:
                break
        assert best is not None  # needs REFERENCE
        return best.verdict()

    def _walk(self, case: Case, evidence: Evidence) -> _Walk:
        suite = evidence.suite()
        assert suite is not None  # needs SUITE
        walk = _Walk(len(suite.names), self.whole)
        for name in suite.names:
            walk.note(name, self._on(name, case, evidence))
            if walk.first is not None and not self.whole:
                break
        return walk

    def _on(self, name: str, case: Case, evidence: Evidence) -> Verdict:
        try:
            with evidence.within(name) as there:
                return settled(self.execution, case, there) or self.execution.judge(case, there)
        except InfrastructureError as error:
            return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=str(error))


@dataclass(slots=True)
class _Walk:
    """What one reference and the prediction show on the databases seen so far."""

    databases: int
    whole: bool
    """Whether it goes on after a difference."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    first: tuple[str, Verdict] | None = None
    """The first database that counts against the prediction."""
    unusable: tuple[str, Verdict] | None = None
    """The first on which the reference does not run."""

    def note(self, name: str, verdict: Verdict) -> None:
        """One more database."""
        self.outcomes[verdict.outcome] += 1
        if verdict.outcome.left_out and verdict.outcome is not Outcome.JUDGE_UNAVAILABLE:
            self.unusable = self.unusable or (name, verdict)
        elif verdict.outcome is not Outcome.CORRECT:
            self.first = self.first or (name, verdict)

    @property
    def seen(self) -> int:
        """On how many databases the reference ran."""
        return sum(count for outcome, count in self.outcomes.items() if not outcome.left_out)

    @property
    def failing(self) -> int:
        """On how many it did not."""
        unavailable = self.outcomes[Outcome.JUDGE_UNAVAILABLE]
        return self.outcomes.total() - self.seen - unavailable

    @property
    def agreeing(self) -> int:
        """On how many the rows are the same."""
        return self.outcomes[Outcome.CORRECT]

    @property
    def passed(self) -> bool:
        """Whether the reference ran somewhere, and nothing counts against the prediction."""
        return self.first is None and self.agreeing > 0

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The best reference is one that passes, else one that runs, else one that gets far."""
        return self.passed, self.seen > 0, self.agreeing

    def verdict(self) -> Verdict:
        """What it amounts to."""
        if self.first is not None:
            name, found = self.first
        elif self.passed:
            besides = f"; the reference fails on {self.failing}" if self.failing else ""
            name, found = "", Verdict.correct(f"same rows on {self.agreeing} databases{besides}")
        else:
            assert self.unusable is not None, "a suite has databases"
            name, found = self.unusable
        return replace(
            found,
            reason=f"on {name}: {found.reason}" if name else found.reason,
            measures=self._measures(),
            evidence={
                **({"database": name} if name else {}),
                "suite": {
                    "databases": self.databases,
                    "looked_at": self.outcomes.total(),
                    "agreeing": self.agreeing,
                    "reference_fails": self.failing,
                },
                **found.evidence,
            },
        )

    def _measures(self) -> dict[str, float]:
        return {"share": self.agreeing / self.seen} if self.whole and self.seen else {}
