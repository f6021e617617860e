"""Repeated runs of one judge, as a section of a document."""

from __future__ import annotations

from sqljury.reports import words
from sqljury.reports.sections import ReportSection, ReportTable
from sqljury.uses.stability import Stability


def stability_section(found: Stability) -> ReportSection:
    """κ of each run, how far the runs spread, and how often they agree."""
    rows = [
        [
            words.visible(run.name),
            words.percent(run.kappa, 2),
            words.percent(run.accuracy, 2),
            words.count(run.yes),
        ]
        for run in found.runs
    ]
    heads = ["run", "κ", "accuracy", "says yes"]
    return ReportSection(
        title=f"Repeated runs of {words.visible(found.name)}",
        lines=_sentences(found),
        blocks=[ReportTable(caption="In percent", heads=heads, rows=rows)],
    )


def _sentences(found: Stability) -> list[str]:
    def percent(value: float | None) -> str:
        return words.percent(value, 2)

    return [
        f"κ from {percent(found.kappa_low)} to {percent(found.kappa_high)}, "
        f"mean {percent(found.kappa_mean)}, standard deviation {percent(found.kappa_deviation)}; "
        f"of the majority {percent(found.majority_kappa)}",
        f"the runs agree on {percent(found.unanimous)} % of {words.count(found.n)} cases "
        f"({len(found.unstable)} differ), two of them on {percent(found.pairwise)} %; "
        f"Fleiss' κ {percent(found.fleiss_kappa)}",
    ]
