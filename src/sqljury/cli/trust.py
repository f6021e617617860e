"""`sqljury trust`: answers and abstentions scored together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.gate import refuse_missing_of_run
from sqljury.cli.options import AsJson, Bootstrap, Html, Overlay, Seed, output_option
from sqljury.cli.output import show
from sqljury.cli.progress import progress
from sqljury.errors import InputError


@app.command()
def trust(
    inputs: Annotated[
        list[str],
        typer.Argument(
            help="RUN or [NAME=]FILE of decisions; with --databases, questions to judge now."
        ),
    ],
    penalty: Annotated[
        list[str] | None,
        typer.Option("--penalty", "-c", help="What a wrong answer costs: a number, or N."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", "-j", help="Judge that says what is right.")
    ] = None,
    gate: Annotated[
        list[str] | None,
        typer.Option("--gate", help="JUDGE[>=T] or FILE of recorded answers that holds back."),
    ] = None,
    confidence: Annotated[
        str | None, typer.Option("--confidence", help="JUDGE[#MEASURE] that says how sure.")
    ] = None,
    verdicts: Annotated[
        Path | None, typer.Option("--verdicts", help="File that says which answers are right.")
    ] = None,
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", "-p", help="Prediction files, joined to the questions."),
    ] = None,
    databases: Annotated[
        str | None, typer.Option("--databases", "-d", help="Databases to judge answers on.")
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option("--run", is_eager=True, help="Folder for the run that judges answers."),
    ] = None,
    validation: Annotated[
        str | None,
        typer.Option("--validation", help="RUN or FILE of decisions to choose thresholds on."),
    ] = None,
    risk: Annotated[
        list[float] | None,
        typer.Option("--risk", help="Risk that a threshold is to keep; 0.05 and 0.1."),
    ] = None,
    training: Annotated[
        Path | None,
        typer.Option("--train", help="Training cases: slices by seen and unseen SQL structure."),
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Key names: answerable=in_scope,predicted_sql=sql.")
    ] = None,
    overlay: Overlay = None,
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
    html: Html = None,
    csv: Annotated[
        Path | None, output_option("--csv", help="Write a line per question with its scores.")
    ] = None,
) -> None:
    """Score answers and abstentions together: reliability score, risk, coverage, thresholds."""
    from sqljury.api.inputs import overlay_from
    from sqljury.api.trust import TrustSettings, judged_run, references_of, trust_files
    from sqljury.benchmarks import parse_mapping
    from sqljury.uses.trust import DEFAULT_PENALTIES, DEFAULT_RISKS, parse_penalty
    from sqljury.uses.trust.document import trust_document

    penalties = tuple(map(parse_penalty, penalty)) if penalty else DEFAULT_PENALTIES
    setup = TrustSettings(
        judge=judge,
        verdicts=verdicts,
        gates=tuple(gate or ()),
        confidence=confidence,
        training=() if training is None else references_of(training),
        mapping=parse_mapping(mapping) if mapping else {},
        overlay=overlay_from(overlay),
    )
    is_run = any(Path(text).is_dir() for text in inputs)
    if is_run and mapping:
        raise InputError("SJ006", "--map names columns of files, and a run is given.")
    judges = databases is not None or predictions or (judge is not None and not is_run)
    if judges:
        with progress() as on_progress:
            inputs = [judged_run(inputs, setup, databases, predictions or (), run, on_progress)]
            on_progress(-1, -1)
    found = trust_files(
        inputs,
        setup,
        penalties=penalties,
        validation=validation,
        risks=tuple(risk or DEFAULT_RISKS),
        bootstrap=bootstrap,
        seed=seed,
    )
    if csv is not None:
        from sqljury.uses.trust.document import write_trust_csv

        write_trust_csv(csv, found, penalties)
    each = [one.to_json() for one in found]
    printed = each[0] if len(each) == 1 else {"systems": each}
    show(trust_document(found), printed if as_json else None, html)
    if judges:
        refuse_missing_of_run(Path(inputs[0]))
