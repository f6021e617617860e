"""`sqljury features`: all that is known of cases, as a table to train on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.flags import RunFlags, SchemaFlags, with_flags
from sqljury.cli.gate import refuse_missing_of_run
from sqljury.cli.options import Files, Format, Mapping, Overlay, output_option, overlay_key
from sqljury.cli.progress import progress

if TYPE_CHECKING:
    from sqljury.api.inputs import RunKeywords


@app.command()
@with_flags
def features(
    files: Files,
    out: Annotated[
        Path, output_option("--out", "-o", help="File to write: .csv, .jsonl or .parquet.")
    ],
    sources: SchemaFlags,
    running: RunFlags,
    groups: Annotated[
        str, typer.Option("--groups", help="Names of groups of features, joined by + [all].")
    ] = "",
    format_: Format = None,
    mapping: Mapping = None,
    overlay: Overlay = None,
) -> None:
    """Write a row of named features for each case: rows, differences, faults, linking, …"""
    from sqljury.api.evaluation import default_run
    from sqljury.api.features import features as find
    from sqljury.benchmarks import parse_mapping, read_cases
    from sqljury.uses.features import check_features_path, write_features

    check_features_path(out)
    cases = read_cases(files, format=format_, mapping=parse_mapping(mapping) if mapping else None)
    for warning in cases.warnings:
        typer.echo(f"warning: {warning}", err=True)
    key = {"features": sources.databases, "groups": groups, **overlay_key(overlay)}
    folder = running.run or default_run(files, key)
    settings: RunKeywords = {**sources.keywords, **running.keywords, "overlay": overlay}
    with progress("finding features", "found") as on_progress:
        found = find(
            cases,
            sources.databases,
            groups=groups,
            run=folder,
            **settings,
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    write_features(out, found)
    typer.echo(f"{len(found.rows):,} cases, {len(found.features)} features: {out}")
    for group, count in found.failed.items():
        typer.echo(f"warning: the group {group} failed on {count:,} cases", err=True)
    typer.echo(found.signature)
    refuse_missing_of_run(folder)
