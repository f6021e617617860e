"""`sqljury compare-runs`: what a change made better, and what it made worse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Html


@app.command("compare-runs")
def compare_runs(
    first: Annotated[Path, typer.Argument(help="The folder of a run: what was.")],
    second: Annotated[Path, typer.Argument(help="The folder of a run: what is.")],
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs: newly right, newly wrong, by cause, and whether that is chance."""
    from sqljury.api.comparison import compare_runs as compared
    from sqljury.reports.comparison import comparison_sections, comparison_text
    from sqljury.reports.sections import write_page

    found = compared(first, second)
    typer.echo(json.dumps(found.to_json(), indent=2) if as_json else comparison_text(found))
    if html is not None:
        lead = f"{found.second} against {found.first}"
        write_page(html, "Two runs", lead, comparison_sections(found), (), "compare-runs")
        typer.echo(f"report: {html.resolve()}", err=True)
