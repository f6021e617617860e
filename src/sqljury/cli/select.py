"""`sqljury select`: one of many candidates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import (
    AsJson,
    Databases,
    Descriptions,
    Format,
    Html,
    Ledger,
    LimitSeconds,
    MaxCost,
    Replay,
    Run,
    Schemas,
    Suites,
    Workers,
)
from sqljury.cli.output import console
from sqljury.cli.progress import progress
from sqljury.errors import EXIT_BELOW_THRESHOLD

if TYPE_CHECKING:
    from sqljury.uses.select import Selection


@app.command()
def select(
    files: Annotated[
        list[Path], typer.Argument(help="Pools: questions with candidates; or questions, with -p.")
    ],
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", "-p", help="Prediction files: each is a candidate."),
    ] = None,
    databases: Databases = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            "-s",
            help="first, random, execution, majority, verifier, verifier-majority, judge:NAME, "
            "system:NAME, oracle; repeatable.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", "-j", help="Judge that says what is right; execution."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", help="Field of the candidates that says what is right."),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            "--match", help="When results are equal: strict,column_order=any; as the judge."
        ),
    ] = None,
    format_: Format = None,
    descriptions: Descriptions = None,
    schemas: Schemas = None,
    suites: Suites = None,
    run: Run = None,
    workers: Workers = None,
    limit_seconds: LimitSeconds = 30.0,
    ledger: Ledger = None,
    replay: Replay = None,
    max_cost: MaxCost = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of ties and draws.")] = 0,
    resamples: Annotated[
        int, typer.Option("--resamples", min=1, help="Orders that a vote's curve is the mean of.")
    ] = 400,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write what is picked: a case per line.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", help="Exit 1 when a strategy's accuracy is below."),
    ] = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Pick one of the candidates for each question, and compare ways of picking."""
    from sqljury.api.evaluation import default_run
    from sqljury.api.selection import DEFAULT_STRATEGIES, write_picks
    from sqljury.api.selection import select as select_from
    from sqljury.execution import Limits
    from sqljury.llm import ClientSettings
    from sqljury.uses.evaluate import check_threshold

    if fail_under is not None:
        check_threshold(fail_under)
    folder = run or default_run([*files, *(predictions or [])], {"select": databases})
    asked = ledger or folder / "ledger.sqlite"
    llm = ClientSettings(ledger=str(replay or asked), replay=replay is not None, max_cost=max_cost)
    with progress() as on_progress:
        found = select_from(
            files,
            strategy or DEFAULT_STRATEGIES,
            databases,
            judge=judge,
            label=label,
            match=match,
            predictions=predictions or None,
            format=format_,
            descriptions=descriptions,
            schemas=schemas,
            suites=suites,
            run=folder,
            limits=Limits(seconds=limit_seconds),
            workers=workers,
            llm=llm,
            seed=seed,
            resamples=resamples,
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    if out is not None:
        write_picks(found, out)
    if html is not None:
        from sqljury.reports.select_page import write_selection

        write_selection(html, found, title=files[0].name)
    _print(found, as_json)
    _exit_below(found, fail_under)


def _print(found: Selection, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.reports.select_tables import print_selection

    print_selection(found, console())


def _exit_below(found: Selection, threshold: float | None) -> None:
    if threshold is None:
        return
    below = [one for one in found.strategies if one.accuracy is None or one.accuracy < threshold]
    for one in below:
        score = "nothing was scored" if one.accuracy is None else f"{one.accuracy:.4f}"
        typer.echo(f"below {threshold:g}: {one.name}: {score} over {one.n} questions", err=True)
    if below:
        raise typer.Exit(EXIT_BELOW_THRESHOLD)
