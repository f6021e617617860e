"""Repeated runs of one judge, printed and as part of a page."""

from __future__ import annotations

from rich.console import Console

from sqljury.reports import words
from sqljury.reports.sections import ReportSection, ReportTable
from sqljury.reports.terminal import Out, numbers_table, plain
from sqljury.uses.stability import Stability

_RUN = 40


def print_stability(found: Stability, console: Console) -> None:
    """Print what repeated runs of one judge give: κ of each, and how often they agree."""
    out = Out(console)
    title = f"Repeated runs of {found.name}"
    table = numbers_table(title, "run", "κ", "accuracy", "says yes", min_width=_RUN)
    for run in found.runs:
        table.add_row(
            plain(run.name),
            words.percent(run.kappa, 2),
            words.percent(run.accuracy, 2),
            words.count(run.yes),
        )
    out.table(table)
    for line in stability_lines(found):
        out.text(line)
    console.print()


def stability_lines(found: Stability) -> list[str]:
    """Spread and agreement, in words."""

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


def stability_section(found: Stability) -> ReportSection:
    """Runs, spread and agreement as a section of a page."""
    rows = [
        [run.name, words.percent(run.kappa, 2), words.percent(run.accuracy, 2), str(run.yes)]
        for run in found.runs
    ]
    return ReportSection(
        title=f"Repeated runs: {words.visible(found.name)}",
        lines=stability_lines(found),
        blocks=[
            ReportTable(caption="In percent", heads=["run", "κ", "accuracy", "says yes"], rows=rows)
        ],
    )
