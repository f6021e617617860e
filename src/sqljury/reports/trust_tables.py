"""What `trust` prints: reliability scores, baselines, gates, risk and coverage."""

from __future__ import annotations

from collections.abc import Sequence

from rich import table as rich_table
from rich.console import Console

from sqljury.reports import words
from sqljury.reports.sections import ReportTable
from sqljury.reports.terminal import Out, numbers_table, plain
from sqljury.reports.trust_rows import compared, sentences, tables_of, trust_signature
from sqljury.uses.trust import Trust

_NAME = 22


def print_trust(systems: Sequence[Trust], console: Console) -> None:
    """Print each system: φ by penalty for each mix, baselines, slices, risk and coverage."""
    out = Out(console)
    for found in systems:
        out.text(words.visible(found.name), style="bold")
        for line in sentences(found):
            out.text(line)
        for table in tables_of(found):
            out.table(_printed(table))
        out.text(trust_signature(found), style="dim")
        console.print()
    if len(systems) > 1:
        out.table(_printed(compared(systems)))


def _printed(table: ReportTable) -> rich_table.Table:
    printed = numbers_table(table.caption, *table.heads, min_width=_NAME)
    for name, *cells in table.rows:
        printed.add_row(plain(name), *cells)
    return printed
