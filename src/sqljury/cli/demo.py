"""`sqljury demo`: the bundled cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import Workers
from sqljury.cli.output import program
from sqljury.cli.progress import progress


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Option("--folder", help="Where the databases, the run and the report go.")
    ] = Path("sqljury-demo"),
    workers: Workers = None,
) -> None:
    """Evaluate the bundled cases: no key, no network, no server."""
    from sqljury.api.agreement import agree_files
    from sqljury.api.evaluation import evaluate
    from sqljury.benchmarks import read_cases
    from sqljury.demo import LIMITS, ROSE, write_demo
    from sqljury.llm import ClientSettings, Ledger

    files = write_demo(folder)
    ledger = folder / "ledger.sqlite"
    with Ledger(ledger) as answers:
        answers.import_jsonl(files.ledger)
    judges = ["execution:strict", "execution:spider", "execution:bird", "execution:intent"]
    with (
        progress() as on_progress,
        evaluate(
            read_cases(files.cases),
            [*judges, "exact_match", "exact_set_match", "soft_f1", ROSE],
            files.databases,
            descriptions=files.descriptions,
            run=folder / "run",
            limits=LIMITS,
            workers=workers,
            llm=ClientSettings(ledger=str(ledger), replay=True),
            on_progress=on_progress,
        ) as found,
    ):
        on_progress(-1, -1)
        page = folder / "report.html"
        found.to_html(page, agreement=agree_files([str(folder / "run")]))
        for line in found.lines():
            typer.echo(line)
        typer.echo("The answers behind `rose` are a script's, recorded: no model was asked.")
        typer.echo("")
        run, sqljury = folder / "run", program()
        typer.echo(f"report: {page.resolve()}")
        typer.echo(f"one case: {sqljury} show {run} 1")
        typer.echo(f"failures by cause: {sqljury} report {run} --failures 1")
        typer.echo(f"all figures: {sqljury} report {run}")
        typer.echo(f"against the labels: {sqljury} agree {run}")
