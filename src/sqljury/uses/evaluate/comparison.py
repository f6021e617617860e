"""Compares two runs on the same questions: cases newly right, newly wrong, and a paired test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.frames import data_frame
from sqljury.reports import words
from sqljury.reports.document import ReportDocument, ReportSection, ReportTable
from sqljury.runs import Run, open_run
from sqljury.signature import Signature, signed
from sqljury.uses.evaluate.baseline import Answered, Baseline, CaseKey, match_cases
from sqljury.uses.evaluate.failures import Failure, failures_among
from sqljury.uses.evaluate.summary import is_right
from sqljury.uses.evaluate.systems import add_verdicts
from sqljury.uses.statistics import Paired, PairedCounts
from sqljury.writing import PathLike

_PAIRED = ("n", "only_first", "only_second", "difference", "low", "high", "p")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """One judge's verdicts on the cases of two runs, compared."""

    judge: str
    paired: Paired
    """The paired test of the runs; ``difference`` is the share that the second gets right minus
    the first's."""
    newly_right: Mapping[str, Sequence[Failure]]
    """Cases that failed in the first run only, by the cause there."""
    newly_wrong: Mapping[str, Sequence[Failure]]
    """Cases that failed in the second run only, by the cause there."""
    only_first: int
    """Cases that only the first run has; they are not compared."""
    only_second: int
    changed: int
    """Cases whose question, database or references differ between the runs; they are compared
    all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """The second run compared with the first."""

    first: str
    second: str
    changes: tuple[str, ...]
    """Differences other than the predictions: data, judges, versions, limits."""
    judges: tuple[JudgeComparison, ...]

    def to_frame(self, library: str | None = None) -> Any:
        """A data frame: a row per case whose verdict changed, with the failure in either run.

        Args:
            library: ``pandas`` or ``polars``; by default the first of them that is installed.

        Raises:
            InputError: SJ803: neither is installed.
        """
        changed = (
            ({"change": change}, failure)
            for judge in self.judges
            for change, by_cause in (
                ("newly_right", judge.newly_right),
                ("newly_wrong", judge.newly_wrong),
            )
            for group in by_cause.values()
            for failure in group
        )
        return data_frame([change | failure.to_row() for change, failure in changed], library)

    def to_json(self) -> dict[str, Json]:
        """A JSON object, in which each failure is the name of its case."""
        return {
            "first": self.first,
            "second": self.second,
            "changes": list(self.changes),
            "judges": [
                {
                    "judge": judge.judge,
                    **{name: getattr(judge.paired, name) for name in _PAIRED},
                    "newly_right": _names(judge.newly_right),
                    "newly_wrong": _names(judge.newly_wrong),
                    "cases_only_in_first": judge.only_first,
                    "cases_only_in_second": judge.only_second,
                    "cases_changed": judge.changed,
                }
                for judge in self.judges
            ],
        }


def _names(found: Mapping[str, Sequence[Failure]]) -> dict[str, Json]:
    return {cause: [failure.case.name for failure in group] for cause, group in found.items()}


ByCause = Callable[[Set[CaseKey]], Mapping[str, Sequence[Failure]]]
"""A function that returns a run's failures among the given cases, by cause."""


def compare_judge(
    judge: str,
    first: Sequence[Answered],
    second: Sequence[Answered],
    causes: tuple[ByCause, ByCause],
) -> JudgeComparison:
    """One judge's verdicts on the cases that two runs share, compared.

    Args:
        causes: finds the failures of the first run, and of the second.
    """
    cases = match_cases(first, second)
    counts = PairedCounts()
    better: set[CaseKey] = set()
    worse: set[CaseKey] = set()
    for old, new in cases.both:
        add_verdicts(counts, old.verdict, new.verdict)
        if old.verdict.outcome.left_out or new.verdict.outcome.left_out:
            continue
        if is_right(new.verdict) and not is_right(old.verdict):
            better.add(old.key)
        elif is_right(old.verdict) and not is_right(new.verdict):
            worse.add(new.key)
    return JudgeComparison(
        judge=judge,
        paired=counts.named("first", "second", gained=True),
        newly_right=causes[0](better),
        newly_wrong=causes[1](worse),
        only_first=len(cases.only_first),
        only_second=len(cases.only_second),
        changed=sum(old.asked != new.asked for old, new in cases.both),
    )


def signature_changes(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences on how the judges' signatures of two runs differ.

    Their fields n and data are left out of both; :func:`data_changes` compares the data.
    """
    found: dict[str, None] = {}
    for judge in first.keys() | second.keys():
        if judge not in second or judge not in first:
            found[f"only the {'first' if judge in first else 'second'} run asked {judge}"] = None
    for judge in (judge for judge in first if judge in second):
        for name, old, new in changed_parts(first[judge], second[judge]):
            found[f"{judge}: {name} was {old}, is {new}"] = None
    return tuple(sorted(found))


def changed_parts(first: str, second: str) -> Iterator[tuple[str, str, str]]:
    """Name, former and present value of each part in which two signatures differ."""
    before, after = (dict(Signature.parse(one).fields) for one in (first, second))
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            yield name, before.get(name, "none"), after.get(name, "none")


def data_changes(what: str, first: Mapping[str, str], second: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences on the databases or suites of both runs whose fingerprints differ."""
    return tuple(
        f"the {what} {name} holds something else"
        for name in sorted(first)
        if name in second and first[name] != second[name]
    )


_HEADS = ("cause", "cases", "such as")
_SHOWN_CASES = 5


def comparison_document(found: RunComparison) -> ReportDocument:
    """The report: differences other than the predictions, then per judge which verdicts changed."""
    return ReportDocument(
        title="Two runs",
        lead=f"{found.second} against {found.first}",
        sections=list(_sections(found)),
        signature=signed("compare-runs"),
    )


def _sections(found: RunComparison) -> Iterator[ReportSection]:
    if found.changes:
        changes = [f"CHANGED: {change}" for change in found.changes]
        yield ReportSection(title="What else changed", blocks=(), lines=changes)
    for judge in found.judges:
        tables = [
            cases_by_cause(
                title,
                {cause: [one.case.name for one in group] for cause, group in by_cause.items()},
            )
            for title, by_cause in (
                ("newly wrong", judge.newly_wrong),
                ("newly right, by what was wrong", judge.newly_right),
            )
            if by_cause
        ]
        yield ReportSection(
            title=words.visible(judge.judge), blocks=tables, lines=_sentences(judge)
        )


def cases_by_cause(title: str, names: Mapping[str, Sequence[str]]) -> ReportTable:
    """A table with each cause, its number of cases, and the names of some."""
    return ReportTable(
        caption=f"{title}: {words.count(sum(map(len, names.values())))}",
        heads=_HEADS,
        rows=[
            (
                words.visible(cause),
                words.count(len(group)),
                words.visible(", ".join(group[:_SHOWN_CASES])),
            )
            for cause, group in names.items()
        ],
        wide=True,
    )


def paired_sentence(paired: Paired) -> str:
    """How many verdicts changed, the difference with its interval, and the test's p."""
    ends = words.interval(paired.low, paired.high)
    return (
        f"{words.count(paired.only_second)} newly right, {words.count(paired.only_first)} newly "
        f"wrong of {words.count(paired.n)}: {words.percent(paired.difference)} points"
        + (f" ({ends})" if ends else "")
        + f", p {words.p_value(paired.p)} (McNemar, exact)"
    )


def _sentences(judge: JudgeComparison) -> list[str]:
    """Sentences with one judge's counts, difference and test."""
    lines = [paired_sentence(judge.paired)]
    if judge.changed:
        what = "have another question, database or reference"
        lines.append(f"CHANGED: {words.count(judge.changed)} cases {what}")
    if judge.only_first or judge.only_second:
        lines.append(
            f"cases of one run only, not compared: {words.count(judge.only_first)} of the first, "
            f"{words.count(judge.only_second)} of the second"
        )
    return lines


def compare_runs(first: PathLike, second: PathLike) -> RunComparison:
    """The cases that are newly right and newly wrong in a second run, by cause, with paired tests.

    The judges that both runs have are compared. Other differences (data, versions, limits) are in
    ``changes``.

    Args:
        first: the folder of the earlier run.
        second: the folder of the later run.

    Raises:
        InputError: SJ401: a folder that is no run; SJ418: no judge or no case in common.
    """
    with open_run(Path(first)) as before, open_run(Path(second)) as after:
        return compared(before, after)


def compared(first: Run, second: Run) -> RunComparison:
    """Compare two open runs; see :func:`compare_runs`."""
    before, after = Baseline.of(first), Baseline.of(second)
    judges = [name for name in before.answers if name in after.answers]
    if not judges:
        raise InputError(
            "SJ418", "the runs have no judge in common.", hint="Judge both by the same --judge."
        )
    found = [
        compare_judge(
            judge,
            before.answers[judge],
            after.answers[judge],
            (partial(failures_of_cases, first, judge), partial(failures_of_cases, second, judge)),
        )
        for judge in judges
    ]
    if not any(one.paired.n for one in found):
        raise InputError(
            "SJ418", "the runs have no case in common.", hint="Cases are known by benchmark and id."
        )
    return RunComparison(
        first=before.name,
        second=after.name,
        changes=(
            *data_changes("database", before.databases, after.databases),
            *data_changes("test suite of", before.suites, after.suites),
            *signature_changes(before.signatures, after.signatures),
        ),
        judges=tuple(found),
    )


def failures_of_cases(run: Run, judge: str, keys: Set[CaseKey]) -> Mapping[str, Sequence[Failure]]:
    """The failures among some cases, by cause; reads these cases again with their evidence."""
    if not keys:
        return {}
    records = (one for one in run.records() if one.judge == judge and one.case.key in keys)
    return failures_among(run, records)
