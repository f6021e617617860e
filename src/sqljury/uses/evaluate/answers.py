"""How long a system under test took for its answers, what they cost, and why some are missing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqljury.case import Case

_SHOWN_PROBLEMS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAnswers:
    """The figures of a system's answers; None if the system did not give them."""

    system: str
    """What the user typed for it."""
    n: int
    """The number of answers asked for."""
    failed: int
    """How many of them the system did not give."""
    problems: Mapping[str, int]
    """The most frequent reasons, and how often each occurs."""
    seconds_median: float | None
    seconds_p95: float | None
    """So many seconds suffice for 95 % of the answers."""
    cost: float | None
    """In US dollars, of all answers."""
    tokens: int | None

    def __str__(self) -> str:
        failed = f"{self.failed:,} of {self.n:,} failed" if self.failed else f"{self.n:,} answers"
        why = "; ".join(f"{reason} ({count:,})" for reason, count in self.problems.items())
        parts = [f"{failed}: {why}" if why else failed]
        if self.seconds_median is not None:
            parts.append(f"median {self.seconds_median:,.3g} s, 95 % in {self.seconds_p95:,.3g} s")
        if self.cost is not None:
            parts.append(f"${self.cost:,.4f}")
        if self.tokens is not None:
            parts.append(f"{self.tokens:,} tokens")
        return f"System {self.system}: {'; '.join(parts)}."


def system_answers(system: str, cases: Iterable[Case]) -> SystemAnswers:
    """The figures of the answers in some cases' ``extra``."""
    from statistics import median

    n = 0
    problems: Counter[str] = Counter()
    told: dict[str, list[float]] = {"seconds": [], "cost": [], "tokens": []}
    for case in cases:
        n += 1
        if "failed" in case.extra:
            problems[str(case.extra.get("problem"))] += 1
        for name, values in told.items():
            value = case.extra.get(name)
            if isinstance(value, int | float):
                values.append(value)
    seconds = sorted(told["seconds"])
    return SystemAnswers(
        system=system,
        n=n,
        failed=problems.total(),
        problems=dict(problems.most_common(_SHOWN_PROBLEMS)),
        seconds_median=median(seconds) if seconds else None,
        seconds_p95=seconds[math.ceil(0.95 * len(seconds)) - 1] if seconds else None,
        cost=math.fsum(told["cost"]) if told["cost"] else None,
        tokens=int(sum(told["tokens"])) if told["tokens"] else None,
    )
