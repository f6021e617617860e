"""How many cases may be left out of a score, and the error for verdicts that are missing.

A verdict that is missing because the infrastructure failed says nothing about the prediction, so
it is never allowed. A threshold on a score also limits how many cases are left out of it:
otherwise the score could be raised by leaving out cases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqljury.errors import InputError
from sqljury.uses.evaluate.summary import JudgeSummary, missing_error, missing_text
from sqljury.verdict import Outcome


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

    @classmethod
    def of(cls, judge: JudgeSummary) -> GatedScore:
        """The parts of a judge's summary that a gate checks."""
        return cls(
            name=judge.name,
            total=judge.total,
            left_out={name: n for name, n in judge.outcomes.items() if Outcome(name).left_out},
            missing=judge.missing,
            reasons=judge.missing_reasons,
        )


@dataclass(frozen=True, slots=True)
class LeftOutLimit:
    """How many cases may be left out of a score, or which share; ``most`` is None for no limit."""

    most: float | None
    is_share: bool = False

    @classmethod
    def parse(cls, text: str) -> LeftOutLimit:
        """``3`` is a number of cases; ``0.02`` and ``2%`` are a share of them.

        Raises:
            InputError: SJ508: neither a number nor a share.

        >>> LeftOutLimit.parse("3"), LeftOutLimit.parse("2%")
        (LeftOutLimit(most=3.0, is_share=False), LeftOutLimit(most=0.02, is_share=True))
        """
        match = re.fullmatch(r"(\d+)|(\d*\.\d+|\d+(?:\.\d*)?(?=%))(%?)", text.strip())
        if match and match[1]:
            return cls(float(match[1]))
        share = float(match[2]) / (100 if match[3] else 1) if match else 2.0
        if share > 1:
            raise InputError(
                "SJ508",
                f"--max-left-out {text!r} is neither a number of cases nor a share of them.",
                hint="Write 3, 0.02 or 2%.",
            )
        return cls(share, is_share=True)

    def exceeded(self, one: GatedScore) -> str:
        """A sentence that says how many cases are left out; empty if so many are allowed."""
        left_out = sum(one.left_out.values())
        if self.most is None or left_out <= self.most * (one.total if self.is_share else 1):
            return ""
        allowed = f"{self.most:.6g} of all" if self.is_share else f"{self.most:g}"
        parts = ", ".join(f"{why} {count:,}" for why, count in one.left_out.items() if count)
        return (
            f"{left_out:,} of {one.total:,} cases ({parts}), "
            f"{allowed} allowed; --max-left-out {left_out} would allow them"
        )


def refuse_missing(judged: Sequence[GatedScore]) -> None:
    """Raise if verdicts are missing because the infrastructure failed.

    Raises:
        InfrastructureError: SJ416.
    """
    parts = [
        missing_text(one.name, one.missing, max(one.total, one.missing), one.reasons)
        for one in judged
        if one.missing
    ]
    if parts:
        raise missing_error("; ".join(parts))
