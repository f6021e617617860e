"""`sqljury label`: pools to train verifiers on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import (
    AsJson,
    Concurrency,
    Databases,
    Ledger,
    LimitSeconds,
    MaxCost,
    Replay,
    Run,
    Schemas,
    Suites,
    Workers,
)
from sqljury.cli.progress import progress


@app.command()
def label(
    pool: Annotated[list[Path], typer.Argument(help="Pools: questions with candidates.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The labelled pool to write (JSONL).")],
    databases: Databases = None,
    judge: Annotated[
        str, typer.Option("--judge", "-j", help="Judge that says what is right.")
    ] = "execution",
    balance: Annotated[
        bool,
        typer.Option("--balance", help="As many right as wrong candidates of each question."),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of what --balance draws.")] = 0,
    schemas: Schemas = None,
    suites: Suites = None,
    run: Run = None,
    workers: Workers = None,
    limit_seconds: LimitSeconds = 30.0,
    ledger: Ledger = None,
    replay: Replay = None,
    concurrency: Concurrency = 8,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Label the candidates of a pool as right or wrong by a judge; count what there is."""
    from sqljury.api.evaluation import default_run
    from sqljury.api.pools import label_pool
    from sqljury.execution import Limits
    from sqljury.llm import ClientSettings
    from sqljury.reports.label_table import print_labels

    folder = run or default_run(pool, {"label": databases})
    with progress() as on_progress:
        found = label_pool(
            pool,
            out,
            databases,
            judge=judge,
            balance=balance,
            seed=seed,
            schemas=schemas,
            suites=suites,
            run=folder,
            limits=Limits(seconds=limit_seconds),
            workers=workers,
            llm=ClientSettings(
                ledger=str(replay or ledger or folder / "ledger.sqlite"),
                replay=replay is not None,
                concurrency=concurrency,
                max_cost=max_cost,
            ),
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.cli.output import console

    print_labels(found, console())
    typer.echo(f"{out}: {'balanced' if balance else 'all'} labelled candidates")
