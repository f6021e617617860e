"""`sqljury agree`: judges against people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson
from sqljury.cli.output import console
from sqljury.errors import EXIT_BELOW_THRESHOLD, InputError

if TYPE_CHECKING:
    from sqljury.uses.agree import Agreement


@app.command()
def agree(
    inputs: Annotated[
        list[str], typer.Argument(help="RUN or [NAME=]FILE[,FILE...]: one judge each.")
    ],
    label: Annotated[
        str, typer.Option("--label", help="Column that holds what people say.")
    ] = "label",
    labels: Annotated[
        list[Path] | None, typer.Option("--labels", help="File to take the labels from, by id.")
    ] = None,
    unknown: Annotated[
        str, typer.Option("--unknown", help="Cases without a score: no, or exclude.")
    ] = "no",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", help="STATISTIC=VALUE, such as kappa=0.75; exit 1 below."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare judges with human labels: kappa, accuracy, MCC, F1, AUC, and each other."""
    from sqljury.api.agreement import agree_files

    if unknown not in ("no", "exclude"):
        raise InputError("SJ003", f"--unknown {unknown} is neither no nor exclude.")
    found = agree_files(inputs, label=label, labels=labels or (), unknown=unknown, seed=seed)
    thresholds = [_threshold(text) for text in fail_under or ()]
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        from sqljury.reports.terminal import print_agreement

        print_agreement(found, console())
    _exit_below_any(found, thresholds)


def _threshold(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise InputError(
            "SJ005", f"--fail-under {text!r} is not STATISTIC=VALUE.", hint="Write kappa=0.75."
        ) from None


def _exit_below_any(found: Agreement, thresholds: list[tuple[str, float]]) -> None:
    from sqljury.uses.agree import below

    lines = [line for name, value in thresholds for line in below(found, name, value)]
    for line in lines:
        typer.echo(f"below: {line}", err=True)
    if lines:
        raise typer.Exit(EXIT_BELOW_THRESHOLD)
