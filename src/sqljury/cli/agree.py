"""`sqljury agree`: judges against people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.gate import GatedScore, LeftOutLimit, MaxLeftOut, warn_of_missing
from sqljury.cli.options import AsJson, Overlay, Seed, output_option
from sqljury.cli.output import console
from sqljury.errors import InputError

if TYPE_CHECKING:
    from sqljury.api.benchmark_scores import CorrectedScore
    from sqljury.uses.agree.agreement import Agreement, JudgeAgreement


@app.command()
def agree(
    inputs: Annotated[
        list[str], typer.Argument(help="RUN or [NAME=]FILE[,FILE...]: one judge each.")
    ],
    label: Annotated[
        str, typer.Option("--label", help="Column that holds what people say.")
    ] = "label",
    labels: Annotated[
        list[Path] | None, typer.Option("--labels", help="File to take the labels from, by id.")
    ] = None,
    unknown: Annotated[
        str, typer.Option("--unknown", help="Cases without a score: no, or exclude.")
    ] = "no",
    seed: Seed = 0,
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", help="STATISTIC=VALUE, such as kappa=0.75; exit 1 below."),
    ] = None,
    max_left_out: MaxLeftOut = None,
    overlay: Overlay = None,
    corrected: Annotated[
        bool,
        typer.Option(
            "--corrected", help="Scores of whole runs, corrected by labels of some cases."
        ),
    ] = False,
    html: Annotated[
        Path | None, output_option("--html", help="Write the report of one RUN with this in it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare judges with human labels: kappa, accuracy, MCC, F1, AUC, and each other."""
    from sqljury.api.agreement import agree_files

    if unknown not in ("no", "exclude"):
        raise InputError("SJ003", f"--unknown {unknown} is neither no nor exclude.")
    thresholds = [_threshold(text) for text in fail_under or ()]
    gate = LeftOutLimit.of(max_left_out, with_threshold=bool(thresholds))
    found = agree_files(
        inputs, label=label, labels=labels or (), unknown=unknown, seed=seed, overlay=overlay
    )
    if html is not None:
        _write_page(inputs, html, found)
    scores = _corrected(inputs, labels or (), label) if corrected else []
    if as_json:
        more = {"corrected": [asdict(one) for one in scores]} if corrected else {}
        typer.echo(json.dumps({**found.to_json(), **more}, indent=2))
    else:
        from sqljury.uses.agree.document import print_agreement

        print_agreement(found, console())
        for score in scores:
            typer.echo(_score_text(score))
    judged = [_judged(judge) for judge in found.judges]
    if gate.most is None:
        warn_of_missing(judged)
    else:
        gate.check(judged, _below(found, thresholds))


def _write_page(inputs: list[str], path: Path, found: Agreement) -> None:
    from sqljury.api.evaluation import load_run

    if len(inputs) != 1 or not Path(inputs[0]).is_dir():
        raise InputError("SJ006", "--html goes with one run.")
    with load_run(inputs[0]) as evaluation:
        evaluation.to_html(path, agreement=found)
    typer.echo(f"report: {path.resolve()}", err=True)


def _corrected(inputs: list[str], labels: Sequence[Path], label: str) -> list[CorrectedScore]:
    from sqljury.api.benchmark_scores import corrected_scores

    runs = [Path(one) for one in inputs]
    if len(labels) != 1 or not all(run.is_dir() for run in runs):
        raise InputError("SJ006", "--corrected goes with runs and one file of --labels.")
    return [score for run in runs for score in corrected_scores(run, labels[0], label=label)]


def _score_text(found: CorrectedScore) -> str:
    ways = {"prediction-powered": found.powered, "Rogan–Gladen": found.rogan_gladen}
    told = (
        f"{way} {100 * one.value:.1f} ({100 * one.low:.1f}–{100 * one.high:.1f})"
        for way, one in ways.items()
        if one is not None
    )
    return (
        f"{found.name}: {100 * found.share:.1f} % of {found.cases:,} cases are called correct; "
        f"corrected by {found.labelled:,} labels: {', '.join(told)}"
    )


def _threshold(text: str) -> tuple[str, float]:
    from sqljury.uses.agree.agreement import check_statistic

    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise InputError(
            "SJ005", f"--fail-under {text!r} is not STATISTIC=VALUE.", hint="Write kappa=0.75."
        )
    check_statistic(name)
    return name, number


def _below(found: Agreement, thresholds: list[tuple[str, float]]) -> list[str]:
    from sqljury.uses.agree.agreement import below

    return [f"below: {line}" for name, value in thresholds for line in below(found, name, value)]


def _judged(judge: JudgeAgreement) -> GatedScore:
    others = judge.n_left_out - judge.n_missing
    return GatedScore(
        name=judge.name,
        total=judge.n_scored + judge.n_unknown + judge.n_left_out,
        left_out={"reference or database fails": others, "judge_unavailable": judge.n_missing},
        missing=judge.n_missing,
    )
