"""`sqljury calibrate`: how reliable the models of a jury are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import output_option


@app.command()
def calibrate(
    run: Annotated[Path, typer.Argument(help="Run of jury,models=…,target=1.")],
    labels: Annotated[Path, typer.Argument(help="File with ids and what people say.")],
    out: Annotated[Path, output_option("--out", "-o", help="File of parameters to write.")],
    label: Annotated[
        str, typer.Option("--label", help="Column that holds what people say.")
    ] = "label",
    base: Annotated[
        Path | None, typer.Option("--base", help="Parameters to begin with [those shipped].")
    ] = None,
) -> None:
    """Learn from labels how reliable models are: `jury,models=…,reliability=OUT`."""
    from sqljury.api.jury_calibration import calibrate_jury

    found = calibrate_jury(run, labels, out, label=label, base=base or "")
    typer.echo(f"{out}: {found.cases:,} labelled cases, {', '.join(found.models)}")
    for question, models in sorted(found.fusion.counts.items()):
        for model in found.models:
            if model in models:
                rates = found.fusion.rates((question, model))
                says = ", ".join(f"{a} {r:.2f}/{w:.2f}" for a, (r, w) in rates.items())
                typer.echo(f"  {question} of {model}, of right/wrong predictions: {says}")
