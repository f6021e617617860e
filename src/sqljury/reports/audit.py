"""What an audit found: for a terminal, and as a line per finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqljury.writing import PathLike, write_json_lines

if TYPE_CHECKING:
    from rich.console import Console

    from sqljury.uses.audit import Audit


def print_audit(found: Audit, console: Console) -> None:
    """The references with findings, and a line for each check that found something."""
    from rich.table import Table

    looked_at = found.references - sum(found.not_audited.values())
    console.print(f"{looked_at:,} of {found.references:,} references audited: {_suspects(found)}")
    for why, count in found.not_audited.items():
        console.print(f"  not audited: {count:,} ({why})")
    table = Table(box=None, pad_edge=False)
    for name in ("check", "references", "findings", "what"):
        table.add_column(name, justify="right" if name in ("references", "findings") else "left")
    for one in found.checks:
        if one.findings:
            title = f"hint: {one.title}" if one.weak else one.title
            table.add_row(one.code, f"{one.references:,}", f"{one.findings:,}", title)
    if table.row_count:
        console.print(table)
    skipped = [one.code for one in found.checks if one.skipped >= looked_at > 0]
    if skipped:
        console.print(f"skipped, for want of what they look at: {', '.join(skipped)}")
    console.print(found.signature, markup=False)


def _suspects(found: Audit) -> str:
    return f"{found.suspect:,} with a fault, {found.hinted:,} more with a hint"


def write_findings(path: PathLike, found: Audit) -> None:
    """Write one JSON object a line for each finding, in the order of the benchmark.

    Raises:
        InputError: the file cannot be written.
    """
    write_json_lines(path, (one.to_json() for one in found.findings), sort_keys=True)
