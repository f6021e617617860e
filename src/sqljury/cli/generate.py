"""`sqljury generate`: candidates from a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.flags import ConcurrentModelFlags, SchemaFlags, with_flags
from sqljury.cli.options import Mapping, ModelOption, output_option
from sqljury.cli.output import paid_text
from sqljury.cli.progress import progress


@app.command()
@with_flags
def generate(
    questions: Annotated[list[Path], typer.Argument(help="Files of questions.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="PROVIDER:MODEL, or local:FOLDER (transformers).")
    ],
    out: Annotated[
        Path, output_option("--out", "-o", help="The pool to write (JSONL); again goes on.")
    ],
    *,
    sources: SchemaFlags,
    n: Annotated[int, typer.Option("-n", min=1, help="Candidates for each question.")] = 32,
    per_call: Annotated[
        int, typer.Option("--per-call", min=1, help="How many of them one call brings.")
    ] = 1,
    temperature: Annotated[
        float, typer.Option("--temperature", min=0.0, help="Of the sampling; 0 is greedy.")
    ] = 0.8,
    top_p: Annotated[float, typer.Option("--top-p", help="Above 0, at most 1.")] = 1.0,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="The most that one answer may have.")
    ] = 1024,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Of the sampling [default: 0 where the provider takes one]."),
    ] = None,
    style: Annotated[
        str,
        typer.Option(
            "--style",
            help="The schema: create, columns, or serialized: one line with the question (T5).",
        ),
    ] = "create",
    prompt: Annotated[
        Path | None, typer.Option("--prompt", help="Instructions instead of the bundled ones.")
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            help="sql; demo: SQL or not_answerable; verbal: SQL and a mark; din_sql: SQL in four "
            "calls, the last corrects it; din_sql_generic: with the paper's generic correction.",
        ),
    ] = "sql",
    demos: Annotated[
        Path | None, typer.Option("--demos", help="Cases to demonstrate with.")
    ] = None,
    positives: Annotated[
        int | None, typer.Option("--positives", min=0, help="Answerable ones, of each database.")
    ] = None,
    negatives: Annotated[
        int | None,
        typer.Option("--negatives", min=0, help="Unanswerable ones; verbal: with wrong SQL."),
    ] = None,
    pick: Annotated[
        str, typer.Option("--pick", help="Which are shown: similar, dense or fixed.")
    ] = "similar",
    retriever: Annotated[
        Path | None,
        typer.Option(
            "--retriever",
            help="Folder or name of a sentence model for --pick dense [default: all-MiniLM-L6-v2].",
        ),
    ] = None,
    demo_databases: Annotated[
        int,
        typer.Option("--demo-databases", min=0, help="Of so many other databases; 0: of its own."),
    ] = 0,
    demo_schemas: Annotated[
        Path | None,
        typer.Option("--demo-schemas", help="Where those are: a folder, or tables.json."),
    ] = None,
    logprobs: Annotated[
        int,
        typer.Option("--logprobs", min=0, help="Write each token with so many alternatives."),
    ] = 0,
    mapping: Mapping = None,
    model_option: ModelOption = None,
    models: ConcurrentModelFlags,
) -> None:
    """Sample candidates for each question from a model, and write them as a pool."""
    from sqljury.api.pools import Sampling, generate_pool
    from sqljury.benchmarks import parse_mapping
    from sqljury.judges.model_judge import option_pairs

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
        logprobs=logprobs,
        mode=mode,
        demos=demos,
        positives=positives,
        negatives=negatives,
        pick=pick,
        retriever=retriever,
        demo_databases=demo_databases,
        demo_schemas=demo_schemas,
    )
    settings = models.settings(out.with_name(f"{out.name}.ledger.sqlite"))
    with progress("sampling", "sampled") as on_progress:
        found = generate_pool(
            questions,
            out,
            sampling,
            databases=sources.databases,
            schemas=sources.schemas,
            llm=settings,
            mapping=parse_mapping(mapping) if mapping else None,
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    kept = f", {found.kept:,} were there" if found.kept else ""
    typer.echo(f"{out}: {n} candidates for each of {found.sampled:,} questions{kept}")
    if found.abstained:
        ways = ", ".join(f"{count:,} {way}" for way, count in found.abstained.items())
        typer.echo(f"say that there is no query: {ways}")
    if found.empty:
        typer.echo(f"hold neither a query nor that there is none: {found.empty:,}")
    if found.paid is not None:
        typer.echo(f"this command paid for {paid_text(found.paid)}", err=True)
