"""`sqljury keywords`: how often queries use what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Format, Html, Mapping
from sqljury.cli.output import show


@app.command()
def keywords(
    files: Annotated[list[Path], typer.Argument(help="Pairs, or any other file of cases.")],
    *,
    format_: Format = None,
    mapping: Mapping = None,
    dialect: Annotated[str, typer.Option("--dialect", help="Of the queries.")] = "sqlite",
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Count how many queries of each file use which keyword, as FuncEvalGMN's table 6 does."""
    from sqljury.api.keywords import keyword_tables
    from sqljury.benchmarks import parse_mapping
    from sqljury.uses.building.pairs.card import keywords_document

    found = keyword_tables(
        files, dialect=dialect, format=format_, mapping=parse_mapping(mapping or "")
    )
    show(keywords_document(found), dict(found) if as_json else None, html)
