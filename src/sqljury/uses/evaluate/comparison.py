"""Compares two runs on the same questions: cases newly right, newly wrong, and a paired test."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from sqljury.case import Json
from sqljury.frames import data_frame
from sqljury.reports import words
from sqljury.reports.document import ReportDocument, ReportSection, ReportTable
from sqljury.uses.evaluate.failures import Failure
from sqljury.uses.evaluate.systems import add_verdicts, is_right
from sqljury.uses.statistics import Paired, PairedCounts
from sqljury.verdict import Outcome, Record, Verdict
from sqljury.version import __version__

Key = tuple[str, ...]
CaseKey = tuple[str, str, str]
# Keys by which cases of two runs are matched, the most specific first.
_KEYS: tuple[Callable[[CaseKey], Key], ...] = (
    lambda key: key,
    lambda key: key[:2],
    lambda key: (key[1],),
)


@dataclass(frozen=True, slots=True)
class Answered:
    """The parts of a record that comparing two runs needs; a run may hold millions."""

    key: CaseKey
    verdict: Verdict
    """Only its outcome and score."""
    asked: bytes
    """A hash of the question, the database and the references."""

    @classmethod
    def of(cls, record: Record) -> Answered:
        """The parts of ``record`` that are kept."""
        case, verdict = record.case, record.verdict
        asked = repr((case.question, case.hint, case.db_id, case.reference_sqls))
        digest = blake2b(asked.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = (sys.intern(case.benchmark), case.id, sys.intern(case.source))
        return cls(key, _bare(verdict.outcome, verdict.score), digest)


@lru_cache(maxsize=4096)
def _bare(outcome: Outcome, score: float | None) -> Verdict:
    return Verdict(outcome=outcome, score=score)


_PAIRED = ("n", "only_first", "only_second", "difference", "low", "high", "p")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """One judge's verdicts on the cases of two runs, compared."""

    judge: str
    paired: Paired
    """The paired test of the runs; ``difference`` is the second's mean score minus the first's."""
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

    Cases are matched by benchmark, id and source; if that matches none, by benchmark and id; if
    that matches none, by id.

    Args:
        causes: finds the failures of the first run, and of the second.
    """
    key = _shared_key(first, second)
    before = {key(answered.key): answered for answered in first}
    after = {key(answered.key): answered for answered in second}
    both = [name for name in before if name in after]
    counts = PairedCounts()
    better: set[CaseKey] = set()
    worse: set[CaseKey] = set()
    for name in both:
        old, new = before[name], after[name]
        add_verdicts(counts, old.verdict, new.verdict, gained=True)
        if old.verdict.outcome.left_out or new.verdict.outcome.left_out:
            continue
        if is_right(new.verdict) and not is_right(old.verdict):
            better.add(old.key)
        elif is_right(old.verdict) and not is_right(new.verdict):
            worse.add(new.key)
    return JudgeComparison(
        judge=judge,
        paired=counts.named("first", "second"),
        newly_right=causes[0](better),
        newly_wrong=causes[1](worse),
        only_first=len(before) - len(both),
        only_second=len(after) - len(both),
        changed=sum(before[name].asked != after[name].asked for name in both),
    )


def _shared_key(first: Sequence[Answered], second: Sequence[Answered]) -> Callable[[CaseKey], Key]:
    for key in _KEYS:
        sides = [Counter(key(answered.key) for answered in side) for side in (first, second)]
        unique = all(most <= 1 for side in sides for most in side.values())
        if unique and sides[0].keys() & sides[1].keys():
            return key
    return _KEYS[0]


def signature_changes(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences on how the judges' signatures of two runs differ, except in n and data."""
    found: dict[str, None] = {}
    for judge in first.keys() | second.keys():
        if judge not in second or judge not in first:
            found[f"only the {'first' if judge in first else 'second'} run asked {judge}"] = None
    for judge in (judge for judge in first if judge in second):
        before, after = _parts(first[judge]), _parts(second[judge])
        for name in dict.fromkeys([*before, *after]):
            if before.get(name) != after.get(name):
                old, new = before.get(name, "none"), after.get(name, "none")
                found[f"{judge}: {name} was {old}, is {new}"] = None
    return tuple(sorted(found))


def _parts(signature: str) -> dict[str, str]:
    named = (part.partition(":") for part in signature.split("|")[1:])
    return {name: value for name, colon, value in named if colon and name not in _OF_THE_CASES}


_OF_THE_CASES = ("n", "data")
"""Parts of a signature that depend on the cases; :func:`data_changes` compares the data."""


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
        signature=f"compare-runs|sqljury:{__version__}",
    )


def _sections(found: RunComparison) -> Iterator[ReportSection]:
    if found.changes:
        changes = [f"CHANGED: {change}" for change in found.changes]
        yield ReportSection(title="What else changed", blocks=(), lines=changes)
    for judge in found.judges:
        tables = [
            ReportTable(
                caption=f"{title}: {words.count(sum(map(len, by_cause.values())))}",
                heads=_HEADS,
                rows=[
                    (
                        words.visible(cause),
                        words.count(len(group)),
                        words.visible(", ".join(f.case.name for f in group[:_SHOWN_CASES])),
                    )
                    for cause, group in by_cause.items()
                ],
                wide=True,
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


def _sentences(judge: JudgeComparison) -> list[str]:
    """Sentences with one judge's counts, difference and test."""
    paired = judge.paired
    ends = words.interval(paired.low, paired.high)
    lines = [
        f"{words.count(paired.only_second)} newly right, {words.count(paired.only_first)} newly "
        f"wrong of {words.count(paired.n)}: {words.percent(paired.difference)} points"
        + (f" ({ends})" if ends else "")
        + f", p {words.p_value(paired.p)} (McNemar, exact)"
    ]
    if judge.changed:
        what = "have another question, database or reference"
        lines.append(f"CHANGED: {words.count(judge.changed)} cases {what}")
    if judge.only_first or judge.only_second:
        lines.append(
            f"cases of one run only, not compared: {words.count(judge.only_first)} of the first, "
            f"{words.count(judge.only_second)} of the second"
        )
    return lines
