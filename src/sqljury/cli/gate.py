"""Gates: thresholds that end a command with exit code 1, and missing verdicts, with code 3.

A verdict that is missing because the infrastructure failed says nothing about the prediction. So
a command that judges ends with exit code 3 while any is missing, whatever the score of the others.
A threshold on a score also limits how many cases are left out of it, by default to none:
otherwise the score could be raised by leaving out cases.
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
    """The parts of one score that a gate checks."""

    name: str
    total: int
    """The number of cases, those left out included."""
    left_out: Mapping[str, int]
    """The number of cases that are not in the denominator, by reason."""
    missing: int = 0
    """The number of verdicts that are missing because the infrastructure failed."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """The number of missing verdicts by reason."""


@dataclass(frozen=True, slots=True)
class LeftOutLimit:
    """How many cases may be left out of a score, or which share; ``most`` is None for no limit."""

    most: float | None
    is_share: bool = False

    def check(self, judged: Sequence[GatedScore], below: Sequence[str] = ()) -> None:
        """Print which gates are not passed, and end the command if there is one.

        Args:
            below: the lines that say which scores are below a threshold.

        Raises:
            InfrastructureError: SJ416: verdicts are missing.
            typer.Exit: a score is below its threshold, or too many cases were left out.
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
    """The limit on cases left out that the options give; also checks the threshold's range.

    Called before the work, so that a wrong option is reported at once.

    Args:
        with_threshold: the command has a threshold of its own, so that no case may be left out
            unless --max-left-out says otherwise.

    Raises:
        InputError: SJ508: neither a number nor a share; or a threshold outside of [0, 1].
    """
    from sqljury.uses.evaluate.summary import check_threshold

    if gate.fail_under is not None:
        check_threshold(gate.fail_under)
    if gate.max_left_out is None:
        return LeftOutLimit(0.0 if with_threshold or gate.fail_under is not None else None)
    return LeftOutLimit(*_amount(gate.max_left_out))


def refuse_missing(judged: Sequence[GatedScore]) -> None:
    """Raise if verdicts are missing because the infrastructure failed.

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
    """Print a warning if verdicts are missing; for commands without a gate that judge nothing."""
    from sqljury.uses.evaluate.summary import missing_text

    for one in judged:
        if one.missing:
            text = missing_text(one.name, one.missing, one.total, one.reasons)
            typer.echo(f"warning: {text}", err=True)


def refuse_missing_of_run(folder: Path) -> None:
    """Raise if verdicts are missing in the run that this command judged.

    Raises:
        InfrastructureError: SJ416.
    """
    from sqljury.api.evaluation import load_run

    with load_run(folder) as found:
        refuse_missing([judged_by(judge) for judge in found.summary.judges])


def judged_by(judge: JudgeSummary) -> GatedScore:
    """The parts of a judge's summary that a gate checks."""
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
