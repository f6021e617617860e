"""`sqljury agree`: compare judges with human labels, plan labels, calibrate a jury's models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import TypedWords, command, refuse_besides, refuse_without
from sqljury.cli.gate import check_gate, left_out_limit, warn_of_missing
from sqljury.cli.output import console, print_json
from sqljury.cli.streams import echo
from sqljury.errors import InputError
from sqljury.settings import Argument, Drawing, Input, ScoreGate, Showing, only, option

if TYPE_CHECKING:
    from sqljury.uses.agree.agreement import Agreement, JudgeAgreement
    from sqljury.uses.agree.corrected import CorrectedScore, LabelPlan
    from sqljury.uses.evaluate.left_out import GatedScore

_COUNTS = (25, 50, 100, 200, 400, 800)


@command()
def agree(
    typed: TypedWords,
    inputs: Annotated[list[str], Argument(help="RUN or [NAME=]FILE[,FILE...]: one judge each.")],
    *,
    label: Annotated[str, option("Column with the human labels.", "--label")] = "label",
    labels: Annotated[
        tuple[Path, ...], option("File with the labels, joined by case id.", "--labels")
    ] = (),
    unknown: Annotated[
        str, option("How cases without a score count: no, or exclude.", "--unknown")
    ] = "no",
    drawing: Annotated[Drawing, only("seed")],
    fail_under: Annotated[
        tuple[str, ...],
        option("STATISTIC=VALUE, such as kappa=0.75; exit 1 below.", "--fail-under"),
    ] = (),
    gate: Annotated[ScoreGate, only("max_left_out")],
    reading: Annotated[Input, only("overlay")],
    corrected: Annotated[
        bool,
        option("Also print the runs' scores, corrected by some cases' labels.", "--corrected"),
    ] = False,
    showing: Annotated[Showing, only("html", "json")],
    plan: Annotated[
        bool, option("Of one RUN: print intervals by number of labels, draw cases.", "--plan")
    ] = False,
    judge: Annotated[
        str, option("With --plan: judge whose score the labels correct.", "--judge", "-j")
    ] = "",
    count: Annotated[
        int | None, option("With --plan: approximate number of cases to label.", "--count", least=2)
    ] = None,
    half_width: Annotated[
        float | None,
        option("With --plan: wanted half width of the 95 % interval: 0.03.", "--half-width"),
    ] = None,
    out: Annotated[
        Path | None,
        option("With --plan: CSV file of cases to label.", "--out", "-o", is_written=True),
    ] = None,
    calibrate: Annotated[
        Path | None,
        option(
            "Write how reliable the models of a jury are, from one RUN of "
            "jury,models=…,target=1. Use the file in `jury,models=…,reliability=FILE`.",
            "--calibrate",
            is_written=True,
        ),
    ] = None,
    base: Annotated[
        Path | None,
        option("With --calibrate: starting parameters [the shipped ones].", "--base"),
    ] = None,
) -> None:
    """Compare judges with human labels, and with each other.

    Prints kappa, accuracy, MCC, F1 and AUC. With --plan: prints how many labels are worth having
    and draws cases to label. With --calibrate: writes how reliable the models of a jury are.
    """
    from sqljury.uses.agree.files import agree_files

    if plan:
        refuse_besides(typed, "--plan", *("inputs", "judge", "count", "half_width", "out", "seed"))
        _plan(_run(inputs, "--plan"), judge, count, half_width, out, drawing.seed)
        return
    refuse_without(typed, "--plan", "judge", "count", "half_width", "out")
    if calibrate is not None:
        refuse_besides(typed, "--calibrate", "inputs", "labels", "label", "base")
        if len(labels) != 1:
            raise InputError("SJ006", "--calibrate goes with one file of --labels.")
        _calibrate(_run(inputs, "--calibrate"), labels[0], calibrate, label, base)
        return
    refuse_without(typed, "--calibrate", "base")
    if unknown not in ("no", "exclude"):
        raise InputError("SJ003", f"--unknown {unknown} is neither no nor exclude.")
    thresholds = [_threshold(text) for text in fail_under]
    limit = left_out_limit(gate, with_threshold=bool(thresholds))
    found = agree_files(
        inputs,
        label=label,
        labels=labels,
        unknown=unknown,
        seed=drawing.seed,
        overlay=reading.overlay or None,
    )
    if showing.html is not None:
        _write_page(inputs, showing.html, found)
    scores = _corrected(inputs, labels, label) if corrected else []
    if showing.json:
        more = {"corrected": [asdict(one) for one in scores]} if corrected else {}
        print_json({**found.to_json(), **more})
    else:
        from sqljury.uses.agree.document import print_agreement

        print_agreement(found, console())
        for score in scores:
            echo(_score_text(score))
    judged = [_judged(judge) for judge in found.judges]
    if limit.most is None:
        warn_of_missing(judged)
    else:
        check_gate(limit, judged, _below(found, thresholds))


def _run(inputs: list[str], mode: str) -> Path:
    if len(inputs) != 1 or not Path(inputs[0]).is_dir():
        raise InputError("SJ006", f"{mode} goes with one run.")
    return Path(inputs[0])


def _write_page(inputs: list[str], path: Path, found: Agreement) -> None:
    from sqljury.uses.evaluate.evaluation import load_run

    with load_run(_run(inputs, "--html")) as evaluation:
        evaluation.to_html(path, agreement=found)
    echo(f"report: {path.resolve()}", err=True)


def _corrected(inputs: list[str], labels: Sequence[Path], label: str) -> list[CorrectedScore]:
    from sqljury.uses.agree.corrected import corrected_scores

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
    from sqljury.uses.evaluate.left_out import GatedScore

    others = judge.n_left_out - judge.n_missing
    return GatedScore(
        name=judge.name,
        total=judge.n_scored + judge.n_unknown + judge.n_left_out,
        left_out={"reference or database fails": others, "judge_unavailable": judge.n_missing},
        missing=judge.n_missing,
    )


# ---------------------------------------------------------------- which cases to label


def _plan(
    run: Path,
    judge: str,
    count: int | None,
    half_width: float | None,
    out: Path | None,
    seed: int,
) -> None:
    """Print the expected interval for several numbers of labels; write the cases to label.

    The labels are for `agree --corrected`.
    """
    from sqljury.uses.agree.corrected import plan_labels
    from sqljury.uses.agree.labels import half_width as expected
    from sqljury.uses.agree.labels import write_label_plan

    plan = plan_labels(run, judge, seed=seed)
    cases = len(plan.cases)
    wanted = count if half_width is None else _enough(plan, half_width)
    numbers = {*(one for one in _COUNTS if one < cases), cases, *([wanted] if wanted else [])}
    for number in sorted(numbers):
        width = 100 * expected(plan.scores, number)
        echo(f"{number:,} of {cases:,} cases labelled: ± {width:.1f} points")
    if out is not None:
        if wanted is None:
            raise InputError("SJ006", "--out goes with --count or --half-width.")
        drawn = plan.draw(wanted)
        write_label_plan(out, drawn)
        echo(f"{out}: {len(drawn):,} cases")


def _enough(plan: LabelPlan, half_width: float) -> int:
    from sqljury.uses.agree.labels import half_width as expected
    from sqljury.uses.agree.labels import labels_for

    found = labels_for(plan.scores, half_width)
    if found is None:
        least = expected(plan.scores, len(plan.scores))
        raise InputError(
            "SJ003",
            f"--half-width {half_width:g}: with all of these cases labelled it is {least:.3f}.",
            hint="Judge more cases, or ask for less.",
        )
    return max(found, 2)


def _calibrate(run: Path, labels: Path, out: Path, label: str, base: Path | None) -> None:
    """Write how often each model was right on labelled cases, for `jury,models=…,reliability=`."""
    from sqljury.uses.train.jury_calibration import calibrate_jury

    found = calibrate_jury(run, labels, out, label=label, base=base or "")
    echo(f"{out}: {found.cases:,} labelled cases, {', '.join(found.models)}")
    for question, models in sorted(found.fusion.counts.items()):
        for model in found.models:
            if model in models:
                rates = found.fusion.rates((question, model))
                says = ", ".join(f"{a} {r:.2f}/{w:.2f}" for a, (r, w) in rates.items())
                echo(f"  {question} of {model}, of right/wrong predictions: {says}")
