"""The tables of ROSE's paper from recordings: metrics and backbones against the experts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sqljury.benchmarks import RecordedJudgement, find_rose_outputs, read_cases, read_rose_output
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.reports import plots, words
from sqljury.reports.document import Lane, Lanes, ReportDocument, ReportSection, ReportTable
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.signature import signed
from sqljury.uses.agree.agreement import Figures, JudgeAgreement, agree
from sqljury.uses.agree.document import estimate, statistic, statistic_name
from sqljury.uses.agree.stability import Stability, stability, stability_section
from sqljury.uses.statistics import PairedCounts, holm
from sqljury.verdict import Scored
from sqljury.writing import PathLike

# ---------------------------------------------------------------- rose vec

METRIC = "ROSE"
"""The metric that the others are compared with."""
NO_MODEL = "decisive"
"""The folder of metrics without a model."""

_METRICS = ("EM", "ETM", "EX", "llmsolver", "FLEX", "ProverOnly", METRIC)
_MODELS = (NO_MODEL, "o3", "gemini-2.5-pro", "deepseek-r1")
_SHORT_MODELS = {"gemini": "gemini-2.5-pro"}
_THREADS = re.compile(r"(.+)-thread-\d+")

ABLATIONS = {
    "ProverOnly": "Prover only",
    "pr-wogt": "unified, no reference",
    "pr": "unified",
    "wogt": "ROSE, no reference",
    "rose-wogt": "ROSE, no reference",
    METRIC: "ROSE",
}
"""The contents of the folders of the paper's ablation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One metric on one set, as recorded."""

    folders: tuple[str, ...]
    """The last folders of its path: ``("rose-vec", "rose-vec-bird", "o3", "ROSE")``."""
    judgements: Mapping[str, RecordedJudgement]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One metric of one backbone: pooled, and on each set."""

    model: str
    metric: str
    figures: JudgeAgreement
    complete: bool
    """True if it was recorded on every set; only then does the pooled figure include them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """A metric against ROSE of the same model, on the cases that both judged (McNemar)."""

    model: str
    metric: str
    other: str
    n: int
    only_metric: int
    """The number of cases that only ``metric`` judges right."""
    only_other: int
    p: float
    p_holm: float
    """The p-value, adjusted over the comparisons of one table (Holm)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoseVec:
    """The result that `paper rose-vec` prints. Fractions; None if undefined."""

    sets: tuple[str, ...]
    metrics: tuple[MetricRow, ...]
    comparisons: tuple[MetricComparison, ...]
    ablations: tuple[MetricRow, ...]
    ablation_comparisons: tuple[MetricComparison, ...]
    stability: tuple[Stability, ...]
    notes: tuple[str, ...]
    """Faults of the recordings."""
    resamples: int
    seed: int
    confidence: float

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return asdict(self)


def rose_vec(
    recordings: Iterable[Recording],
    sets: Mapping[str, Iterable[Case]],
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> RoseVec:
    """Compares every recorded metric with the experts' labels.

    Args:
        recordings: in any order; a recording belongs to the set with its questions and predictions,
            whatever its folder is named.
        sets: the labelled cases of each set, by its name.
        bootstrap: resamples for the intervals; 0 for none.

    Raises:
        InputError: SJ521: a recording belongs to none of the sets; SJ522: two recordings of the
            same.
    """
    experts = {name: {case.id: case for case in cases} for name, cases in sets.items()}
    table = _Table(experts, bootstrap, seed, confidence)
    for recording in recordings:
        table.add(recording)
    metrics, ablations = table.main_rows(), table.ablation_rows()
    return RoseVec(
        sets=tuple(experts),
        metrics=metrics,
        comparisons=table.comparisons(metrics),
        ablations=ablations,
        ablation_comparisons=table.comparisons(ablations),
        stability=table.stabilities(),
        notes=table.notes,
        resamples=bootstrap,
        seed=seed,
        confidence=confidence,
    )


_Place = tuple[str, str]
"""Model and metric."""


class _Table:
    """Scores by model, metric and set."""

    def __init__(
        self,
        experts: Mapping[str, Mapping[str, Case]],
        bootstrap: int,
        seed: int,
        confidence: float,
    ) -> None:
        self._experts = experts
        self._bootstrap, self._seed, self._confidence = bootstrap, seed, confidence
        self._main: dict[_Place, dict[str, list[Scored]]] = {}
        self._ablation: dict[_Place, dict[str, list[Scored]]] = {}
        self._problems: dict[str, list[str]] = {}

    # --- in

    def add(self, recording: Recording) -> None:
        """Stores a recording under its set, model and metric."""
        name = "/".join(recording.folders)
        benchmark = self._set_of(recording, name)
        model, metric = ("", "", *recording.folders)[-2:]
        is_ablation = metric in ABLATIONS and metric not in _METRICS
        place = (_SHORT_MODELS.get(model, model), metric)
        found = (self._ablation if is_ablation else self._main).setdefault(place, {})
        if benchmark in found:
            raise InputError(
                "SJ522", f"{name} is a second recording of this model and metric on {benchmark}."
            )
        experts = self._experts[benchmark]
        self._note(name, recording.judgements, experts)
        found[benchmark] = [
            Scored(id=key, score=found.score, label=experts[key].label, benchmark=benchmark)
            for key, found in recording.judgements.items()
            if key in experts
        ]

    def _set_of(self, recording: Recording, name: str) -> str:
        shares = {
            benchmark: sum(_is_same(found.case, experts.get(key)) for key, found in rows.items())
            for benchmark, experts in self._experts.items()
            for rows in [recording.judgements]
        }
        best = max(shares, key=shares.__getitem__, default=None)
        if best is None or 2 * shares[best] <= len(recording.judgements):
            raise InputError(
                "SJ521",
                f"its questions and predictions match none of {', '.join(shares)}.",
                where=name,
                hint="Give the files with the labels that the recordings are of: --labels FILE.",
            )
        return best

    def _note(
        self, name: str, found: Mapping[str, RecordedJudgement], experts: Mapping[str, Case]
    ) -> None:
        shared = [(row, experts[key]) for key, row in found.items() if key in experts]
        for what, is_so in _PROBLEMS.items():
            if n := sum(is_so(row, case) for row, case in shared):
                self._problems.setdefault(what, []).append(f"{name} ({n} of {len(shared)})")
        for what, n in (
            ("No label", len(found) - len(shared)),
            ("Cases that were not recorded", len(experts) - len(shared)),
        ):
            if n:
                self._problems.setdefault(what, []).append(f"{name} ({n})")

    @property
    def notes(self) -> tuple[str, ...]:
        """One line per fault, with the recordings that have it."""
        return tuple(f"{what}: {', '.join(names)}." for what, names in self._problems.items())

    # --- out

    def main_rows(self) -> tuple[MetricRow, ...]:
        """The paper's main table; repeated runs are in the stability table."""
        places = [place for place in self._main if not _THREADS.fullmatch(place[1])]
        return self._rows({place: self._main[place] for place in places}, _METRICS, self._experts)

    def ablation_rows(self) -> tuple[MetricRow, ...]:
        """The ablation, with the Prover alone and all of ROSE on the same sets."""
        if not self._ablation:
            return ()
        recorded = [name for name in self._experts if _any_has(self._ablation, name)]
        models = {model for model, _ in self._ablation}
        beside = {place: rows for place, rows in self._main.items() if place[0] in models}
        chosen = {
            place: {name: rows[name] for name in recorded if name in rows}
            for place, rows in {**beside, **self._ablation}.items()
            if place[1] in ABLATIONS
        }
        return self._rows(chosen, tuple(ABLATIONS), recorded)

    def _rows(
        self,
        chosen: Mapping[_Place, Mapping[str, list[Scored]]],
        metrics: Sequence[str],
        sets: Iterable[str],
    ) -> tuple[MetricRow, ...]:
        inputs = {
            "/".join(place): [row for name in sets for row in chosen[place].get(name, ())]
            for place in sorted(chosen, key=lambda place: _order(place, metrics))
        }
        found = agree(
            inputs, bootstrap=self._bootstrap, seed=self._seed, confidence=self._confidence
        )
        return tuple(
            MetricRow(
                model=judge.name.partition("/")[0],
                metric=judge.name.partition("/")[2],
                figures=judge,
                complete=len(judge.by_benchmark) == len(list(sets)),
            )
            for judge in found.judges
        )

    def comparisons(self, rows: Sequence[MetricRow]) -> tuple[MetricComparison, ...]:
        """Each metric of the rows against ROSE of the same model; those without a model against
        ROSE of every model."""
        models = [row.model for row in rows if row.metric == METRIC]
        pairs = [
            (model, row)
            for row in rows
            for model in models
            if row.metric != METRIC and row.model in (model, NO_MODEL)
        ]
        compared = [
            self._compared(model, row, [part.value for part in row.figures.by_benchmark])
            for model, row in pairs
        ]
        adjusted = holm([found.p for found in compared])
        return tuple(replace(found, p_holm=p) for found, p in zip(compared, adjusted, strict=True))

    def _compared(self, model: str, row: MetricRow, sets: Sequence[str]) -> MetricComparison:
        """One comparison, not yet adjusted for the others."""
        both = self._scored((row.model, row.metric), sets), self._scored((model, METRIC), sets)
        right = PairedCounts.of(
            (row.is_right, both[1][key].is_right) for key, row in both[0].items() if key in both[1]
        )
        return MetricComparison(
            model=model,
            metric=row.metric,
            other=METRIC,
            n=right.n,
            only_metric=right.only_first,
            only_other=right.only_second,
            p=right.p,
            p_holm=right.p,
        )

    def _scored(self, place: _Place, sets: Sequence[str]) -> dict[tuple[str, str], Scored]:
        found = self._ablation.get(place) or self._main[place]
        return {(name, row.id): row for name in sets for row in found.get(name, ())}

    def stabilities(self) -> tuple[Stability, ...]:
        """Metrics that were recorded several times (``ROSE-thread-4``)."""
        groups: dict[tuple[str, str, str], dict[str, list[Scored]]] = {}
        for model, metric in sorted(self._main, key=lambda place: _order(place, _METRICS)):
            threads = _THREADS.fullmatch(metric)
            for name, rows in self._main[model, metric].items():
                group = (model, threads[1] if threads else metric, name)
                groups.setdefault(group, {})[metric] = rows
        return tuple(
            stability("/".join(group), runs) for group, runs in groups.items() if len(runs) > 1
        )


_PROBLEMS: Mapping[str, Callable[[RecordedJudgement, Case], bool]] = {
    "Labels that are not the experts', which count": lambda row, case: (
        row.case.label not in (None, case.label)
    ),
    "Judged on another prediction": lambda row, case: not _is_same(row.case, case),
    "Judged on another reference": lambda row, case: row.case.reference_sqls != case.reference_sqls,
    "No score": lambda row, _: row.score is None,
    "Failed, and counts as no": lambda row, _: any(
        text.startswith("error:") for text in row.problems
    ),
    "Several rows of a stage, of which the one that eval_results confirms counts": (
        lambda row, _: any(" rows of the " in text for text in row.problems)
    ),
}


def _any_has(table: Mapping[_Place, Mapping[str, list[Scored]]], name: str) -> bool:
    return any(name in sets for sets in table.values())


def _is_same(found: Case, expert: Case | None) -> bool:
    return expert is not None and found.predicted_sql == expert.predicted_sql


def _order(place: _Place, metrics: Sequence[str]) -> tuple[int, str, int, str]:
    """The paper's order; metrics that it does not have come last."""
    model, metric = place
    return (_index(_MODELS, model), model, _index(metrics, metric), metric)


def _index(known: Sequence[str], name: str) -> int:
    return known.index(name) if name in known else len(known)


# ---------------------------------------------------------------- from folders


def read_rose_vec(
    folder: PathLike, *, labels: Sequence[PathLike] = (), bootstrap: int = 1000, seed: int = 0
) -> RoseVec:
    """The tables of ROSE's paper, from a tree of its output folders.

    Args:
        labels: the files with the experts' labels, one per set; by default ``rose-vec-*.json`` in
            the folder or in one above it.
        bootstrap: resamples for the intervals; 0 for none.

    Raises:
        InputError: there are no recordings, no labels, or the recordings are of other cases.
    """
    recordings = (
        # The set, the model and the metric, at whatever level of the tree the folder begins.
        Recording(folders=run.folder.resolve().parts[-3:], judgements=read_rose_output(run.folder))
        for run in find_rose_outputs(folder)
    )
    files = [Path(file) for file in labels] or _label_files(Path(folder))
    sets = {path.name.split(".")[0]: list(read_cases(path, strip_fences=False)) for path in files}
    return rose_vec(recordings, sets, bootstrap=bootstrap, seed=seed)


def _label_files(folder: Path) -> list[Path]:
    for place in (folder, *folder.resolve().parents[:3]):
        found = sorted(path for path in place.glob("rose-vec-*.json*") if path.is_file())
        if found:
            return found
    raise InputError(
        "SJ521",
        "no rose-vec-*.json with the experts' labels beside the recordings.",
        where=str(folder),
        hint="Name them with --labels FILE, once for each set.",
    )


# ---------------------------------------------------------------- rose vec document
#
# `rose-vec` as a document: the tables of ROSE's paper, with plots of κ.


_STATISTICS = ("kappa", "interval", "accuracy", "mcc", "f1")
"""The paper's columns, and the confidence interval of κ."""


def rose_vec_document(found: RoseVec, *, title: str = "ROSE-VEC") -> ReportDocument:
    """The paper's tables: metrics and models with intervals, ablations, repeated runs."""
    return ReportDocument(
        title=title,
        lead=f"{len(found.metrics)} recorded metrics against the experts' labels of "
        f"{' and '.join(found.sets)}, with {100 * found.confidence:g} % intervals.",
        sections=list(_sections(found)),
        notes=found.notes,
        signature=_signature(found),
    )


def _sections(found: RoseVec) -> Iterator[ReportSection]:
    for name in (*found.sets, "pooled"):
        yield _agreement(found, name)
    if found.ablations:
        yield ReportSection(
            title="Ablations",
            blocks=[
                _kappas(found.ablations, ""),
                _metrics(found.ablations, "", found.confidence),
                _comparisons("Against ROSE of the same model", found.ablation_comparisons),
            ],
        )
    yield from map(stability_section, found.stability)
    yield ReportSection(
        title="Metrics against ROSE of the same model",
        blocks=[_comparisons("McNemar's exact test, two-sided", found.comparisons)],
    )


def _signature(found: RoseVec) -> str:
    """How the figures were computed, on one line."""
    return signed(
        "rose-vec",
        ("sets", "+".join(found.sets)),
        ("labels", "of the sets"),
        ("bootstrap", found.resamples),
        ("seed", found.seed),
        ("confidence", f"{found.confidence:g}"),
    )


def _agreement(found: RoseVec, name: str) -> ReportSection:
    return ReportSection(
        title="All sets pooled" if name == "pooled" else name,
        blocks=[_kappas(found.metrics, name), _metrics(found.metrics, name, found.confidence)],
    )


def _figures(rows: Iterable[MetricRow], name: str) -> list[tuple[MetricRow, Figures]]:
    """Figures of one set, of all sets (``pooled``: complete metrics only), or of whatever was
    recorded ("")."""
    parts = [(row, {part.value: part for part in row.figures.by_benchmark}) for row in rows]
    if name == "pooled":
        return [(row, row.figures) for row, _ in parts if row.complete]
    found = ((row, known.get(name) if name else row.figures) for row, known in parts)
    return [(row, figures) for row, figures in found if figures is not None]


def _metrics(rows: Iterable[MetricRow], name: str, confidence: float) -> ReportTable:
    columns = ("n", *_STATISTICS)
    return ReportTable(
        caption="In percent",
        heads=["model", "metric", *(statistic_name(c, confidence) for c in columns)],
        rows=[
            [row.model, _called(row), *(statistic(figures, column) for column in columns)]
            for row, figures in _figures(rows, name)
        ],
        texts=2,
    )


def _called(row: MetricRow | MetricComparison) -> str:
    return ABLATIONS.get(row.metric, row.metric)


def _kappas(rows: Sequence[MetricRow], name: str) -> Lanes:
    """A line per metric, under a heading per model."""
    models = list(dict.fromkeys(row.model for row in rows))
    points = [
        (
            row,
            PlotPoint(
                f"{row.model} {row.metric}", one.value, one.low, one.high, models.index(row.model)
            ),
        )
        for row, figures in _figures(rows, name)
        for one in [estimate(figures)]
    ]
    axis = Axis.around(end for _, p in points for end in (p.value, p.low, p.high))
    lanes = [
        Lane(
            head=row.model if i == 0 or points[i - 1][0].model != row.model else "",
            name=_called(row),
            plot=plots.dots([point], axis),
            value=words.percent(point.value, 2),
        )
        for i, (row, point) in enumerate(points)
    ]
    return Lanes(caption="Cohen's κ in percent", lanes=lanes, axis=plots.axis_labels(axis))


def _comparisons(caption: str, rows: Sequence[MetricComparison]) -> ReportTable:
    """Metrics against ROSE, model by model."""
    models = [row.model for row in rows]
    cells = [
        [
            row.model,
            _called(row),
            *map(words.count, (row.n, row.only_metric, row.only_other)),
            *map(words.p_value, (row.p, row.p_holm)),
        ]
        for row in sorted(rows, key=lambda row: models.index(row.model))
    ]
    heads = ["model", "metric", "n", "only metric\nright", "only ROSE\nright", "p", "Holm"]
    return ReportTable(caption=caption, heads=heads, rows=cells, texts=2)
