"""The four findings of ROSE's re-evaluation of methods, each with a test.

All use the questions that every method shares. The methods are few (19 were recorded) and not a
random sample, so the tests say whether a pattern could be chance, not why it exists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from sqljury.benchmarks import RecordedJudgement
from sqljury.papers.recorded_methods import MethodFacts
from sqljury.uses.statistics import Interval

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

FINE_TUNED = "fine-tuned"
BASE = "base model"
_EXACT = 200_000
"""Up to this number, all permutations are tried; above it, random ones."""


@dataclass(frozen=True, slots=True)
class MethodAnswers:
    """One method: its facts, and EX and ROSE on each shared question."""

    facts: MethodFacts
    pairs: Mapping[str, tuple[RecordedJudgement, RecordedJudgement]]

    @property
    def ex(self) -> float:
        """The share of answers that EX accepts."""
        return sum(is_right(ex) for ex, _ in self.pairs.values()) / len(self.pairs)

    @property
    def rose(self) -> float:
        """The share of answers that ROSE accepts."""
        return sum(is_right(rose) for _, rose in self.pairs.values()) / len(self.pairs)

    @property
    def gap(self) -> float:
        """ROSE minus EX, as a fraction."""
        return self.rose - self.ex

    @property
    def strength(self) -> float:
        """The mean of EX and ROSE: unlike either alone, it is not tied to the gap by arithmetic."""
        return (self.rose + self.ex) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One number that supports a finding."""

    name: str
    statistic: str
    value: float | None
    interval: Interval | None = None
    p: float | None = None
    n: int
    method: str
    """How p or the interval was computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperClaim:
    """One claim of the paper, and the result of testing it on the recordings."""

    key: str
    claim: str
    answer: str
    """``supported``, ``not supported`` (the first test's p is 0.05 or more, or the effect has the
    other direction), or ``not testable``."""
    tests: tuple[Measured, ...]


def findings(
    methods: Sequence[MethodAnswers], *, resamples: int, seed: int, confidence: float
) -> tuple[PaperClaim, ...]:
    """All four findings; one that lacks facts or methods says so instead of being left out."""
    draw = _Draw(resamples, seed, confidence)
    return (
        _base_model(methods, draw),
        _widening(methods),
        _divergence(methods, draw),
        _fine_tuning(methods, draw),
    )


@dataclass(frozen=True, slots=True)
class _Draw:
    """The settings of random resampling."""

    resamples: int
    seed: int
    confidence: float

    def generator(self) -> Any:
        """A new generator for each test, so that no test depends on another."""
        import numpy as np

        return np.random.default_rng(self.seed)

    def percentiles(self, values: Sequence[float]) -> Interval:
        """The confidence interval from resampled values."""
        import numpy as np

        tail = (1 - self.confidence) / 2
        low, high = np.quantile(values, [tail, 1 - tail])
        return float(low), float(high)


def is_right(found: RecordedJudgement) -> bool:
    """True if a metric accepts the answer."""
    return found.score is not None and found.score >= 0.5


def _answered(tests: Sequence[Measured], positive: bool = True) -> str:
    first = tests[0]
    if first.value is None or first.p is None:
        return "not testable"
    return "supported" if first.p < 0.05 and (first.value > 0) == positive else "not supported"


# ---------------------------------------------------------------- 1: the base model


def _base_model(methods: Sequence[MethodAnswers], draw: _Draw) -> PaperClaim:
    """How much of the differences between methods that were not fine-tuned does the base model
    explain?"""
    groups: dict[str, list[MethodAnswers]] = defaultdict(list)
    for method in methods:
        if method.facts.kind != FINE_TUNED and method.facts.base_model:
            groups[method.facts.base_model].append(method)
    shared = {name: group for name, group in groups.items() if len(group) > 1}
    chosen = [method for group in shared.values() for method in group]
    labels = [list(shared).index(method.facts.base_model) for method in chosen]
    tests = [
        _explained("share of ROSE's variance", [m.rose for m in chosen], labels, draw),
        _explained("share of EX's variance", [m.ex for m in chosen], labels, draw),
        _engineering(groups),
    ]
    return PaperClaim(
        key="base_model",
        claim="Base model capability drives performance more than the system around it.",
        answer=_answered(tests),
        tests=tuple(tests),
    )


def _explained(name: str, values: Sequence[float], labels: Sequence[int], draw: _Draw) -> Measured:
    import numpy as np

    method = "permutation of the base models among methods that share one"
    if len(set(labels)) < 2 or len(values) <= len(set(labels)):
        return Measured(name=name, statistic="η²", value=None, n=len(values), method=method)
    y, groups = np.array(values), np.array(labels)
    found = _eta_squared(y, groups)
    generator = draw.generator()
    drawn = [_eta_squared(generator.permutation(y), groups) for _ in range(draw.resamples)]
    at_least = sum(value >= found - 1e-12 for value in drawn)
    p = (1 + at_least) / (1 + draw.resamples)
    return Measured(name=name, statistic="η²", value=found, p=p, n=len(values), method=method)


def _eta_squared(y: Floats, groups: Any) -> float:
    within = sum(float(((part := y[groups == g]) - part.mean()).T @ (part - part.mean()))
                 for g in set(groups.tolist()))  # fmt: skip
    total = float(((y - y.mean()) ** 2).sum())
    return 1 - within / total


def _engineering(groups: Mapping[str, Sequence[MethodAnswers]]) -> Measured:
    """How much do systems add to their base model alone, if that was recorded too?"""
    added = [
        method.rose - alone.rose
        for group in groups.values()
        for alone in group
        if alone.facts.kind == BASE
        for method in group
        if method is not alone
    ]
    return Measured(
        name="what a system adds to its base model alone",
        statistic="mean ROSE",
        value=sum(added) / len(added) if added else None,
        interval=(min(added), max(added)) if added else None,
        n=len(added),
        method="smallest and largest",
    )


# ---------------------------------------------------------------- 2: the widening gap


def _widening(methods: Sequence[MethodAnswers]) -> PaperClaim:
    free = [method for method in methods if method.facts.kind != FINE_TUNED]
    dated = [method for method in free if method.facts.released]
    bases = [method for method in dated if method.facts.kind == BASE]
    tests = [
        _trend("with strength, not fine-tuned", [(m.strength, m.gap) for m in free]),
        _trend("with strength, all", [(m.strength, m.gap) for m in methods]),
        _trend("over time, not fine-tuned", [(month_of(m.facts.released), m.gap) for m in dated]),
        _trend("over time, base models", [(month_of(m.facts.released), m.gap) for m in bases]),
    ]
    return PaperClaim(
        key="widening_gap",
        claim="The gap between ROSE and EX grows as methods get stronger.",
        answer=_answered(tests),
        tests=tuple(tests),
    )


def month_of(released: str) -> float:
    """``yyyy-mm`` as a number of months."""
    year, month = released.split("-")
    return 12 * int(year) + int(month)


def _trend(name: str, points: Sequence[tuple[float, float]]) -> Measured:
    from scipy.stats import kendalltau

    method = "Kendall's rank test; strength is the mean of EX and ROSE"
    value = p = None
    if len({x for x, _ in points}) > 2:
        found = kendalltau(*zip(*points, strict=True))
        value, p = float(found.statistic), float(found.pvalue)
    return Measured(name=name, statistic="τ", value=value, p=p, n=len(points), method=method)


# ---------------------------------------------------------------- 3: what the gap is made of


@dataclass(frozen=True, slots=True)
class _MethodAnswer:
    """One method's answer to one question, as judged by both metrics."""

    diverges: bool
    """ROSE accepts it, EX does not."""
    agrees: bool
    """Both accept it."""
    refused: bool
    """EX accepts it, ROSE does not."""
    labels: frozenset[str]


def _divergence(methods: Sequence[MethodAnswers], draw: _Draw) -> PaperClaim:
    """Do labels of faults explain where ROSE accepts what EX rejects?

    All methods answer the same questions, so questions are resampled, not answers.
    """
    answers: dict[str, list[_MethodAnswer]] = defaultdict(list)
    for method in methods:
        for key, (ex, rose) in method.pairs.items():
            answers[key].append(_answer(ex, rose))
    groups = list(answers.values())
    share = _label_share("gold_fault", "ambiguous_question", "ambiguous_schema")
    excess = "labelled, divergent minus agreeing"
    tests = [
        _resampled(excess, "difference", groups, lambda g: share(g, "diverges", "agrees"), draw),
        *(
            _resampled(f"divergent with {name}", "share", groups, _one(labels), draw)
            for name, labels in (
                ("GoldX or AmbQ", ("gold_fault", "ambiguous_question", "ambiguous_schema")),
                ("GoldX", ("gold_fault",)),
                ("AmbQ", ("ambiguous_question", "ambiguous_schema")),
            )
        ),
        _resampled("of the net gap on labelled answers", "share", groups, _gap_share, draw),
    ]
    return PaperClaim(
        key="divergence",
        claim="The divergence stems largely from faults of the benchmark.",
        answer=_answered(tests),
        tests=tuple(tests),
    )


def _answer(ex: RecordedJudgement, rose: RecordedJudgement) -> _MethodAnswer:
    said = is_right(ex), is_right(rose)
    return _MethodAnswer(
        diverges=said == (False, True),
        agrees=said == (True, True),
        refused=said == (True, False),
        labels=frozenset(rose.labels),
    )


_Counts = Sequence[int]


def _label_share(*labels: str) -> Callable[..., _Counts]:
    wanted = frozenset(labels)

    def count(group: Sequence[_MethodAnswer], kind: str, other: str = "") -> _Counts:
        """(labelled, all) of one kind of answers, minus the same of another kind."""
        counts = []
        for name in filter(None, (kind, other)):
            chosen = [answer for answer in group if getattr(answer, name)]
            counts += [sum(bool(answer.labels & wanted) for answer in chosen), len(chosen)]
        return counts

    return count


def _one(labels: Sequence[str]) -> Callable[[Sequence[_MethodAnswer]], _Counts]:
    share = _label_share(*labels)
    return lambda group: share(group, "diverges")


def _gap_share(group: Sequence[_MethodAnswer]) -> _Counts:
    net = [(answer.diverges - answer.refused, bool(answer.labels)) for answer in group]
    return sum(step for step, labelled in net if labelled), sum(step for step, _ in net)


def _resampled(
    name: str,
    statistic: str,
    groups: Sequence[Sequence[_MethodAnswer]],
    count: Callable[[Sequence[_MethodAnswer]], _Counts],
    draw: _Draw,
) -> Measured:
    """A ratio of sums over questions, or a difference of two, with questions resampled."""
    import numpy as np

    table = np.array([count(group) for group in groups], dtype=float)
    weights = draw.generator().multinomial(
        len(groups), np.full(len(groups), 1 / len(groups)), size=draw.resamples
    )
    found, drawn = _ratio(table.sum(0)), _ratio(weights @ table)
    defined = drawn[~np.isnan(drawn)]
    value = None if np.isnan(found) else float(found)
    below = int((defined <= 0).sum())
    tail = (1 + min(below, len(defined) - below)) / (1 + len(defined))
    return Measured(
        name=name,
        statistic=statistic,
        value=value,
        interval=draw.percentiles(defined) if value is not None and len(defined) else None,
        p=min(1.0, 2 * tail) if statistic == "difference" and value is not None else None,
        n=int(table.sum(0)[1]),
        method="bootstrap over questions",
    )


def _ratio(sums: Any) -> Any:
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        share = sums[..., 0] / sums[..., 1]
        return share - sums[..., 2] / sums[..., 3] if sums.shape[-1] == 4 else share


# ---------------------------------------------------------------- 4: fine-tuning


def _fine_tuning(methods: Sequence[MethodAnswers], draw: _Draw) -> PaperClaim:
    tuned = [method.facts.kind == FINE_TUNED for method in methods]
    gaps = [method.gap for method in methods]
    tests = [
        _difference("gap, fine-tuned minus others", gaps, tuned, draw),
        _difference(
            "the same at equal strength",
            _residuals([method.strength for method in methods], gaps),
            tuned,
            draw,
        ),
    ]
    return PaperClaim(
        key="fine_tuning",
        claim="Fine-tuning narrows the gap.",
        answer=_answered(tests, positive=False),
        tests=tuple(tests),
    )


def _difference(
    name: str, values: Sequence[float], chosen: Sequence[bool], draw: _Draw
) -> Measured:
    size = sum(chosen)
    if not 0 < size < len(values):
        return Measured(name=name, statistic="difference", value=None, n=len(values), method="")
    found = _mean_difference(values, [i for i, is_in in enumerate(chosen) if is_in])
    exact = comb(len(values), size) <= _EXACT
    drawn = [
        _mean_difference(values, group)
        for group in (
            combinations(range(len(values)), size) if exact else _groups(len(values), size, draw)
        )
    ]
    extreme = sum(abs(value) >= abs(found) - 1e-12 for value in drawn)
    p = extreme / len(drawn) if exact else (1 + extreme) / (1 + len(drawn))
    return Measured(
        name=name,
        statistic="difference",
        value=found,
        p=p,
        n=len(values),
        method="exact permutation of methods" if exact else "permutation of methods",
    )


def _groups(n: int, size: int, draw: _Draw) -> Iterable[Sequence[int]]:
    generator = draw.generator()
    return (generator.permutation(n)[:size].tolist() for _ in range(draw.resamples))


def _mean_difference(values: Sequence[float], group: Sequence[int]) -> float:
    inside = sum(values[i] for i in group)
    return inside / len(group) - (sum(values) - inside) / (len(values) - len(group))


def _residuals(x: Sequence[float], y: Sequence[float]) -> list[float]:
    """The residuals of a straight line through all methods (Freedman & Lane 1983)."""
    import numpy as np

    design = np.stack([np.ones(len(x)), np.array(x)], axis=1)
    line, *_ = np.linalg.lstsq(design, np.array(y), rcond=None)
    return [float(value) for value in np.array(y) - design @ line]
