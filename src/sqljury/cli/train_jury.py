"""`sqljury train jury`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import trainers
from sqljury.cli.options import Seed, output_option
from sqljury.errors import InputError


@trainers.command("jury")
def train_jury(
    tables: Annotated[
        list[Path], typer.Argument(help="Tables of labelled cases: `sqljury features` as .jsonl.")
    ],
    out: Annotated[Path, output_option("--out", "-o", help="Model file to write.")],
    weight: Annotated[
        list[str] | None,
        typer.Option("--weight", help="How much a case of a benchmark counts: NAME=NUMBER [1]."),
    ] = None,
    groups: Annotated[
        str, typer.Option("--groups", help="Groups of features to look at, joined by + [all].")
    ] = "",
    seed: Seed = 0,
) -> None:
    """Train the trees of the judge `jury` on typed evidence: `jury:offline,weights=OUT`."""
    from sqljury.api.jury_training import train_jury_on

    weights = dict(_weight(text) for text in weight or ())
    model = train_jury_on(tables, out, weights=weights, groups=groups, seed=seed)
    cases = sum(model.card["cases"].values())
    typer.echo(f"{out}: {len(model.names)} features of {cases:,} cases")


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        found = float(number)
    except ValueError:
        found = -1.0
    if not name or not 0 <= found < float("inf"):
        raise InputError("SJ003", f"--weight {text} is not NAME=NUMBER.")
    return name, found
