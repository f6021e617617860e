"""Recorded methods: EX and ROSE of each, and how far apart they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import NormalDist

from sqljury.benchmarks import RecordedJudgement
from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.papers.findings import MethodAnswers, PaperClaim, findings, is_right
from sqljury.papers.recorded_methods import RecordedMethod, read_rose_methods
from sqljury.uses.evaluate.summary import widened
from sqljury.uses.statistics import Interval, PairedCounts, wilson_interval
from sqljury.writing import PathLike

_DIFFICULTIES = ("simple", "easy", "medium", "moderate", "hard", "challenging", "extra")


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodFigures:
    """EX and ROSE of one method on one set of questions, as fractions."""

    n: int
    ex: float | None
    ex_interval: Interval | None
    rose: float | None
    rose_interval: Interval | None
    gap: float | None
    """ROSE - EX."""
    gap_interval: Interval | None
    only_rose: int
    """The number of questions that only ROSE accepts."""
    only_ex: int
    p: float | None
    """The p-value of McNemar's exact test of the gap."""
    asked: int
    """The number of questions that the Refuter was asked about: only these can have labels."""
    gold_fault: int
    ambiguous_question: int
    ambiguous_schema: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSlice(MethodFigures):
    """The figures for the questions of one difficulty."""

    difficulty: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRow:
    """One method."""

    folder: str
    name: str
    base_model: str
    kind: str
    released: str
    n_ex: int
    n_rose: int
    """``n_ex`` and ``n_rose`` are the rows of the two recordings; ``own`` is over the questions
    that both have."""
    own: MethodFigures
    common: MethodFigures
    """The figures over the questions that all methods share."""
    by_difficulty: tuple[MethodSlice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A published figure that differs from the recordings, in percent."""

    folder: str
    name: str
    figure: str
    published: float
    recorded: float
    n: int
    recorded_of: str
    """The method whose recordings do give it, if there is exactly one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods:
    """The result that `paper methods` prints."""

    methods: tuple[MethodRow, ...]
    n_common: int
    n_smallest: int
    n_largest: int
    """The sizes of the methods' own question sets: the smallest and the largest."""
    findings: tuple[PaperClaim, ...]
    disagreements: tuple[Disagreement, ...]
    n_published: int
    notes: tuple[str, ...]
    confidence: float

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return asdict(self)


def methods(
    recorded: Sequence[RecordedMethod],
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Methods:
    """EX, ROSE and the gap between them, per method, and the paper's findings about them.

    Args:
        resamples: number of resamples in bootstrap and permutation tests.

    Raises:
        InputError: SJ523: there are no methods, or no question that all have.
    """
    both = {method.facts.folder: _both(method) for method in recorded}
    common = _common(both)
    if not common:
        raise InputError("SJ523", f"the {len(both)} methods have no question in common.")
    rows = tuple(_row(method, both[method.facts.folder], common, confidence) for method in recorded)
    sizes = [row.own.n for row in rows]
    disagreements = _disagreements(recorded)
    judged = [
        MethodAnswers(method.facts, {key: both[method.facts.folder][key] for key in common})
        for method in recorded
    ]
    return Methods(
        methods=rows,
        n_common=len(common),
        n_smallest=min(sizes),
        n_largest=max(sizes),
        findings=findings(judged, resamples=resamples, seed=seed, confidence=confidence),
        disagreements=disagreements,
        n_published=sum(len(method.facts.published) for method in recorded),
        notes=_notes(rows, len(common)),
        confidence=confidence,
    )


Pair = tuple[RecordedJudgement, RecordedJudgement]
"""The judgements by EX and ROSE on one question."""


def _both(method: RecordedMethod) -> dict[str, Pair]:
    return {
        key: (ex, rose)
        for key, ex in method.ex.items()
        if (rose := method.rose.get(key)) and ex.score is not None and rose.score is not None
    }


def _common(both: Mapping[str, Mapping[str, Pair]]) -> list[str]:
    first, *others = both.values() or [{}]
    return [key for key in first if all(key in rows for rows in others)]


def _row(
    method: RecordedMethod,
    pairs: Mapping[str, Pair],
    common: Sequence[str],
    confidence: float,
) -> MethodRow:
    facts = method.facts
    by_difficulty: dict[str, list[Pair]] = {}
    for pair in pairs.values():
        by_difficulty.setdefault(pair[1].case.difficulty or "", []).append(pair)
    return MethodRow(
        folder=facts.folder,
        name=facts.name,
        base_model=facts.base_model,
        kind=facts.kind,
        released=facts.released,
        n_ex=len(method.ex),
        n_rose=len(method.rose),
        own=_figures(pairs.values(), confidence),
        common=_figures([pairs[key] for key in common], confidence),
        by_difficulty=tuple(
            widened(MethodSlice, _figures(by_difficulty[name], confidence), difficulty=name)
            for name in sorted(by_difficulty, key=_difficulty)
            if name
        ),
    )


def _difficulty(name: str) -> tuple[int, str]:
    known = name in _DIFFICULTIES
    return (_DIFFICULTIES.index(name) if known else len(_DIFFICULTIES), name)


def _figures(pairs: Collection[Pair], confidence: float) -> MethodFigures:
    n = len(pairs)
    right = PairedCounts.of((is_right(one), is_right(other)) for one, other in pairs)
    ex, rose = right.both + right.only_first, right.both + right.only_second
    labels = [set(other.labels) for _, other in pairs]
    return MethodFigures(
        n=n,
        ex=ex / n if n else None,
        ex_interval=wilson_interval(ex, n, confidence),
        rose=rose / n if n else None,
        rose_interval=wilson_interval(rose, n, confidence),
        gap=(rose - ex) / n if n else None,
        gap_interval=_gap_interval(right.only_second, right.only_first, n, confidence),
        only_rose=right.only_second,
        only_ex=right.only_first,
        p=right.p if n else None,
        asked=sum(other.refuter is not None for _, other in pairs),
        **{
            name: sum(name in given for given in labels)
            for name in ("gold_fault", "ambiguous_question", "ambiguous_schema")
        },
    )


def _gap_interval(only_rose: int, only_ex: int, n: int, confidence: float) -> Interval | None:
    """The confidence interval of the difference of two shares of the same questions.

    Source: Newcombe (1998), Statistics in Medicine 17, method 1 (Wald, paired).
    """
    if not n:
        return None
    gap = (only_rose - only_ex) / n
    deviation = sqrt(max(0.0, (only_rose + only_ex) / n - gap * gap) / n)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * deviation
    return max(-1.0, gap - half), min(1.0, gap + half)


# ---------------------------------------------------------------- published figures


def _disagreements(recorded: Sequence[RecordedMethod]) -> tuple[Disagreement, ...]:
    figures = {method.facts.folder: _recorded(method) for method in recorded}
    names = {method.facts.folder: method.facts.name for method in recorded}
    return tuple(
        Disagreement(
            folder=method.facts.folder,
            name=method.facts.name,
            figure=figure,
            published=published,
            recorded=value,
            n=n,
            recorded_of=_owner(figure, published, figures, names),
        )
        for method in recorded
        for figure, published in method.facts.published.items()
        if figure in figures[method.facts.folder]
        for value, n in [figures[method.facts.folder][figure]]
        if not _is_published(value, published)
    )


def _is_published(value: float, published: float) -> bool:
    """True if the value equals the published one, which was cut or rounded to two digits of a
    fraction."""
    return abs(value - published) < 0.0101


def _owner(
    figure: str,
    published: float,
    figures: Mapping[str, Mapping[str, tuple[float, int]]],
    names: Mapping[str, str],
) -> str:
    owners = [
        names[folder]
        for folder, found in figures.items()
        if figure in found and _is_published(found[figure][0], published)
    ]
    return owners[0] if len(owners) == 1 else ""


def _recorded(method: RecordedMethod) -> dict[str, tuple[float, int]]:
    """``ex``, ``rose``, ``ex_simple``, … in percent, over all rows of each recording."""
    found: dict[str, tuple[float, int]] = {}
    for name, rows in (("ex", method.ex), ("rose", method.rose)):
        groups: dict[str, list[RecordedJudgement]] = {name: list(rows.values())}
        for row in rows.values():
            if row.case.difficulty:
                groups.setdefault(f"{name}_{row.case.difficulty}", []).append(row)
        for figure, group in groups.items():
            found[figure] = (100 * sum(map(is_right, group)) / len(group), len(group))
    return found


def _notes(rows: Iterable[MethodRow], common: int) -> tuple[str, ...]:
    rows = list(rows)
    sizes = sorted(row.own.n for row in rows)
    uneven = [row for row in rows if row.n_ex != row.n_rose]
    return (
        f"The {len(rows)} recordings cover {sizes[0]} to {sizes[-1]} questions and share {common}: "
        "compare methods on those.",
        *(
            f"{row.name} has {row.n_ex} rows of EX and {row.n_rose} of ROSE; the gap is over the "
            f"{row.own.n} that both have."
            for row in uneven
        ),
    )


def read_methods(folder: PathLike, *, seed: int = 0) -> Methods:
    """EX and ROSE of recorded methods, and the four findings about them.

    Raises:
        InputError: there are no recorded methods.
    """
    return methods(read_rose_methods(folder), seed=seed)
