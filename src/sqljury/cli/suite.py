"""`sqljury suite build`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import suites
from sqljury.cli.options import Files, Format, Mapping, Overlay, Seed

if TYPE_CHECKING:
    from sqljury.uses.suite import SuiteReport


@suites.command("build")
def build_suite(
    files: Files,
    databases: Annotated[
        str, typer.Option("--databases", "-d", help="Folder (DB_ID/DB_ID.sqlite) or file.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder of the suites; again resumes.")],
    databases_per_query: Annotated[
        int, typer.Option("--databases-per-query", min=1, help="Databases to try per reference.")
    ] = 20,
    seed: Seed = 0,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=1, help="Processes, one database each.")
    ] = 1,
    format_: Format = None,
    mapping: Mapping = None,
    overlay: Overlay = None,
) -> None:
    """Build test suites that tell references from queries with small mistakes."""
    from sqljury.api.suites import build_suites
    from sqljury.benchmarks import parse_mapping, read_cases
    from sqljury.uses.suite.build import report_text, total_text

    names = parse_mapping(mapping) if mapping else None
    cases = read_cases(files, format=format_, mapping=names, overlay=overlay)
    for warning in cases.warnings:
        typer.echo(f"warning: {warning}", err=True)
    done = 0

    def show(report: SuiteReport, total: int) -> None:
        nonlocal done
        done += 1
        typer.echo(f"{done} of {total}  {report_text(report)}", err=True)

    reports = build_suites(
        cases,
        databases,
        out,
        databases_per_query=databases_per_query,
        seed=seed,
        workers=workers,
        on_report=show,
    )
    typer.echo(total_text(reports))
