"""Decides whether a run is worse than its baseline.

A judge's gate fails if

1. its score, the share of correct ones among the compared cases, fell by more than ``max_drop``
   points; or
2. more cases are newly wrong than newly right, and McNemar's exact test finds this significant: p,
   adjusted over all judges by Holm's method, is below ``alpha``; or
3. more cases than ``max_left_out`` of those that should be compared cannot be; or
4. the score of the run is below the judge's threshold.

The first rule guards small sets, where no test can find anything: with fewer than six newly wrong
cases p is never below 0.05. The second guards large ones, where one point is many cases.

A case is compared if both sides have a verdict on it that counts, and question, hint, database and
references are the same on both sides. Cases that the baseline counts and that are gone, changed or
left out, and new cases that are left out, fall under the third rule.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.reports import words
from sqljury.reports.evidence import one_line
from sqljury.uses.evaluate.baseline import Baseline, CaseKey, match_cases
from sqljury.uses.evaluate.comparison import changed_parts, data_changes
from sqljury.uses.evaluate.failures import Failure
from sqljury.uses.evaluate.left_out import GatedScore, LeftOutLimit
from sqljury.uses.evaluate.summary import Summary, is_right, named_scores
from sqljury.uses.evaluate.systems import add_verdicts
from sqljury.uses.statistics import Paired, PairedCounts, adjusted
from sqljury.verdict import Verdict

_MAY_DIFFER = ("db", "overlay", "shard", "sqljury")
"""Parts of a signature that are printed if they differ; verdicts that differ in another part are
not compared. Corrected references and shards show in the cases themselves."""
_DIGITS = 9
"""Differences of means are rounded to so many digits before they are compared with a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLimits:
    """What a gate allows.

    Raises:
        InputError: SJ508, SJ517: a limit is out of range.
    """

    max_drop: float = 1.0
    """In points: 1 is one percent of the cases."""
    alpha: float = 0.05
    max_left_out: str = "0"
    """A number of cases, or a share such as ``2%``."""
    thresholds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The lowest score of a judge, in [0, 1], by its name or the beginning of it."""

    def __post_init__(self) -> None:
        if not 0 <= self.max_drop <= 100:
            raise _out_of_range(f"--max-drop {self.max_drop:g} is not in [0, 100]")
        if not 0 <= self.alpha <= 1:
            raise _out_of_range(f"--alpha {self.alpha:g} is not in [0, 1]")
        for judge, least in self.thresholds.items():
            if not 0 <= least <= 1:
                raise _out_of_range(f"--threshold {judge}={least:g} is not in [0, 1]")
        LeftOutLimit.parse(self.max_left_out)


class CaseStanding(StrEnum):
    """How a case of a run compares with the baseline."""

    STILL_RIGHT = "still right"
    STILL_WRONG = "still wrong"
    NEWLY_RIGHT = "newly right"
    NEWLY_WRONG = "newly wrong"
    NEW = "new"
    """Not in the baseline, or left out there."""
    CHANGED = "changed"
    """Another question, hint, database or reference than in the baseline."""
    LEFT_OUT = "left out"
    """Not in the denominator of the run's score: the reference fails, …"""
    GONE = "gone"
    """In the baseline only."""


_COMPARED = (
    CaseStanding.STILL_RIGHT,
    CaseStanding.STILL_WRONG,
    CaseStanding.NEWLY_RIGHT,
    CaseStanding.NEWLY_WRONG,
)


@dataclass(frozen=True, slots=True)
class GateCase:
    """A case and how it stands beside the baseline."""

    key: CaseKey
    standing: CaseStanding
    before: Verdict | None
    """In the baseline; only its outcome."""
    now: Verdict | None

    @property
    def name(self) -> str:
        """Benchmark, id and source, joined by slashes."""
        return "/".join(part for part in self.key if part)

    @property
    def is_right(self) -> bool:
        """True if the run's verdict is ``correct``."""
        return self.now is not None and is_right(self.now)

    @property
    def lost(self) -> str:
        """Why the case, which should be compared, is not; empty if it is, or need not be."""
        counted_before = self.before is not None and not self.before.outcome.left_out
        if self.standing is CaseStanding.LEFT_OUT and self.now is not None:
            return str(self.now.outcome) if self.before is None or counted_before else ""
        is_lost = self.standing in (CaseStanding.GONE, CaseStanding.CHANGED) and counted_before
        return str(self.standing) if is_lost else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeGate:
    """One judge's part of a gate; of a run with several systems, one for each."""

    name: str
    n: int
    """The denominator of the run's score."""
    score: float | None
    low: float | None
    high: float | None
    least: float | None
    """The threshold for the score; None without one."""
    paired: Paired | None
    """The paired test: ``difference`` is the run's score minus the baseline's. None if the baseline
    does not have the judge."""
    cases: Sequence[GateCase]
    newly_wrong: Mapping[str, Sequence[Failure]]
    """By cause."""
    newly_right: Mapping[str, Sequence[str]]
    """The names of the cases by their outcome in the baseline."""
    reasons: tuple[str, ...]
    """Why the gate fails, in sentences; empty if it passes."""

    def standing(self, standing: CaseStanding) -> list[str]:
        """The names of the cases that stand like this."""
        return [case.name for case in self.cases if case.standing is standing]

    @property
    def lost(self) -> dict[str, list[str]]:
        """The names of the cases that should be compared and are not, by the reason."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for case in self.cases:
            if case.lost:
                found[case.lost].append(case.name)
        return dict(found)


_PAIRED = ("n", "only_first", "only_second", "difference", "low", "high", "p", "p_holm")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """A run beside its baseline, and whether it passes."""

    run: str
    baseline: str | None
    """None if only thresholds were checked."""
    limits: GateLimits
    judges: tuple[JudgeGate, ...]
    notes: tuple[str, ...] = ()
    """What else differs between the two, and is compared all the same."""

    @property
    def passed(self) -> bool:
        """True if every judge's gate passes."""
        return not any(judge.reasons for judge in self.judges)

    def to_json(self) -> dict[str, Json]:
        """A JSON object; scores and differences are fractions, cases are given by name."""
        return {
            "passed": self.passed,
            "run": self.run,
            "baseline": self.baseline,
            "max_drop": self.limits.max_drop,
            "alpha": self.limits.alpha,
            "max_left_out": self.limits.max_left_out,
            "notes": list(self.notes),
            "judges": [
                {
                    "judge": judge.name,
                    "passed": not judge.reasons,
                    "reasons": list(judge.reasons),
                    "n": judge.n,
                    "score": judge.score,
                    "low": judge.low,
                    "high": judge.high,
                    "threshold": judge.least,
                    "compared": judge.paired
                    and {name: getattr(judge.paired, name) for name in _PAIRED},
                    "newly_wrong": {
                        cause: [one.case.name for one in group]
                        for cause, group in judge.newly_wrong.items()
                    },
                    "newly_right": {cause: [*names] for cause, names in judge.newly_right.items()},
                    "not_compared": judge.lost,
                    "new": judge.standing(CaseStanding.NEW),
                }
                for judge in self.judges
            ],
        }


FailuresOf = Callable[[str, Set[CaseKey]], Mapping[str, Sequence[Failure]]]
"""A function that returns the run's failures by a judge among the given cases, by cause."""


def decide(
    run: Baseline,
    summary: Summary,
    baseline: Baseline | None,
    limits: GateLimits,
    failures_of: FailuresOf,
) -> GateResult:
    """Compare a run with its baseline, and decide whether it passes.

    Args:
        run: what the run found.
        summary: the run's scores.
        baseline: None checks the thresholds only.

    Raises:
        InputError: SJ516: the baseline was judged otherwise; SJ517: a threshold names no judge of
            the run; SJ418: run and baseline have no case in common.
    """
    notes = () if baseline is None else _notes(run, baseline)
    least_of = _thresholds(limits.thresholds, run)
    gates = {
        (judge, system): cases
        for judge in run.answers
        for system, cases in _by_system(_gate_cases(run, baseline, judge)).items()
    }
    tests = adjusted([_paired(cases) for cases in gates.values()])
    if baseline is not None and not any(test.n for test in tests):
        raise InputError(
            "SJ418",
            f"{run.name} and {baseline.name} have no case in common that counts in both.",
            hint="Cases are known by benchmark and id.",
        )
    made = sum(test.p is not None for test in tests)
    scores = dict(named_scores(summary))
    judges = []
    for ((judge, system), cases), test in zip(gates.items(), tests, strict=True):
        name = f"{judge}, {system}" if system else judge
        score = scores.get(name)  # none of a system that is gone
        found = JudgeGate(
            name=name,
            n=score.n if score else 0,
            score=score.score if score else None,
            low=score.low if score else None,
            high=score.high if score else None,
            least=least_of.get(judge),
            paired=test if baseline is not None and judge in baseline.answers else None,
            cases=cases,
            newly_wrong=failures_of(judge, _keys(cases, CaseStanding.NEWLY_WRONG)),
            newly_right=_by_outcome_before(cases),
            reasons=(),
        )
        judges.append(replace(found, reasons=tuple(_reasons(found, limits, made))))
    return GateResult(
        run=run.name,
        baseline=None if baseline is None else baseline.name,
        limits=limits,
        judges=tuple(judges),
        notes=notes,
    )


def _notes(run: Baseline, baseline: Baseline) -> tuple[str, ...]:
    """Sentences on what differs besides the predictions.

    Raises:
        InputError: SJ516: it forbids to compare the verdicts.
    """
    gone = [judge for judge in baseline.answers if judge not in run.answers]
    if gone:
        raise InputError(
            "SJ516",
            f"{run.name} has no verdicts by {one_line(words.visible(', '.join(gone)))}, which the "
            "baseline has.",
            where=baseline.name,
            hint="Judge by the same --judge, or write a new baseline: --write-baseline FILE",
        )
    notes = []
    for judge, signature in run.signatures.items():
        if judge not in baseline.signatures:
            notes.append(f"{judge} is not in the baseline: nothing to compare")
            continue
        for part, old, new in changed_parts(baseline.signatures[judge], signature):
            change = one_line(words.visible(f"{judge}: {part} was {old}, is {new}"))
            if part not in _MAY_DIFFER:
                raise InputError(
                    "SJ516",
                    f"the baseline was judged otherwise: {change}.",
                    where=baseline.name,
                    hint="Judge the former predictions again, and write a new baseline: "
                    "--write-baseline FILE",
                )
            notes.append(change)
    notes += data_changes("database", baseline.databases, run.databases)
    notes += data_changes("test suite of", baseline.suites, run.suites)
    return tuple(notes)


def _thresholds(given: Mapping[str, float], run: Baseline) -> dict[str, float]:
    """The lowest score of each judge of the run that a threshold names.

    A name without options, or without a variant, stands for the only judge that begins with it.

    Raises:
        InputError: SJ517: a threshold names none of the judges, or several.
    """
    found = {}
    for name, least in given.items():
        meant = [judge for judge in run.answers if judge == name] or [
            judge for judge in run.answers if re.split("[:,]", judge)[0] == name
        ]
        if len(meant) != 1:
            what = "several judges" if meant else "no judge"
            raise InputError(
                "SJ517",
                f"--threshold {name} names {what} of the run.",
                hint=f"Its judges are {', '.join(run.answers)}.",
            )
        found[meant[0]] = least
    return found


def _gate_cases(run: Baseline, baseline: Baseline | None, judge: str) -> list[GateCase]:
    """The cases of both sides as they stand, those of the run first."""
    before = () if baseline is None else baseline.answers.get(judge, ())
    cases = match_cases(before, run.answers[judge])
    both = {new.key: old for old, new in cases.both}
    found = []
    for new in run.answers[judge]:
        old = both.get(new.key)
        now, former = new.verdict, None if old is None else old.verdict
        is_changed = old is not None and old.asked != new.asked
        found.append(GateCase(new.key, _standing(former, now, is_changed), former, now))
    return found + [
        GateCase(old.key, CaseStanding.GONE, old.verdict, None) for old in cases.only_first
    ]


def _standing(before: Verdict | None, now: Verdict, is_changed: bool) -> CaseStanding:
    if now.outcome.left_out:
        return CaseStanding.LEFT_OUT
    if before is None or before.outcome.left_out:
        return CaseStanding.NEW
    if is_changed:
        return CaseStanding.CHANGED
    if is_right(now):
        return CaseStanding.STILL_RIGHT if is_right(before) else CaseStanding.NEWLY_RIGHT
    return CaseStanding.NEWLY_WRONG if is_right(before) else CaseStanding.STILL_WRONG


def _by_system(cases: Sequence[GateCase]) -> dict[str, list[GateCase]]:
    """The cases by system; all under an empty name if the run has only one."""
    several = len({case.key[2] for case in cases if case.now is not None}) > 1
    found: defaultdict[str, list[GateCase]] = defaultdict(list)
    for case in cases:
        found[case.key[2] if several else ""].append(case)
    return dict(found)


def _paired(cases: Sequence[GateCase]) -> Paired:
    counts = PairedCounts()
    for case in cases:
        if case.standing in _COMPARED and case.before is not None and case.now is not None:
            add_verdicts(counts, case.before, case.now)
    return counts.named("baseline", "run", gained=True)


def _keys(cases: Sequence[GateCase], standing: CaseStanding) -> set[CaseKey]:
    return {case.key for case in cases if case.standing is standing}


def _by_outcome_before(cases: Sequence[GateCase]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for case in cases:
        if case.standing is CaseStanding.NEWLY_RIGHT and case.before is not None:
            found[str(case.before.outcome)].append(case.name)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def _reasons(judge: JudgeGate, limits: GateLimits, tests: int) -> Iterator[str]:
    """Why a judge's gate fails, in sentences."""
    paired = judge.paired
    if paired is not None and paired.difference is None:
        yield "no case could be compared"
    if paired is not None and paired.difference is not None:
        drop = round(-100 * paired.difference, _DIGITS)
        if drop > limits.max_drop:
            yield (
                f"the score of the compared cases fell by {drop:.4g} points; "
                f"--max-drop {limits.max_drop:g} allows {limits.max_drop:g}"
            )
        fell = paired.only_first > paired.only_second
        if fell and paired.p_holm is not None and paired.p_holm < limits.alpha:
            over = f", adjusted for {tests} tests" if tests > 1 else ""
            yield (
                f"{words.count(paired.only_first)} newly wrong and "
                f"{words.count(paired.only_second)} newly right are a significant fall: p "
                f"{words.p_value(paired.p_holm)}{over}, --alpha {limits.alpha:g}"
            )
    if paired is None and judge.least is None:
        return
    lost = {reason: len(names) for reason, names in judge.lost.items()}
    gated = GatedScore(name=judge.name, total=len(judge.cases), left_out=lost)
    if said := LeftOutLimit.parse(limits.max_left_out).exceeded(gated):
        yield f"not compared: {said}"
    if judge.least is not None and (judge.score is None or judge.score < judge.least):
        score = "nothing was scored" if judge.score is None else f"the score is {judge.score:.4f}"
        yield f"{score}; --threshold asks for {judge.least:g}"


def _out_of_range(what: str) -> InputError:
    return InputError("SJ517", f"{what}.", hint="See: sqljury gate --help")
