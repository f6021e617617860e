"""Runs and judges the candidates of pools, so that strategies can pick among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqljury.case import Case
from sqljury.judge_name import JudgeName
from sqljury.judges import Judge, make_judge, name_of, spec_of
from sqljury.judges.execution import ExecutionMatch
from sqljury.runs import Run
from sqljury.signature import signed, with_fields
from sqljury.uses.evaluate.evaluation import evaluate
from sqljury.uses.evaluate.summary import MissingCounter, missing_in
from sqljury.uses.inputs import RunKeywords
from sqljury.uses.select import Ballot, CandidatePool, draw, make_strategy
from sqljury.uses.select.ballots import (
    Verdicts,
    judged_by_label,
    judged_by_verdicts,
    judged_cases,
    plain_ballot,
    scored_cases,
    with_recorded_results,
    with_results,
    with_scores,
    without_failing,
)
from sqljury.uses.select.results import Results
from sqljury.uses.select.selection import JudgedPool
from sqljury.uses.select.strategies import Strategy
from sqljury.verdict import Verdict
from sqljury.writing import PathLike

_RESULTS = name_of(Results()).name


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotSettings:
    """How the candidates of all pools are run and judged."""

    folder: Path
    """The folder for the runs."""
    databases: PathLike | Sequence[PathLike] | None
    judge: Judge | None
    """The judge that says which candidates are right; None if a label says it, or nothing does."""
    label: str | None
    """The candidates' field that says which are right; None to use the judge."""
    match: str | None
    """The policy by which two results are equal; None for the judge's."""
    keep_failing: bool
    """True if strategies that pick by score may pick a query that does not run."""
    seed: int
    settings: RunKeywords
    """The settings of every run: limits, workers, …"""
    on_progress: Callable[[int, int], None]

    def judged(
        self, cases: Iterable[Case], judges: Sequence[str | Judge], name: str
    ) -> JudgedCandidates:
        """Judge cases, in the folder's run of this name; return the verdicts."""
        with evaluate(
            cases,
            judges,
            self.databases,
            run=self.folder / name,
            on_progress=self.on_progress,
            **self.settings,
        ) as done:
            return JudgedCandidates.of(done.run)

    @property
    def policy(self) -> str:
        """The policy by which votes compare results: ``match``, else the judge's, else strict."""
        if self.match is not None:
            return self.match.replace(",", ";")
        if isinstance(self.judge, ExecutionMatch):
            return name_of(self.judge).text(";").removeprefix("execution:")
        return "strict"


@dataclass(frozen=True, slots=True)
class JudgedCandidates:
    """The verdicts of judges on candidates.

    Only verdicts about results keep their evidence: that of the others may be most of a run.
    """

    by_judge: Mapping[str, Verdicts] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    missing: MissingCounter = field(default_factory=MissingCounter)

    @classmethod
    def of(cls, run: Run) -> JudgedCandidates:
        """The verdicts in a run."""
        found: dict[str, dict[tuple[str, str, str], Verdict]] = {j.name: {} for j in run.judges}
        for record in run.records(whole=False):
            verdict = record.verdict
            if JudgeName.parse(record.judge).name != _RESULTS:
                verdict = replace(verdict, evidence={})
            found[record.judge][record.case.key] = verdict
        signatures = {one.name: with_fields(one.signature, n=None) for one in run.judges}
        thresholds = {one.name: one.threshold for one in run.judges}
        missing = missing_in(one for verdicts in found.values() for one in verdicts.values())
        return cls(found, signatures, thresholds, missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotEvidence:
    """What strategies read about the candidates."""

    pools: Sequence[JudgedPool]
    signature: str
    scorers: Mapping[str, str]
    """The signatures of the judges whose scores strategies read, by name."""
    against_majority: frozenset[str]
    """The names of those judges that got the majority's pick as reference."""
    missing: MissingCounter
    """The verdicts that are missing because the infrastructure failed."""


def judge_ballots(
    pools: Sequence[CandidatePool], strategies: Sequence[Strategy], options: BallotSettings
) -> BallotEvidence:
    """Run and judge the candidates, as far as the strategies need it.

    Raises:
        InputError: SJ571: a strategy needs results, and the candidates cannot be run; or as
            :func:`sqljury.evaluate`.
        InfrastructureError: as :func:`sqljury.evaluate`.
    """
    scorers = [_Scorer.of(name) for name in _judges_of(strategies)]
    against = frozenset(scorer.name for scorer in scorers if scorer.needs_reference)
    drops_failing = bool(scorers) and not options.keep_failing and _can_run(pools, options)
    needs_results = drops_failing or bool(against) or any(one.needs_results for one in strategies)
    results = Results(match=options.policy) if needs_results else None
    runs = results if options.databases is not None else None
    found = _run(pools, options, runs)
    ballots, unusable = _ballots(pools, found, results, runs)
    if drops_failing:
        ballots = [without_failing(*each) for each in zip(pools, ballots, strict=True)]
    missing = MissingCounter()
    missing += found.missing
    ballots, signatures = _scored(pools, ballots, scorers, options, missing)
    return BallotEvidence(
        pools=list(_judged_pools(pools, ballots, unusable, options, found)),
        signature=_signature(found, options, results, runs),
        scorers=signatures,
        against_majority=against,
        missing=missing,
    )


def _can_run(pools: Sequence[CandidatePool], options: BallotSettings) -> bool:
    """True if the candidates can be run, or the pools have their results recorded."""
    candidates = (one for pool in pools for one in pool.candidates)
    return options.databases is not None or all(one.recorded or not one.sql for one in candidates)


def _judges_of(strategies: Iterable[Strategy]) -> list[str]:
    return list(dict.fromkeys(one.judge for one in strategies if one.judge is not None))


# ---------------------------------------------------------------- results, and what is right


def _run(
    pools: Sequence[CandidatePool], options: BallotSettings, results: Results | None
) -> JudgedCandidates:
    judges = [one for one in (options.judge, results) if one is not None]
    if not judges:
        return JudgedCandidates()
    grouped, judged = results is not None, options.judge is not None
    cases = (case for pool in pools for case in judged_cases(pool, grouped=grouped, judged=judged))
    return options.judged(cases, judges, "candidates")


def _ballots(
    pools: Sequence[CandidatePool],
    found: JudgedCandidates,
    results: Results | None,
    runs: Results | None,
) -> tuple[list[Ballot], list[str]]:
    """For each question its ballot, and why it cannot be used: empty if it can."""
    ballots = [plain_ballot(pool) for pool in pools]
    if results is None:
        return ballots, [""] * len(pools)
    if runs is None:
        known = zip(pools, ballots, strict=True)
        return [with_recorded_results(*each) for each in known], [""] * len(pools)
    own = [found.by_judge[spec_of(runs)][(*pool.key, "")] for pool in pools]
    ballots = [with_results(*each) for each in zip(pools, ballots, own, strict=True)]
    return ballots, [str(v.outcome) if v.outcome.left_out else "" for v in own]


def _judged_pools(
    pools: Sequence[CandidatePool],
    ballots: Sequence[Ballot],
    unusable: Sequence[str],
    options: BallotSettings,
    found: JudgedCandidates,
) -> Iterator[JudgedPool]:
    for pool, ballot, why in zip(pools, ballots, unusable, strict=True):
        if options.label is not None:
            yield judged_by_label(pool, ballot, options.label, why)
        elif options.judge is not None:
            name = spec_of(options.judge)
            yield judged_by_verdicts(
                pool, ballot, found.by_judge[name], found.thresholds[name], why
            )
        else:
            yield JudgedPool(pool, ballot, why)


def _signature(
    found: JudgedCandidates, options: BallotSettings, results: Results | None, runs: Results | None
) -> str:

    if options.judge is not None:
        right = found.signatures[spec_of(options.judge)]
    else:
        right = signed(f"label:{options.label}")
    match = results.match if runs is not None and results is not None else "recorded"
    return right if results is None else with_fields(right, match=match)


# ---------------------------------------------------------------- scores


@dataclass(frozen=True, slots=True)
class _Scorer:
    """A judge whose scores a strategy reads, by the name that the strategy gives it."""

    name: str
    judge: Judge

    @classmethod
    def of(cls, name: str) -> _Scorer:
        return cls(name, make_judge(name))

    @property
    def needs_reference(self) -> bool:
        return self.judge.needs_reference


def _scored(
    pools: Sequence[CandidatePool],
    ballots: list[Ballot],
    scorers: Sequence[_Scorer],
    options: BallotSettings,
    missing: MissingCounter,
) -> tuple[list[Ballot], dict[str, str]]:
    """The ballots with each judge's scores, and the judges' signatures.

    Judges that need a reference get the majority's pick as reference. Adds the verdicts that are
    missing to ``missing``.
    """
    signatures: dict[str, str] = {}
    for against, folder in ((False, "scores"), (True, "against-majority")):
        group = [scorer for scorer in scorers if scorer.needs_reference is against]
        if not group:
            continue
        judges = list({spec_of(one.judge): one.judge for one in group}.values())
        reference_of = _majority(options.seed) if against else _nobody
        cases = _cases_to_score(pools, ballots, reference_of)
        found = options.judged(cases, judges, folder)
        missing += found.missing
        for scorer in group:
            verdicts = found.by_judge[spec_of(scorer.judge)]
            used = found.signatures[spec_of(scorer.judge)]
            signatures[scorer.name] = with_fields(used, reference="majority") if against else used
            ballots = [
                with_scores(pool, ballot, scorer.name, verdicts)
                for pool, ballot in zip(pools, ballots, strict=True)
            ]
    return ballots, signatures


_ReferenceOf = Callable[[CandidatePool, Ballot], str | None]


def _nobody(pool: CandidatePool, ballot: Ballot) -> None:  # noqa: ARG001 - the shape of the others
    return None


def _majority(seed: int) -> _ReferenceOf:
    majority = make_strategy("majority")
    return lambda pool, ballot: draw(majority, JudgedPool(pool, ballot), seed).sql


def _cases_to_score(
    pools: Sequence[CandidatePool], ballots: Sequence[Ballot], reference_of: _ReferenceOf
) -> Iterator[Case]:
    for pool, ballot in zip(pools, ballots, strict=True):
        reference = reference_of(pool, ballot)
        yield from scored_cases(pool, [reference] if reference else [])
