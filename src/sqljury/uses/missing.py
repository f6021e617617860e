"""Verdicts that are missing because the machinery failed: how many, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqljury.errors import InfrastructureError
from sqljury.verdict import Verdict

_MOST_REASONS = 1000
"""Reasons may hold what differs from case to case; memory must not grow with the cases."""
_SHOWN_REASONS = 5
_SAID_REASONS = 3


@dataclass(slots=True)
class MissingCounter:
    """Counts missing verdicts while they pass."""

    count: int = 0
    _reasons: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> None:
        """Count a verdict if it is none: ``judge_unavailable``."""
        if not verdict.outcome.is_infrastructure:
            return
        self.count += 1
        if verdict.reason in self._reasons or len(self._reasons) < _MOST_REASONS:
            self._reasons[verdict.reason] += 1

    def lacks(self, cases: int) -> None:
        """Count cases that nobody has judged yet."""
        if cases > 0:
            self.count += cases
            self._reasons["not judged yet"] += cases

    def __iadd__(self, other: MissingCounter) -> MissingCounter:
        self.count += other.count
        self._reasons.update(other._reasons)
        return self

    @property
    def reasons(self) -> dict[str, int]:
        """The most frequent reasons, and how often each."""
        return dict(self._reasons.most_common(_SHOWN_REASONS))


def missing_in(verdicts: Iterable[Verdict]) -> MissingCounter:
    """What is missing among some verdicts."""
    found = MissingCounter()
    for verdict in verdicts:
        found.add(verdict)
    return found


def missing_text(name: str, missing: int, total: int, reasons: Mapping[str, int]) -> str:
    """How many verdicts of a judge are missing, and why, in words."""
    shown = [f"{reason.rstrip('.')} ({count:,})" for reason, count in reasons.items()]
    why = "; ".join(shown[:_SAID_REASONS] + (["…"] if len(shown) > _SAID_REASONS else []))
    return f"{missing:,} of {total:,} verdicts of {name} are missing" + (f": {why}" if why else "")


def missing_error(what: str) -> InfrastructureError:
    """The error of a command that judged and could not judge everything."""
    return InfrastructureError(
        "SJ416",
        f"{what}.",
        hint="What was judged is kept: when the cause is gone run the same command again, it "
        "judges what is missing.",
    )
