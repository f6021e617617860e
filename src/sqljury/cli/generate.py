"""`sqljury generate`: candidates from a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import (
    Concurrency,
    Databases,
    Ledger,
    Mapping,
    MaxCost,
    ModelOption,
    Replay,
    Schemas,
)
from sqljury.cli.output import paid_text
from sqljury.cli.progress import progress


@app.command()
def generate(
    questions: Annotated[list[Path], typer.Argument(help="Files of questions.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="PROVIDER:MODEL, or local:FOLDER (transformers).")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The pool to write (JSONL); again goes on.")
    ],
    databases: Databases = None,
    schemas: Schemas = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Candidates for each question.")] = 32,
    per_call: Annotated[
        int, typer.Option("--per-call", min=1, help="How many of them one call brings.")
    ] = 1,
    temperature: Annotated[float, typer.Option("--temperature", min=0.0)] = 0.8,
    top_p: Annotated[float, typer.Option("--top-p", help="Above 0, at most 1.")] = 1.0,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="The most that one answer may have.")
    ] = 1024,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Of the sampling, where the provider takes one.")
    ] = None,
    style: Annotated[
        str, typer.Option("--style", help="How the schema is shown: create or columns.")
    ] = "create",
    prompt: Annotated[
        Path | None, typer.Option("--prompt", help="Instructions instead of the bundled ones.")
    ] = None,
    mapping: Mapping = None,
    model_option: ModelOption = None,
    ledger: Ledger = None,
    replay: Replay = None,
    concurrency: Concurrency = 8,
    max_cost: MaxCost = None,
) -> None:
    """Sample candidates for each question from a model, and write them as a pool."""
    from sqljury.api.pools import Sampling, generate_pool
    from sqljury.benchmarks import parse_mapping
    from sqljury.judges.asking import option_pairs
    from sqljury.llm import ClientSettings

    sampling = Sampling(
        model=model,
        n=n,
        temperature=temperature,
        top_p=top_p,
        seed=seed,
        max_tokens=max_tokens,
        per_call=per_call,
        options=option_pairs(";".join(model_option or ())),
        style=style,
        prompt=prompt,
    )
    settings = ClientSettings(
        ledger=str(replay or ledger or out.with_name(f"{out.name}.ledger.sqlite")),
        replay=replay is not None,
        concurrency=concurrency,
        max_cost=max_cost,
    )
    with progress("sampling", "sampled") as on_progress:
        found = generate_pool(
            questions,
            out,
            sampling,
            databases=databases,
            schemas=schemas,
            llm=settings,
            mapping=parse_mapping(mapping) if mapping else None,
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    kept = f", {found.kept:,} were there" if found.kept else ""
    typer.echo(f"{out}: {n} candidates for each of {found.sampled:,} questions{kept}")
    if found.paid is not None:
        typer.echo(f"this command paid for {paid_text(found.paid)}", err=True)
