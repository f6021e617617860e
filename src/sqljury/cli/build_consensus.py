"""`sqljury build consensus`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import builders
from sqljury.cli.options import AsJson, Files, Seed
from sqljury.errors import InputError

if TYPE_CHECKING:
    from sqljury.case import Json
    from sqljury.uses.building.consensus import AgreedCases


@builders.command("consensus")
def build_consensus(
    files: Files,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="File of cases; with --people a folder of forms.")
    ],
    labels: Annotated[
        list[Path] | None, typer.Option("--labels", help="Labels of one person; repeated.")
    ] = None,
    people: Annotated[
        str | None, typer.Option("--people", help="Names, joined by commas: write forms for them.")
    ] = None,
    each: Annotated[int, typer.Option("--each", min=1, help="People that label a case.")] = 2,
    label: Annotated[str, typer.Option("--label", help="Column of the labels.")] = "label",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Give cases to several people to label, and keep those that all who looked agree on."""
    from sqljury.api.consensus_building import build_consensus as build
    from sqljury.api.consensus_building import write_forms

    if (people is None) == (not labels):
        raise InputError("SJ006", "give --people to write forms, or --labels to read them.")
    if people is not None:
        names = [name.strip() for name in people.split(",") if name.strip()]
        counts = write_forms(files, out, names, each=each, seed=seed)
        for name, count in counts.items():
            typer.echo(f"{out / name}.csv: {count:,} cases to label")
        return
    found = build(files, labels or (), out, each=each, column=label)
    if as_json:
        typer.echo(json.dumps({"kept": len(found.cases), **_counts(found)}, indent=2))
        return
    typer.echo(
        f"{out}: {len(found.cases):,} of {found.n:,} cases kept; {found.disagreed:,} disagreed on, "
        f"{found.too_few:,} with fewer than {each} labels"
    )
    for pair in found.pairs:
        kappa = "–" if pair.kappa is None else f"{100 * pair.kappa:.2f}"
        typer.echo(
            f"{pair.first} and {pair.second}: agree on {pair.agreed:,} of {pair.n:,}, κ {kappa}"
        )


def _counts(found: AgreedCases) -> dict[str, Json]:
    return {key: value for key, value in asdict(found).items() if key != "cases"}
