"""What a labelled pool holds, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from sqljury.uses.labelling import LabelStatistics


def print_labels(found: LabelStatistics, console: Console) -> None:
    """Questions before and after, outcomes, and both labelled sets."""
    from rich.table import Table

    removed = found.questions - found.distinct_questions
    console.print(
        f"questions: {found.questions:,}, of which {removed:,} came twice\n"
        f"candidates: {found.candidates:,} ({found.said()})"
    )
    table = Table()
    for name in ("labelled set", "questions", "size", "incorrect", "correct"):
        table.add_column(name, justify="left" if name == "labelled set" else "right")
    for name, counts in (("unbalanced", found.all), ("balanced", found.balanced)):
        shares = [
            "-" if not counts.size else f"{n:,} ({100 * n / counts.size:.2f} %)"
            for n in (counts.incorrect, counts.correct)
        ]
        table.add_row(name, f"{counts.questions:,}", f"{counts.size:,}", *shares)
    console.print(table)
