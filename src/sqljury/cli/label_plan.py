"""`sqljury label-plan`: which cases people should label next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import RunFolder, Seed, output_option
from sqljury.errors import InputError

if TYPE_CHECKING:
    from sqljury.api.benchmark_scores import LabelPlan

_COUNTS = (25, 50, 100, 200, 400, 800)


@app.command("label-plan")
def label_plan(
    run: RunFolder,
    judge: Annotated[
        str, typer.Option("--judge", "-j", help="Judge whose score is to be known better.")
    ] = "",
    count: Annotated[
        int | None, typer.Option("--count", min=2, help="About so many cases to label.")
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option("--half-width", help="Wanted half of the 95 % interval, such as 0.03."),
    ] = None,
    out: Annotated[
        Path | None, output_option("--out", "-o", help="CSV file of cases to label.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Say what labels are worth, and draw cases for `agree RUN --labels FILE --corrected`."""
    from sqljury.api.benchmark_scores import plan_labels
    from sqljury.uses.agree.labels import half_width as expected
    from sqljury.uses.agree.labels import write_label_plan

    plan = plan_labels(run, judge, seed=seed)
    cases = len(plan.cases)
    wanted = count if half_width is None else _enough(plan, half_width)
    for number in sorted(
        {*(one for one in _COUNTS if one < cases), cases, *([wanted] if wanted else [])}
    ):
        width = 100 * expected(plan.scores, number)
        typer.echo(f"{number:,} of {cases:,} cases labelled: ± {width:.1f} points")
    if out is not None:
        if wanted is None:
            raise InputError("SJ006", "--out goes with --count or --half-width.")
        drawn = plan.draw(wanted)
        write_label_plan(out, drawn)
        typer.echo(f"{out}: {len(drawn):,} cases")


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
