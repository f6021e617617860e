"""`sqljury train detector`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import trainers
from sqljury.cli.options import Seed, output_option
from sqljury.errors import InputError


@trainers.command("detector")
def train_detector(
    inputs: Annotated[
        list[str],
        typer.Argument(help="Files of questions (what can be answered), or RUNs (what is right)."),
    ],
    out: Annotated[Path, output_option("--out", "-o", help="Model file to write.")],
    kind: Annotated[
        str, typer.Option("--kind", help="novelty, forest (RF, RF*) or distance (FEATMD, FEATRMD).")
    ] = "novelty",
    representation: Annotated[
        str | None,
        typer.Option(
            "--representation",
            help="Vectors of the texts: lsa, embeddings[,model=FOLDER-OR-NAME] or "
            "hidden,model=FOLDER[,layer=N][,pooling=last].",
        ),
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option("--background", help="Any questions: makes the distance relative."),
    ] = None,
    pool_background: Annotated[
        bool,
        typer.Option("--pool-background", help="The background is those and the answerable ones."),
    ] = False,
    judge: Annotated[
        str | None, typer.Option("--judge", "-j", help="Judge of the run that says what is right.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Train a detector of questions to abstain from, or of wrong SQL, for the judge `detector`."""
    from sqljury.api.trust import train_detector_on

    if kind not in ("novelty", "forest", "distance"):
        raise InputError("SJ003", f"--kind {kind} is none of novelty, forest, distance.")
    if kind == "forest" and representation is not None:
        raise InputError("SJ006", "--representation is for novelty and distance.")
    if kind != "distance" and background is not None:
        raise InputError("SJ006", "--background is for --kind distance.")
    if pool_background and background is None:
        raise InputError("SJ006", "--pool-background goes with --background.")
    model, yes, no = train_detector_on(
        inputs,
        judge=judge,
        kind=kind,
        vectors=representation,
        background=background,
        pooled=pool_background,
        seed=seed,
    )
    model.save(out)
    typer.echo(f"{out}: {model.kind} that reads the {model.reads}, from {yes:,} yes, {no:,} no")
