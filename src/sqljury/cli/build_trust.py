"""`sqljury build trust`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import builders
from sqljury.cli.options import AsJson


@builders.command("trust")
def build_trust(
    questions: Annotated[
        list[Path], typer.Argument(help="Files of questions with their reference SQL.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write; names the benchmark.")],
    databases: Annotated[
        str | None,
        typer.Option("--databases", "-d", help="Folder, file, or URL with {db_id}."),
    ] = None,
    schemas: Annotated[
        Path | None,
        typer.Option("--schemas", "--schema", help="CREATE TABLE statements or tables.json."),
    ] = None,
    kinds: Annotated[
        str | None, typer.Option("--kinds", help="Of unanswerable questions, joined by commas.")
    ] = None,
    out_of_domain: Annotated[
        Path | None, typer.Option("--out-of-domain", help="Text file with a question a line.")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Key names: question=q,reference_sqls=sql.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    as_json: AsJson = False,
) -> None:
    """Build a benchmark with unanswerable questions, split by question and SQL structure."""
    from sqljury.api_build import build_trust_files
    from sqljury.benchmarks import parse_mapping
    from sqljury.reports.build_card import card_text
    from sqljury.uses.building import KINDS

    card = build_trust_files(
        questions,
        out,
        databases=databases,
        schemas=schemas,
        seed=seed,
        kinds=KINDS if kinds is None else [kind.strip() for kind in kinds.split(",")],
        out_of_domain=out_of_domain,
        mapping=parse_mapping(mapping or ""),
    )
    typer.echo(json.dumps(card.to_json(), indent=2) if as_json else card_text(card))
