"""`sqljury diagnose`: what a run's verdicts say of the benchmark."""

from __future__ import annotations

from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Html, RunFolder
from sqljury.cli.output import show


@app.command()
def diagnose(
    run: RunFolder,
    most: Annotated[
        int, typer.Option("--most", min=0, help="How many suspicious references to list.")
    ] = 20,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Say what a run's verdicts say of the benchmark: faulty references, ambiguous questions."""
    from sqljury.api.diagnosis import diagnose_run, stability_of_run
    from sqljury.reports.diagnosis import diagnosis_document

    found, repeated = diagnose_run(run), stability_of_run(run)
    stability = {"stability": [runs.to_json() for runs in repeated]}
    document = diagnosis_document(found, repeated, title=f"Diagnosis of {run.name}", most=most)
    show(document, {**found.to_json(), **stability} if as_json else None, html)
