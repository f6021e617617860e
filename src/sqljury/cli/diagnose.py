"""`sqljury diagnose`: what a run's verdicts say of the benchmark."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
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
    review: Annotated[
        Path | None,
        typer.Option(
            "--review",
            help="JSONL file for people: flags are written, what they confirmed is counted.",
        ),
    ] = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Say what a run's verdicts say of the benchmark: faulty references, ambiguous questions."""
    from sqljury.api.diagnosis import diagnose_run, review_flags, stability_of_run
    from sqljury.uses.audit.document import diagnosis_document

    found, repeated = diagnose_run(run), stability_of_run(run)
    stability = {"stability": [runs.to_json() for runs in repeated]}
    reviewed = [] if review is None else review_flags(run, review)
    title = f"Diagnosis of {run.name}"
    document = diagnosis_document(found, repeated, reviewed, title=title, most=most)
    told = {**found.to_json(), **stability, "reviewed": [asdict(row) for row in reviewed]}
    show(document, told if as_json else None, html)
    if review is not None:
        left = sum(row.flagged - row.reviewed for row in reviewed)
        typer.echo(
            f"{review}: set `confirmed` to true or false, and give the same command again. "
            f"{left:,} flags of judges are not reviewed.",
            err=True,
        )
