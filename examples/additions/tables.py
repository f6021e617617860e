"""`sqljury tables`: which tables a query reads."""

from __future__ import annotations

from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.errors import InputError


@app.command()
def tables(
    sql: Annotated[str, typer.Argument(help="The query.")],
    dialect: Annotated[str, typer.Option("--dialect", help="Its dialect.")] = "sqlite",
) -> None:
    """List the tables that a query reads, one a line."""
    from sqlglot import exp

    from sqljury.sql import parse

    tree = parse(sql, dialect)
    if tree is None:
        raise InputError("SJ006", "the query cannot be parsed.", hint="Check --dialect.")
    for name in sorted({table.name for table in tree.find_all(exp.Table)}):
        typer.echo(name)
