"""`sqljury explain-match`: why a graph network says that two queries are alike or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Database, DbId, Schema

if TYPE_CHECKING:
    from sqljury.api.matching import MatchExplanation


@app.command("explain-match")
def explain_match(
    left: Annotated[str, typer.Argument(help="The reference.")],
    right: Annotated[str, typer.Argument(help="The query that is compared with it.")],
    schema: Schema = None,
    database: Database = None,
    db_id: DbId = "",
    model: Annotated[
        str, typer.Option("--model", help="A trained network [default: sqljury's own].")
    ] = "",
    svg: Annotated[
        Path | None, typer.Option("--svg", help="Draw both graphs and their attention.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how a graph network compares two queries; nothing is executed."""
    from sqljury.api.matching import explain_match

    found = explain_match(left, right, schema=schema, database=database, db_id=db_id, model=model)
    if svg is not None:
        from sqljury.writing import new_file

        with new_file(svg) as file:
            file.write(found.svg)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
    else:
        _print(found)


def _print(found: MatchExplanation) -> None:
    typer.echo(found.summary)
    for name, only in zip(("reference", "prediction"), found.only, strict=True):
        typer.echo(f"only in the {name}: {', '.join(only) if only else '-'}")
