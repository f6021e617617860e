"""`sqljury ledger export|import|batches`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import ledgers


@ledgers.command("export")
def export_ledger(
    ledger: Annotated[Path, typer.Argument(help="The ledger, an SQLite file.")],
    file: Annotated[Path, typer.Argument(help="JSONL file to write, sorted by key.")],
) -> None:
    """Write a ledger as lines of JSON."""
    from sqljury.llm import Ledger

    with Ledger(ledger, read_only=True) as answers:
        typer.echo(f"{answers.export_jsonl(file):,} answers")


@ledgers.command("import")
def import_ledger(
    file: Annotated[Path, typer.Argument(help="JSONL file that `ledger export` wrote.")],
    ledger: Annotated[Path, typer.Argument(help="The ledger to add to; made if absent.")],
) -> None:
    """Add lines of JSON to a ledger; answers that are there stay."""
    from sqljury.llm import Ledger

    with Ledger(ledger) as answers:
        typer.echo(f"{answers.import_jsonl(file):,} answers")


@ledgers.command("batches")
def list_batches(
    ledger: Annotated[Path, typer.Argument(help="The ledger, an SQLite file.")],
    forget: Annotated[
        str | None,
        typer.Option("--forget", help="Id of a batch not to look for any more."),
    ] = None,
) -> None:
    """List the batches that a ledger knows, and the questions that they have yet to answer."""
    from sqljury.llm import Ledger

    with Ledger(ledger, read_only=forget is None) as answers:
        if forget is not None:
            answers.close_batch(forget, "forgotten")
        for batch, model, submitted, state, waiting in answers.batches():
            typer.echo(
                f"{batch}  {':'.join(json.loads(model)[:2])}  {submitted}  {state}  {waiting:,}"
            )
