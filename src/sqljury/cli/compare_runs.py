"""`sqljury compare-runs`: what a change made better, and what it made worse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Html
from sqljury.cli.output import show


@app.command("compare-runs")
def compare_runs(
    first: Annotated[Path, typer.Argument(help="The folder of a run: what was.")],
    second: Annotated[Path, typer.Argument(help="The folder of a run: what is.")],
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs: newly right, newly wrong, by cause, and whether that is chance."""
    from sqljury.api.comparison import compare_runs as compared
    from sqljury.uses.evaluate.comparison import comparison_document

    found = compared(first, second)
    show(comparison_document(found), found.to_json() if as_json else None, html)
