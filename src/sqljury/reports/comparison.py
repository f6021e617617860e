"""The comparison of two runs, as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqljury.reports import words
from sqljury.reports.sections import ReportDocument, ReportSection, ReportTable
from sqljury.uses.failures import Failure
from sqljury.uses.run_comparison import JudgeComparison, RunComparison
from sqljury.version import __version__

_HEADS = ("cause", "cases", "such as")
_SHOWN_CASES = 5


def comparison_document(found: RunComparison) -> ReportDocument:
    """What differs beside the predictions, then judge by judge what changed."""
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
                rows=_rows(by_cause),
                wide=True,
            )
            for title, by_cause in _both(judge)
            if by_cause
        ]
        yield ReportSection(
            title=words.visible(judge.judge), blocks=tables, lines=_sentences(judge)
        )


def _sentences(judge: JudgeComparison) -> list[str]:
    """The counts, the test and the difference of one judge."""
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


def _both(judge: JudgeComparison) -> Iterator[tuple[str, Mapping[str, Sequence[Failure]]]]:
    yield "newly wrong", judge.newly_wrong
    yield "newly right, by what was wrong", judge.newly_right


def _rows(by_cause: Mapping[str, Sequence[Failure]]) -> list[tuple[str, str, str]]:
    return [
        (
            words.visible(cause),
            words.count(len(group)),
            words.visible(", ".join(f.case.name for f in group[:_SHOWN_CASES])),
        )
        for cause, group in by_cause.items()
    ]
