"""`sqljury train verifier`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from sqljury.cli.app import trainers
from sqljury.cli.flags import SchemaFlags, with_flags
from sqljury.cli.options import AsJson

if TYPE_CHECKING:
    from sqljury.learning.outcome_reward.settings import Objective


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
    objective: Annotated[
        str, typer.Option("--objective", help="autoregressive, sequence or bce.")
    ] = "autoregressive",
    balance: Annotated[
        bool,
        typer.Option("--balance/--no-balance", help="As many right as wrong of each question."),
    ] = True,
    label: Annotated[
        str, typer.Option("--label", help="Key of a candidate that says what is right.")
    ] = "",
    epochs: Annotated[float, typer.Option("--epochs", help="Passes over the training data.")] = 3.0,
    learning_rate: Annotated[
        float, typer.Option("--learning-rate", help="Of the optimizer, at its highest.")
    ] = 2e-4,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Candidates of one step.")] = 16,
    at_once: Annotated[
        int, typer.Option("--at-once", min=1, help="Of these, how many fit into memory.")
    ] = 4,
    lora_rank: Annotated[
        int, typer.Option("--lora-rank", min=0, help="0 trains all weights.")
    ] = 16,
    validation: Annotated[
        float, typer.Option("--validation", help="Share of the questions kept back.")
    ] = 0.1,
    patience: Annotated[
        int, typer.Option("--patience", min=1, help="Evaluations (4 an epoch) without a gain.")
    ] = 4,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="Longer prompts are left out.")
    ] = 4096,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the training.")] = 42,
    as_json: AsJson = False,
) -> None:
    """Train a language model to say whether a query answers its question: `verifier,model=OUT`.

    The same command again goes on where it stopped.
    """
    from sqljury.api.verifier_training import train_verifier_on
    from sqljury.cli.progress import progress
    from sqljury.learning.outcome_reward.settings import Settings
    from sqljury.reports.reliability import write_reliability
    from sqljury.reports.verifier_training import training_text

    settings = Settings(
        objective=cast("Objective", objective),
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        at_once=at_once,
        lora_rank=lora_rank,
        validation=validation,
        patience=patience,
        max_tokens=max_tokens,
        seed=seed,
    )
    with progress("verifier", "verifier:") as on_progress:
        said = [""]

        def on_step(done: int, total: int, measures: str) -> None:
            on_progress(done, total)
            if measures and measures != said[0]:
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
    write_reliability(out / "reliability.svg", {"before": found.before, "after": found.after})
    typer.echo(json.dumps(found.facts, indent=2) if as_json else training_text(found.facts, out))
