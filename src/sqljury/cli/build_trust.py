"""`sqljury build trust`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import builders
from sqljury.cli.flags import ModelFlags, SchemaFlags, with_flags
from sqljury.cli.options import AsJson, Mapping, ModelOption, Overlay, Seed
from sqljury.cli.progress import progress
from sqljury.errors import InputError


@builders.command("trust")
@with_flags
def build_trust(
    questions: Annotated[
        list[Path], typer.Argument(help="Files of questions with their reference SQL.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write; names the benchmark.")],
    *,
    sources: SchemaFlags,
    kinds: Annotated[
        str | None, typer.Option("--kinds", help="Of unanswerable questions, joined by commas.")
    ] = None,
    out_of_domain: Annotated[
        Path | None, typer.Option("--out-of-domain", help="Text file with a question a line.")
    ] = None,
    split: Annotated[
        str,
        typer.Option(
            "--split", help="questions (6:2:2), or databases: half validation, half test."
        ),
    ] = "questions",
    train: Annotated[
        Path | None, typer.Option("--train", help="Questions that are the training split.")
    ] = None,
    correct: Annotated[
        bool,
        typer.Option("--correct", help="Correct relative times and references without a result."),
    ] = False,
    now: Annotated[
        datetime | None,
        typer.Option("--now", formats=["%Y-%m-%d"], help="Date that corrected queries count from."),
    ] = None,
    ask: Annotated[
        str | None,
        typer.Option("--ask", help="PROVIDER:MODEL that writes questions into OUT/review.jsonl."),
    ] = None,
    paraphrases: Annotated[
        int,
        typer.Option("--paraphrases", min=0, help="So many of each query, too, to be reviewed."),
    ] = 0,
    model_option: ModelOption = None,
    models: ModelFlags,
    mapping: Mapping = None,
    overlay: Overlay = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Build a benchmark with unanswerable questions, split by question and SQL structure."""
    from sqljury.api.trust_building import QuestionWriter, build_trust_files, review_queue
    from sqljury.benchmarks import parse_mapping
    from sqljury.judges.model_judge import option_pairs
    from sqljury.uses.building import KINDS, Corrections
    from sqljury.uses.building.benchmark import card_text
    from sqljury.uses.building.writing import counts

    if ask is None and (model_option or models.are_given or paraphrases):
        told = "--paraphrases, --model-option, --ledger, --replay, --max-cost go with --ask."
        raise InputError("SJ006", told)
    if now is not None and not correct:
        raise InputError("SJ006", "--now goes with --correct.")
    corrections = Corrections(None if now is None else now.date(), seed) if correct else None
    asking = None
    with ExitStack() as stack:
        if ask is not None:
            asking = QuestionWriter(
                model=ask,
                options=option_pairs(";".join(model_option or ())),
                settings=models.settings(out / "ledger.sqlite"),
                paraphrases=paraphrases,
                on_progress=stack.enter_context(progress("asking", "asked")),
            )
        card = build_trust_files(
            questions,
            out,
            databases=sources.databases,
            schemas=sources.schemas,
            seed=seed,
            kinds=KINDS if kinds is None else [kind.strip() for kind in kinds.split(",")],
            out_of_domain=out_of_domain,
            corrections=corrections,
            asking=asking,
            mapping=parse_mapping(mapping or ""),
            overlay=overlay,
            splitting=split,
            training=train,
        )
    typer.echo(json.dumps(card.to_json(), indent=2) if as_json else card_text(card))
    found = counts(review_queue(out))
    if any(found.values()):
        told = ", ".join(f"{number:,} {status}" for status, number in found.items())
        typer.echo(
            f"{out / 'review.jsonl'}: {told}. Set `status` to accepted or rejected, and give the "
            "same command again: accepted ones are taken.",
            err=True,
        )
