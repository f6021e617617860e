"""`sqljury diagnose`: what a run's verdicts say of the benchmark."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Html, RunFolder
from sqljury.cli.output import console


@app.command()
def diagnose(
    run: RunFolder,
    most: Annotated[
        int, typer.Option("--most", min=0, help="How many suspicious references to print.")
    ] = 20,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Say what a run's verdicts say of the benchmark: faulty references, ambiguous questions."""
    from sqljury.api.diagnosis import diagnose_run, stability_of_run

    found, repeated = diagnose_run(run), stability_of_run(run)
    if html is not None:
        from sqljury.reports.diagnosis_page import write_diagnosis_html

        write_diagnosis_html(html, found, title=f"Diagnosis of {run.name}")
    if as_json:
        stability = [runs.to_json() for runs in repeated]
        typer.echo(json.dumps({**found.to_json(), "stability": stability}, indent=2))
        return
    from sqljury.reports.diagnosis_tables import print_diagnosis
    from sqljury.reports.stability import print_stability

    print_diagnosis(found, console(), most=most)
    for runs in repeated:
        print_stability(runs, console())
