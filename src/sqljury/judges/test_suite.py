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
    """Test-suite accuracy: prediction and reference return the same rows on a suite of databases.

    Databases on which the reference fails are skipped; the suites are those of ``--suites``. With
    several references one that agrees everywhere is enough. The first database on which the rows
    differ, or the prediction fails, decides and is named in the evidence.

    Args:
        policy: the variant: when two results are the same; ``spider`` is the published script.
        column_order: ``given`` or ``any``, instead of the policy's.
        tolerance: of numbers, instead of the policy's.
        keep_distinct: keep DISTINCT if the policy removes it.
        whole: run on all databases even after a difference, for the measure ``share``: of the
            databases on which the reference runs, the share that agree. The score is still 1 or 0.

    Source: Zhong, Yu and Klein 2020 (test suites).
    """

    __test__: ClassVar[bool] = False  # keeps pytest from collecting this class by its name
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
        """The judge that compares the rows on each database."""
        return ExecutionMatch(
            policy=self.policy,
            column_order=self.column_order,
            tolerance=self.tolerance,
            keep_distinct=self.keep_distinct,
        )

    def signature_fields(self) -> dict[str, Json]:
        """How order and tolerance are compared, for the signature."""
        return {**self.execution.signature_fields(), "execution": self.execution.version}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the reference that agrees best."""
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
    """The results of comparing the prediction with one reference on the databases run so far."""

    databases: int
    whole: bool
    """True to continue after a difference."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    first: tuple[str, Verdict] | None = None
    """The first database that counts against the prediction."""
    unusable: tuple[str, Verdict] | None = None
    """The first database on which the reference does not run."""

    def note(self, name: str, verdict: Verdict) -> None:
        """Adds the verdict on one more database."""
        self.outcomes[verdict.outcome] += 1
        if verdict.outcome.left_out and verdict.outcome is not Outcome.JUDGE_UNAVAILABLE:
            self.unusable = self.unusable or (name, verdict)
        elif verdict.outcome is not Outcome.CORRECT:
            self.first = self.first or (name, verdict)

    @property
    def seen(self) -> int:
        """The number of databases on which the reference ran."""
        return sum(count for outcome, count in self.outcomes.items() if not outcome.left_out)

    @property
    def failing(self) -> int:
        """The number of databases on which the reference failed."""
        unavailable = self.outcomes[Outcome.JUDGE_UNAVAILABLE]
        return self.outcomes.total() - self.seen - unavailable

    @property
    def agreeing(self) -> int:
        """The number of databases on which the rows are equal."""
        return self.outcomes[Outcome.CORRECT]

    @property
    def passed(self) -> bool:
        """True if the rows are equal on at least one database and differ on none."""
        return self.first is None and self.agreeing > 0

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The sort key: first references that pass, then those that run, then by agreement."""
        return self.passed, self.seen > 0, self.agreeing

    def verdict(self) -> Verdict:
        """The verdict on the whole suite, with the counts as evidence."""
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
