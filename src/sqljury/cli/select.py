"""`sqljury select`: one of many candidates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.flags import ModelFlags, RunFlags, SourceFlags, with_flags
from sqljury.cli.gate import GatedScore, LeftOutLimit, MaxLeftOut
from sqljury.cli.options import AsJson, Format, Html, Overlay, Seed, output_option, overlay_key
from sqljury.cli.output import show
from sqljury.cli.progress import progress

if TYPE_CHECKING:
    from sqljury.api.inputs import RunKeywords
    from sqljury.uses.select import Selection


@app.command()
@with_flags
def select(
    files: Annotated[
        list[Path], typer.Argument(help="Pools: questions with candidates; or questions, with -p.")
    ],
    *,
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", "-p", help="Prediction files: each is a candidate."),
    ] = None,
    sources: SourceFlags,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            "-s",
            help="first, random, execution, majority, verifier, verifier-majority, judge:NAME, "
            "system:NAME, oracle; repeatable.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", "-j", help="Judge that says what is right; execution."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", help="Field of the candidates that says what is right."),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            "--match", help="When results are equal: strict,column_order=any; as the judge."
        ),
    ] = None,
    format_: Format = None,
    keep_failing: Annotated[
        bool,
        typer.Option("--keep-failing", help="Queries that do not run may be picked by score."),
    ] = False,
    overlay: Overlay = None,
    running: RunFlags,
    models: ModelFlags,
    seed: Seed = 0,
    resamples: Annotated[
        int, typer.Option("--resamples", min=1, help="Orders that a vote's curve is the mean of.")
    ] = 400,
    out: Annotated[
        Path | None, output_option("--out", help="Write what is picked: a case per line.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", help="Exit 1 when a strategy's accuracy is below."),
    ] = None,
    max_left_out: MaxLeftOut = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Pick one of the candidates for each question, and compare ways of picking."""
    from sqljury.api.evaluation import default_run
    from sqljury.api.selection import DEFAULT_STRATEGIES, write_picks
    from sqljury.api.selection import select as select_from
    from sqljury.uses.evaluate.summary import check_threshold
    from sqljury.uses.select.document import selection_document

    if fail_under is not None:
        check_threshold(fail_under)
    gate = LeftOutLimit.of(max_left_out, with_threshold=fail_under is not None)
    key = {"select": sources.databases, **overlay_key(overlay)}
    folder = running.run or default_run([*files, *(predictions or [])], key)
    settings: RunKeywords = {
        **sources.keywords,
        **running.keywords,
        "overlay": overlay,
        "llm": models.settings(folder / "ledger.sqlite"),
    }
    with progress() as on_progress:
        found = select_from(
            files,
            strategy or DEFAULT_STRATEGIES,
            sources.databases,
            judge=judge,
            label=label,
            match=match,
            keep_failing=keep_failing,
            predictions=predictions or None,
            format=format_,
            run=folder,
            **settings,
            seed=seed,
            resamples=resamples,
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    if out is not None:
        write_picks(found, out)
    document = selection_document(found, title=files[0].name)
    show(document, found.to_json() if as_json else None, html)
    gate.check([_judged(found)], _below(found, fail_under))


def _below(found: Selection, threshold: float | None) -> list[str]:
    if threshold is None:
        return []
    below = [one for one in found.strategies if one.accuracy is None or one.accuracy < threshold]
    scores = ("nothing was scored" if o.accuracy is None else f"{o.accuracy:.4f}" for o in below)
    return [
        f"below {threshold:g}: {one.name}: {score} over {one.n} questions"
        for one, score in zip(below, scores, strict=True)
    ]


def _judged(found: Selection) -> GatedScore:
    # What nobody said to be right or wrong is in no denominator either.
    unsaid = found.total - found.n - sum(found.left_out.values())
    return GatedScore(
        name="select",
        total=found.total,
        left_out={**found.left_out, "nothing says what is right": unsaid},
        missing=found.missing,
        reasons=found.missing_reasons,
    )
