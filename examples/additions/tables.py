"""`sqljury tables`: which tables a query reads."""

from __future__ import annotations

from typing import Annotated

from sqljury.cli.flags import command
from sqljury.cli.streams import echo
from sqljury.errors import InputError
from sqljury.settings import Argument, option


@command()
def tables(
    sql: Annotated[str, Argument("The query.")],
    *,
    dialect: Annotated[str, option("Its dialect.", "--dialect")] = "sqlite",
) -> None:
    """List the tables that a query reads, one a line."""
    from sqlglot import exp

    from sqljury.sql import parse

    tree = parse(sql, dialect)
    if tree is None:
        raise InputError("SJ006", "the query cannot be parsed.", hint="Check --dialect.")
    for name in sorted({table.name for table in tree.find_all(exp.Table)}):
        echo(name)
