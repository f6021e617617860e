"""The results of `evaluate` as an HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqljury.reports import plots
from sqljury.reports.case_blocks import case_blocks, link_within_page
from sqljury.reports.cases import MOST_TOLD_APART, ToldApart, case_pages
from sqljury.reports.page import render, slice_plots
from sqljury.reports.plots import PlotPoint
from sqljury.reports.words import visible
from sqljury.uses.agree.agreement import Agreement
from sqljury.uses.agree.document import agreement_values
from sqljury.uses.evaluate.document import slices_of, system_tables
from sqljury.uses.evaluate.summary import JudgeSummary, Summary
from sqljury.uses.evaluate.words import (
    details,
    headline,
    outcomes_sentence,
    reading_notes,
    score_sentence,
)
from sqljury.verdict import Outcome, Record
from sqljury.writing import PathLike

_FILTERS = {
    "source": "system",
    "db_id": "db",
    "difficulty": "difficulty",
    "feature": "feature",
}
"""Dimension of a slice → name of the filter of the page's list of cases."""


def write_report(
    path: PathLike,
    summary: Summary,
    records: Iterable[Record],
    *,
    title: str,
    max_case_pages: int = 5000,
    agreement: Agreement | None = None,
    told_apart: ToldApart = lambda _: (),
) -> None:
    """Write a report: scores, outcomes, slices, and a page per case.

    The same input gives the same bytes. Memory is bounded by ``max_case_pages``.

    Args:
        records: with evidence; those of one case must be adjacent, as runs return them.
        title: the page's title.
        max_case_pages: at most so many cases get a page, those that are not correct first.
        agreement: of the judges with human labels, shown next to the scores.
        told_apart: returns the differences between a case's prediction and its reference.

    Raises:
        InputError: the file cannot be written.
    """
    pages = case_pages(records, max_case_pages, told_apart)
    render(
        path,
        "report",
        **overview_values(
            summary,
            title=title,
            total=pages.total,
            link=link_within_page,
            agreement=agreement,
        ),
        pages=pages,
        most_told_apart=MOST_TOLD_APART,
        blocks=case_blocks(pages, [judge.name for judge in summary.judges]),
    )


def overview_values(
    summary: Summary,
    *,
    title: str,
    total: int,
    link: Callable[[Mapping[str, str]], str],
    agreement: Agreement | None = None,
) -> dict[str, Any]:
    """The values of the template ``overview.html.j2``: scores, outcomes, slices.

    Args:
        total: the number of cases.
        link: makes the address of the list of cases from the fields of its filter.
    """

    def cases_of(dimension: str, value: str) -> str:
        """The link to a slice's cases; empty if the list has no such filter."""
        if dimension not in _FILTERS or not value:
            return ""
        return link({_FILTERS[dimension]: visible(value)})

    return {
        "title": visible(title),
        "run": visible(summary.run),
        "total": total,
        "notes": reading_notes(summary),
        "judges": [_judge(i, judge) for i, judge in enumerate(summary.judges)],
        "outcomes": [o for o in Outcome if any(j.outcomes.get(o) for j in summary.judges)],
        "dimensions": [slice_plots(slices, cases_of) for slices in slices_of(summary.judges)],
        "agreement": None if agreement is None else agreement_values(agreement, cases_of),
        "cases_link": lambda **fields: link({name: str(one) for name, one in fields.items()}),
    }


def _judge(series: int, judge: JudgeSummary) -> dict[str, Any]:
    """The values of a judge that the template shows."""
    found = [(o, n) for o in Outcome if (n := judge.outcomes.get(o, 0))]
    outcomes = outcomes_sentence(judge)
    board, pairs = system_tables(judge)
    point = PlotPoint(judge.name, judge.score, judge.low, judge.high)
    return {
        "name": visible(judge.name),
        "signature": visible(judge.signature),
        "score": "" if judge.systems else headline(judge),
        "sentence": score_sentence(judge),
        # The outcomes have a plot and a table of their own.
        "details": [visible(line) for line in details(judge) if line != outcomes],
        "plot": "" if judge.systems else plots.score_bar(point),
        "systems": board,
        "pairs": pairs,
        "stack": plots.stacked_bar(found) if found else "",
        "outcomes": dict(found),
        "series": series,
    }
