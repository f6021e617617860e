"""What `diagnose` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sqljury.reports import words
from sqljury.reports.terminal import Out, numbers_table, plain
from sqljury.uses.diagnose import Diagnosis, DiagnosisReport, Suspicion

_MOST_SUSPICIONS = 20
_CASE = 20
_QUESTION = 90
_JUDGE = 27


def print_diagnosis(
    found: DiagnosisReport, console: Console, *, most: int = _MOST_SUSPICIONS
) -> None:
    """Print what judges say of references and questions, and the most suspicious references.

    Args:
        most: how many references.
    """
    out = Out(console)
    out.table(_diagnoses(found.judges))
    out.table(_annotated(found.judges))
    out.table(_annotators(found))
    if any(row.annotated for row in found.judges):
        out.text("explained: an annotator wrote a reason, whatever it says; silence clears nothing")
        console.print()
    for line in reason_lines(found):
        out.text(line)
    if found.reasons:
        console.print()
    listed = found.suspicions[:most]
    title = (
        f"Suspicious references: {words.count(len(listed))} of "
        f"{words.count(len(found.suspicions))}, of {words.count(found.n_references)} in all"
    )
    out.table(_suspicions(title, listed))


def _diagnoses(rows: Sequence[Diagnosis]) -> Table:
    table = numbers_table(
        "Diagnoses", "", "cases", "flagged", "in percent", min_width=_JUDGE
    )  # fmt: skip
    for row in _headed(rows, table):
        table.add_row(
            Padding(plain(row.diagnosis), (0, 0, 0, 2)),
            words.count(row.n),
            words.count(row.flagged),
            words.percent(row.flagged_share),
        )
    return table


def _annotated(rows: Sequence[Diagnosis]) -> Table:
    table = numbers_table(
        "Against annotators' reasons, in percent",
        "",
        "flagged",
        "confirmed",
        "precision\nat least",
        "95 %",
        "of those\nexplained",
        "found of\nstated",
        min_width=_JUDGE,
    )
    for row in _headed([row for row in rows if row.annotated], table):
        table.add_row(Padding(plain(row.diagnosis), (0, 0, 0, 2)), *diagnosis_cells(row))
    return table


def _headed(rows: Sequence[Diagnosis], table: Table) -> Iterator[Diagnosis]:
    """Each judge's name on a line of its own, before its rows."""
    for judge, group in groupby(rows, key=lambda row: row.judge):
        table.add_row(plain(judge, "bold"))
        yield from group


def diagnosis_parts(found: DiagnosisReport) -> list[dict[str, Any]]:
    """The tables of diagnoses: caption, heads and rows of text."""
    counts = [
        [
            words.visible(row.judge),
            row.diagnosis,
            words.count(row.n),
            words.count(row.flagged),
            words.percent(row.flagged_share),
        ]
        for row in found.judges
    ]
    against = [
        [words.visible(row.judge), row.diagnosis, *diagnosis_cells(row)]
        for row in found.judges
        if row.annotated
    ]
    people = [
        [row.label, *map(words.count, (row.n, row.both, row.only_first, row.only_second)),
         words.percent(row.kappa, 2)]
        for row in found.annotators
    ]  # fmt: skip
    parts: list[dict[str, Any]] = [
        {
            "caption": "How often",
            "heads": ("judge", "diagnosis", "cases", "flagged", "in percent"),
            "rows": counts,
            "texts": 2,
        },
        {
            "caption": "Against annotators' reasons, in percent",
            "heads": ("judge", "diagnosis", "flagged", "confirmed", "precision at least", "95 %",
                      "of those explained", "found of stated"),
            "rows": against,
            "texts": 2,
        },
        {
            "caption": "Annotators with each other",
            "heads": ("label", "cases", "both", "only first", "only second", "κ"),
            "rows": people,
        },
    ]  # fmt: skip
    return [part for part in parts if part["rows"]]


def diagnosis_cells(row: Diagnosis) -> list[str]:
    """Counts and shares of one diagnosis against annotators."""
    return [
        words.count(row.annotated),
        words.count(row.confirmed),
        words.percent(row.precision),
        words.interval(*row.interval) if row.interval else "",
        f"{row.confirmed} of {row.explained}",
        f"{row.found} of {row.stated}",
    ]


def _annotators(found: DiagnosisReport) -> Table:
    table = numbers_table(
        "Annotators with each other",
        "label",
        "cases",
        "both",
        "only first",
        "only second",
        "κ",
    )
    for row in found.annotators:
        numbers = map(words.count, (row.n, row.both, row.only_first, row.only_second))
        table.add_row(row.label, *numbers, words.percent(row.kappa, 2))
    return table


def reason_lines(found: DiagnosisReport) -> list[str]:
    """What reasons say, beside the consensus label."""
    lines = []
    for row in found.reasons:
        faulted = ", ".join(
            f"{n} by {annotators}" for annotators, n in row.faulted_by.items() if annotators
        )
        label = "correct" if row.label else "incorrect"
        lines.append(
            f"Labelled {label}: {row.n}. Prediction called wrong: {faulted or 'none'}; reasons "
            f"only about reference, hint or question: {row.only_reference_or_question}; "
            f"no reason: {row.silent}."
        )
    return lines


def _suspicions(title: str, rows: Sequence[Suspicion]) -> Table:
    table = numbers_table(
        title,
        "case",
        "called\nwrong",
        "accepted\nagainst it",
        "agree\nagainst it",
        "question",
        min_width=_CASE,
    )
    table.columns[4].justify = "left"
    for row in rows:
        *cells, stated = suspicion_cells(row)
        table.add_row(*cells, Text(words.shortened(words.visible(row.question), _QUESTION)))
        if stated:
            table.add_row("", "", "", "", plain(f"annotators: {stated}", "dim"))
    return table


def suspicion_cells(row: Suspicion) -> list[str]:
    """What speaks against a reference, as counts of counts."""
    return [
        words.visible("/".join(filter(None, (row.benchmark, row.id)))),
        f"{row.faults} of {row.asked}",
        f"{row.against} of {row.contradicted}",
        f"{row.alike} of {row.systems}",
        ", ".join(row.stated),
    ]
