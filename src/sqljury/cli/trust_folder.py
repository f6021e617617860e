"""`sqljury trust-folder`: let a folder's files run code, reach servers and write files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.project import wants
from sqljury.trusted import offered, trust


@app.command()
def trust_folder(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(help="A folder with a sqljury.toml or packages.", file_okay=False)
    ] = Path(),
) -> None:
    """Allow what a folder's sqljury.toml and packages want, until one of the files changes."""
    assert context.parent is not None, "it is a command of the root"
    found = wants(context.parent.command, folder)
    found += [f"run code: {code} ({group}: {name})" for group, name, code in offered(folder)]
    for line in found:
        typer.echo(line)
    if not found:
        typer.echo("Nothing in this folder needs trust.")
        return
    typer.echo(f"Trusted as it is now: {folder.resolve()} (kept in {trust(folder)})")
