"""Gate: is a run worse than a baseline? The decision, its document, and what CI systems read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from os import PathLike
from pathlib import Path

from sqljury.uses.evaluate.baseline import Baseline, read_baseline
from sqljury.uses.evaluate.comparison import failures_of_cases
from sqljury.uses.evaluate.evaluation import Evaluation, load_run
from sqljury.uses.evaluate.left_out import GatedScore, refuse_missing
from sqljury.uses.evaluate.summary import missing_error
from sqljury.uses.gate.decision import (
    CaseStanding,
    GateCase,
    GateLimits,
    GateResult,
    JudgeGate,
    decide,
)

__all__ = ["CaseStanding", "GateCase", "GateLimits", "GateResult", "JudgeGate", "gate"]


def gate(
    run: str | PathLike[str] | Evaluation,
    baseline: str | PathLike[str] | Evaluation | None = None,
    *,
    max_drop: float = 1.0,
    alpha: float = 0.05,
    max_left_out: int | str = 0,
    thresholds: Mapping[str, float] | None = None,
) -> GateResult:
    """Decide whether a run is worse than a baseline; ``passed`` of the result says it.

    Args:
        run: an evaluation, or the folder of a run.
        baseline: an earlier evaluation or run, or a file of :meth:`Evaluation.write_baseline`.
            None checks the thresholds only.
        max_drop: points by which a judge's score may fall.
        alpha: a smaller fall fails, too, if p of McNemar's exact test, adjusted over the judges by
            Holm's method, is below this; 0: never.
        max_left_out: how many cases may be gone, changed or left out of the score: a number, or a
            share such as ``"2%"``.
        thresholds: the lowest score of each judge, in [0, 1].

    Raises:
        InputError: SJ401, SJ515: neither a run nor a baseline; SJ516: the baseline was judged
            otherwise; SJ418: no case in common; SJ508, SJ517: a limit is out of range.
        InfrastructureError: SJ416: verdicts are missing.
    """
    limits = GateLimits(
        max_drop=max_drop,
        alpha=alpha,
        max_left_out=str(max_left_out),
        thresholds=dict(thresholds or {}),
    )
    with ExitStack() as stack:
        if not isinstance(run, Evaluation):
            run = stack.enter_context(load_run(run))
        if isinstance(baseline, (str, PathLike)) and Path(baseline).is_dir():
            baseline = stack.enter_context(load_run(baseline))
        known = None
        if isinstance(baseline, Evaluation):
            known = _complete(baseline)
        elif baseline is not None:
            known = read_baseline(baseline)
        failures_of = partial(failures_of_cases, run.run)
        return decide(_complete(run), run.summary, known, limits, failures_of)


def _complete(found: Evaluation) -> Baseline:
    """What a run found; raises SJ416 if verdicts are missing."""
    if not found.run.judges:
        raise missing_error(f"{found.run.folder}: nothing is judged yet")
    refuse_missing([GatedScore.of(judge) for judge in found.summary.judges])
    return Baseline.of(found.run)
