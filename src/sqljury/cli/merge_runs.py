"""`sqljury merge-runs`: one run of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Csv, Export, Html
from sqljury.cli.output import print_summary_of, write_files


@app.command("merge-runs")
def merge_runs(
    folder: Annotated[Path, typer.Argument(help="The folder of the new run.")],
    runs: Annotated[list[Path], typer.Argument(help="All shards of an input, or several runs.")],
    html: Html = None,
    csv: Csv = None,
    export: Export = None,
    as_json: AsJson = False,
) -> None:
    """Make one run of the shards of an input, or of runs over several inputs."""
    from sqljury.api.evaluation import merge_evaluations

    with merge_evaluations(folder, runs) as found:
        write_files(found, html, csv, export)
        print_summary_of(found, as_json)
