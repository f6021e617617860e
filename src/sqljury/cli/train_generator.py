"""`sqljury train generator`."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import trainers
from sqljury.cli.flags import SchemaFlags, with_flags
from sqljury.cli.options import AsJson
from sqljury.learning.generator import GeneratorSettings


@trainers.command("generator")
@with_flags
def train_generator(
    data: Annotated[
        list[Path], typer.Option("--data", help="Questions with references; repeatable.")
    ],
    base: Annotated[
        str, typer.Option("--base", help="Folder of an encoder with a decoder (T5, BART).")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")],
    *,
    sources: SchemaFlags,
    settings: GeneratorSettings,
    as_json: AsJson = False,
) -> None:
    """Train a T5 or its like to write SQL: `generate --model local:OUT --style serialized`.

    The same command again goes on where it stopped.
    """
    from sqljury.api.generator_training import train_generator_on
    from sqljury.cli.progress import progress

    # Under a launcher all processes train; the first one speaks and writes.
    speaks = os.environ.get("RANK", "0") == "0"
    with progress("generator", "steps:") if speaks else nullcontext(_silent) as on_progress:
        said = [""]

        def on_step(done: int, total: int, measure: str) -> None:
            on_progress(done, total)
            if speaks and measure and measure != said[0]:
                said[0] = measure
                typer.echo(f"step {done:,} of {total:,}: validation {measure}", err=True)

        facts = train_generator_on(
            data,
            base,
            out,
            databases=sources.databases,
            schemas=sources.schemas,
            settings=settings,
            on_step=on_step,
        )
        on_progress(-1, -1)
    if not speaks:
        return
    trained, validated = facts["training"], facts["validation"]
    text = (
        f"{out}: {trained['examples']:,} questions in {trained['steps']:,} steps, the best after "
        f"{trained['best_step']:,}; loss {validated['loss']:.3f} on {validated['examples']:,} "
        f"kept back; {trained['left_out_as_too_long']:,} too long\n"
        f"next: sqljury generate QUESTIONS --model local:{out} --style serialized --out POOL"
    )
    typer.echo(json.dumps(facts, indent=2) if as_json else text)


def _silent(_done: int, _total: int) -> None:
    """What other processes than the first show."""
