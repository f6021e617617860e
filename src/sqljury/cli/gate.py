"""Gates: what ends a command with exit code 1, and what no gate lets pass.

A verdict that is missing because the machinery failed says nothing of the prediction. So a command
that judged ends with exit code 3 while any is missing, whatever the score of the others; and a
gate on a score is one on its denominator too, which nothing may leave unasked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sqljury.errors import EXIT_BELOW_THRESHOLD, InputError
from sqljury.settings import ScoreGate

if TYPE_CHECKING:
    from sqljury.uses.evaluate.summary import JudgeSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedScore:
    """One score, as far as a gate looks at it."""

    name: str
    total: int
    """Of the cases that it could be of."""
    left_out: Mapping[str, int]
    """Cases that are not in its denominator, by why."""
    missing: int = 0
    """Verdicts that are missing because the machinery failed."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Why those are missing."""


@dataclass(frozen=True, slots=True)
class LeftOutLimit:
    """How many cases may be left out; None where that is not asked."""

    most: float | None
    is_share: bool = False

    def check(self, judged: Sequence[GatedScore], below: Sequence[str] = ()) -> None:
        """End the command where a gate is not passed; say why.

        Args:
            below: what is below a threshold, a line each.

        Raises:
            InfrastructureError: SJ416: verdicts are missing.
            typer.Exit: a threshold is not reached, or too much was left out.
        """
        lines = [*below, *(line for one in judged for line in self._too_much(one))]
        for line in lines:
            typer.echo(line, err=True)
        refuse_missing(judged)
        if lines:
            raise typer.Exit(EXIT_BELOW_THRESHOLD)

    def _too_much(self, one: GatedScore) -> list[str]:
        left_out = sum(one.left_out.values())
        if self.most is None or left_out <= self.most * (one.total if self.is_share else 1):
            return []
        allowed = f"{self.most:.6g} of all" if self.is_share else f"{self.most:g}"
        parts = ", ".join(f"{why} {count:,}" for why, count in one.left_out.items() if count)
        return [
            f"left out: {one.name}: {left_out:,} of {one.total:,} cases ({parts}), "
            f"{allowed} allowed; --max-left-out {left_out} would allow them"
        ]


def left_out_limit(gate: ScoreGate, *, with_threshold: bool = False) -> LeftOutLimit:
    """How many cases may be left out; read, with the threshold, before work begins.

    Args:
        with_threshold: a score is asked for elsewhere, which must then be over all cases.

    Raises:
        InputError: SJ508: neither a number nor a share; a threshold outside of [0, 1].
    """
    from sqljury.uses.evaluate.summary import check_threshold

    if gate.fail_under is not None:
        check_threshold(gate.fail_under)
    if gate.max_left_out is None:
        return LeftOutLimit(0.0 if with_threshold or gate.fail_under is not None else None)
    return LeftOutLimit(*_amount(gate.max_left_out))


def refuse_missing(judged: Sequence[GatedScore]) -> None:
    """Fail where verdicts are missing for the machinery's sake.

    Raises:
        InfrastructureError: SJ416.
    """
    from sqljury.uses.evaluate.summary import missing_error, missing_text

    lacking = [one for one in judged if one.missing]
    if not lacking:
        return
    parts = [
        missing_text(one.name, one.missing, max(one.total, one.missing), one.reasons)
        for one in lacking
    ]
    raise missing_error("; ".join(parts))


def warn_of_missing(judged: Sequence[GatedScore]) -> None:
    """Say that verdicts are missing, where nothing is gated and nothing was judged."""
    from sqljury.uses.evaluate.summary import missing_text

    for one in judged:
        if one.missing:
            text = missing_text(one.name, one.missing, one.total, one.reasons)
            typer.echo(f"warning: {text}", err=True)


def refuse_missing_of_run(folder: Path) -> None:
    """Fail where a run that this command judged lacks verdicts.

    Raises:
        InfrastructureError: SJ416.
    """
    from sqljury.api.evaluation import load_run

    with load_run(folder) as found:
        refuse_missing([judged_by(judge) for judge in found.summary.judges])


def judged_by(judge: JudgeSummary) -> GatedScore:
    """What a gate looks at of a judge's summary."""
    from sqljury.verdict import Outcome

    return GatedScore(
        name=judge.name,
        total=judge.total,
        left_out={name: n for name, n in judge.outcomes.items() if Outcome(name).left_out},
        missing=judge.missing,
        reasons=judge.missing_reasons,
    )


def _amount(text: str) -> tuple[float, bool]:
    """``3`` is a number of cases; ``0.02`` and ``2%`` are a share of them.

    >>> _amount("3"), _amount("2%"), _amount("0.02")
    ((3.0, False), (0.02, True), (0.02, True))
    """
    match = re.fullmatch(r"(\d+)|(\d*\.\d+|\d+(?:\.\d*)?(?=%))(%?)", text.strip())
    if match and match[1]:
        return float(match[1]), False
    share = float(match[2]) / (100 if match[3] else 1) if match else 2.0
    if share > 1:
        raise InputError(
            "SJ508",
            f"--max-left-out {text!r} is neither a number of cases nor a share of them.",
            hint="Write 3, 0.02 or 2%.",
        )
    return share, True
