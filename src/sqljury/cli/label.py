"""`sqljury label`: pools to train verifiers on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.flags import ConcurrentModelFlags, RunFlags, SchemaFlags, with_flags
from sqljury.cli.gate import refuse_missing_of_run
from sqljury.cli.options import AsJson, Overlay, Seed, Suites, output_option, overlay_key
from sqljury.cli.progress import progress

if TYPE_CHECKING:
    from sqljury.api.inputs import RunKeywords


@app.command()
@with_flags
def label(
    pool: Annotated[list[Path], typer.Argument(help="Pools: questions with candidates.")],
    out: Annotated[Path, output_option("--out", "-o", help="The labelled pool to write (JSONL).")],
    *,
    sources: SchemaFlags,
    judge: Annotated[
        str, typer.Option("--judge", "-j", help="Judge that says what is right.")
    ] = "execution",
    balance: Annotated[
        bool,
        typer.Option("--balance", help="As many right as wrong candidates of each question."),
    ] = False,
    seed: Seed = 0,
    suites: Suites = None,
    overlay: Overlay = None,
    running: RunFlags,
    models: ConcurrentModelFlags,
    as_json: AsJson = False,
) -> None:
    """Label the candidates of a pool as right or wrong by a judge; count what there is."""
    from sqljury.api.evaluation import default_run
    from sqljury.api.pools import label_pool
    from sqljury.uses.labelling import print_labels

    folder = running.run or default_run(pool, {"label": sources.databases, **overlay_key(overlay)})
    settings: RunKeywords = {
        **sources.keywords,
        **running.keywords,
        "suites": suites,
        "overlay": overlay,
        "llm": models.settings(folder / "ledger.sqlite"),
    }
    with progress() as on_progress:
        found = label_pool(
            pool,
            out,
            sources.databases,
            judge=judge,
            balance=balance,
            seed=seed,
            run=folder,
            on_progress=on_progress,
            **settings,
        )
        on_progress(-1, -1)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        from sqljury.cli.output import console

        print_labels(found, console())
        typer.echo(f"{out}: {'balanced' if balance else 'all'} labelled candidates")
    refuse_missing_of_run(folder)
