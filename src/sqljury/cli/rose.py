"""`sqljury rose-vec`, `methods` and `diagnose`: what ROSE's recordings and runs say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Bootstrap, Html, RunFolder
from sqljury.cli.output import console


@app.command("rose-vec")
def rose_vec(
    folder: Annotated[Path, typer.Argument(help="Tree of ROSE's output folders.")],
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", help="File with the experts' labels, once for each set."),
    ] = None,
    bootstrap: Bootstrap = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Print the tables of ROSE's paper from recordings: metrics, models, ablations."""
    from sqljury.api.rose import rose_vec as tables

    found = tables(folder, labels=labels or (), bootstrap=bootstrap, seed=seed)
    if html is not None:
        from sqljury.reports.rose_pages import write_rose_vec_html

        write_rose_vec_html(html, found)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.reports.rose_tables import print_rose_vec

    print_rose_vec(found, console())


@app.command()
def methods(
    folder: Annotated[Path, typer.Argument(help="Folder of recorded methods, with methods.csv.")],
    seed: Annotated[int, typer.Option("--seed", help="Seed of bootstrap and permutations.")] = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Compare recorded methods by EX and by ROSE: gaps, labels, the paper's findings."""
    from sqljury.api.rose import methods as compare

    found = compare(folder, seed=seed)
    if html is not None:
        from sqljury.reports.rose_pages import write_methods_html

        write_methods_html(html, found)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.reports.rose_tables import print_methods

    print_methods(found, console())


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
    from sqljury.api.rose import diagnose_run, stability_of_run

    found, repeated = diagnose_run(run), stability_of_run(run)
    if html is not None:
        from sqljury.reports.rose_pages import write_diagnosis_html

        write_diagnosis_html(html, found, title=f"Diagnosis of {run.name}")
    if as_json:
        stability = [runs.to_json() for runs in repeated]
        typer.echo(json.dumps({**found.to_json(), "stability": stability}, indent=2))
        return
    from sqljury.reports.rose_tables import print_diagnosis, print_stability

    print_diagnosis(found, console(), most=most)
    for runs in repeated:
        print_stability(runs, console())
