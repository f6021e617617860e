"""`sqljury train verifier`."""

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
from sqljury.learning.outcome_reward.examples import Settings


@trainers.command("verifier")
@with_flags
def train_verifier(
    data: Annotated[
        list[Path], typer.Option("--data", help="Labelled pool, as `label` writes it; repeatable.")
    ],
    base: Annotated[
        str, typer.Option("--base", help="Folder of a causal language model, or of an adapter.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")],
    *,
    sources: SchemaFlags,
    prompt: Annotated[
        str, typer.Option("--prompt", help="sql, data, data+sql or instruction.")
    ] = "sql",
    balance: Annotated[
        bool,
        typer.Option("--balance/--no-balance", help="As many right as wrong of each question."),
    ] = True,
    label: Annotated[
        str, typer.Option("--label", help="Key of a candidate that says what is right.")
    ] = "",
    settings: Settings,
    as_json: AsJson = False,
) -> None:
    """Train a language model to say whether a query answers its question: `verifier,model=OUT`.

    The same command again goes on where it stopped.
    """
    from sqljury.api.verifier_training import train_verifier_on
    from sqljury.cli.progress import progress
    from sqljury.reports.plots import write_reliability
    from sqljury.uses.verifier_examples import training_text, warnings_of

    # Under a launcher all processes train; the first one speaks and writes.
    speaks = os.environ.get("RANK", "0") == "0"
    with progress("verifier", "verifier:") if speaks else nullcontext(_silent) as on_progress:
        said = [""]

        def on_step(done: int, total: int, measures: str) -> None:
            on_progress(done, total)
            if speaks and measures and measures != said[0]:
                said[0] = measures
                typer.echo(f"step {done:,} of {total:,}: validation {measures}", err=True)

        found = train_verifier_on(
            data,
            base,
            out,
            databases=sources.databases,
            schemas=sources.schemas,
            prompt=prompt,
            balance=balance,
            label=label,
            settings=settings,
            on_prepared=on_progress,
            on_step=on_step,
        )
        on_progress(-1, -1)
    if not speaks:
        return
    for warning in warnings_of(found.facts):
        typer.echo(f"warning: {warning}", err=True)
    write_reliability(out / "reliability.svg", {"before": found.before, "after": found.after})
    typer.echo(json.dumps(found.facts, indent=2) if as_json else training_text(found.facts, out))


def _silent(_done: int, _total: int) -> None:
    """What other processes than the first show."""
