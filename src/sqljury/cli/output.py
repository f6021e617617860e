"""Prints and writes the output that several commands share."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from shutil import which
from typing import TYPE_CHECKING, Any, cast

from sqljury.cli.streams import echo
from sqljury.settings import Showing

if TYPE_CHECKING:
    from rich.console import Console

    from sqljury.case import Json
    from sqljury.llm import Spent
    from sqljury.reports.document import ReportDocument
    from sqljury.uses.evaluate.evaluation import Evaluation


def console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 100, soft_wrap=False)


def print_json(found: Any, *, ascii: bool = True) -> None:
    """Print an object as JSON."""
    # GitHub Actions takes ##[…] for a command, wherever it stands in a line.
    echo(json.dumps(found, indent=2, ensure_ascii=ascii).replace("##[", "#\\u0023["))


def show(document: ReportDocument, found: Json, showing: Showing) -> None:
    """Write the HTML page if ``--html`` is given; print the document, or JSON with ``--json``.

    Args:
        found: the object that is printed as JSON.
    """
    if showing.html is not None:
        from sqljury.reports.page import write_page

        write_page(showing.html, document)
        echo(f"report: {showing.html.resolve()}", err=True)
    if showing.json:
        print_json(found)
        return
    from sqljury.reports.terminal import print_document

    print_document(document, console())


def write_files(found: Evaluation, showing: Showing) -> list[Path]:
    """Write a run's page, CSV and export, as far as options name them; return their paths."""
    html, csv, export = showing.html, showing.csv, showing.export
    if html is not None:
        found.to_html(html)
    if csv is not None:
        from sqljury.reports.export import write_csv

        write_csv(csv, found.records(), found.run.own_columns())
    if export is not None and export.suffix == ".parquet":
        from sqljury.reports.export import write_parquet

        write_parquet(export, found.records(), found.run.own_columns())
    elif export is not None:
        from sqljury.reports.export import write_export

        write_export(export, found.records())
    return [path for path in (html, csv, export) if path is not None]


def print_summary_of(found: Evaluation, as_json: bool) -> None:
    paid = found.run.paid
    lacks = cast("list[str]", found.run.manifest.get("sandbox_lacks") or [])
    if as_json:
        now = {} if paid is None else {"paid": asdict(paid)}
        shown = {**found.summary.to_json(), "sandbox_lacks": lacks, **now}
        print_json(shown)
        return
    from sqljury.uses.evaluate.document import print_summary

    print_summary(found.summary, console())
    for lack in lacks:
        echo(f"warning: queries ran without a part of the sandbox: no {lack}", err=True)
    if paid is not None:
        echo(f"this command paid for {paid_text(paid)}", err=True)


def print_failures(found: Evaluation, most: int) -> None:
    """Print a run's failures by cause, at most ``most`` of each cause."""
    from sqljury.uses.evaluate.failures import failures_text

    echo(failures_text(found.failures(), most, str(found.run.folder)))


def program() -> str:
    """The command that calls this program: ``sqljury`` if that is on the PATH, else python -m."""
    return "sqljury" if which("sqljury") else f"{sys.executable} -m sqljury"


def print_next(found: Evaluation, html: Path | None) -> None:
    """Print to stderr what to type next about a run.

    Standard output stays free for programs that read the scores.
    """
    from sqljury.reports.evidence import one_line
    from sqljury.reports.words import visible

    folder, sqljury = quote(str(found.run.folder)), program()
    echo(f"run: {found.run.folder}", err=True)
    page = f"report: {html.resolve()}" if html else f"report: {sqljury} report {folder} --html FILE"
    echo(page, err=True)
    case = found.first_failure()
    if case is not None:
        echo(f"failures by cause: {sqljury} report {folder} --failures 3", err=True)
        name = quote(one_line(visible(case.name)))
        echo(f"one failure: {sqljury} report {folder} --case {name}", err=True)


def paid_text(paid: Spent) -> str:
    """The calls, tokens and money that this command spent on models, in words."""
    if not paid.calls:
        return "no calls: nobody was asked, or the ledger had the answers"
    unpriced = f", {paid.unpriced:,} calls without a known price" if paid.unpriced else ""
    return f"{paid.calls:,} calls, {paid.tokens:,} tokens, ${paid.money:.4f}{unpriced}"
