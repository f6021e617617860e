"""A run as trackers of experiments take it: settings, metrics, signatures, a table of cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Final

from sqljury.case import Json
from sqljury.registry import Registry
from sqljury.reports.export import table_of
from sqljury.uses.evaluate.evaluation import Evaluation
from sqljury.uses.evaluate.summary import named_scores


@dataclass(frozen=True)
class TrackedRun:
    """What a tracker gets of a run.

    Args:
        name: the name of the run's folder.
        settings: the judges, the version, the data; texts.
        signatures: how each score was computed, by judge.
        metrics: numbers by their names, such as ``execution:strict/score``; fractions, not percent.
    """

    name: str
    settings: Mapping[str, str]
    signatures: Mapping[str, str]
    metrics: Mapping[str, float]
    _found: Evaluation

    def table(self) -> tuple[Sequence[str], list[list[Json]]]:
        """The columns and rows of the table of cases: those of ``--csv``."""
        return table_of(self._found.records(), self._found.run.own_columns())


TRACKERS: Final[Registry[Callable[[TrackedRun, str, Path], str]]] = Registry(
    "sqljury.guests.trackers", group="sqljury.trackers"
)
"""Trackers by name: functions of a run, a place there, and the report's page. They return where
the run is."""


def tracked_run(found: Evaluation) -> TrackedRun:
    """The run as trackers take it."""
    summary, manifest = found.summary, found.run.manifest
    settings = {
        "judges": ", ".join(judge.name for judge in summary.judges),
        "sqljury": str(manifest.get("sqljury", "")),
        "data": str(manifest.get("data", "")),
        "engines": ", ".join(map(str, _list(manifest.get("engines")))),
        "system": "" if summary.answers is None else summary.answers.system,
    }
    return TrackedRun(
        found.run.folder.resolve().name,
        {name: value for name, value in settings.items() if value},
        {judge.name: judge.signature for judge in summary.judges},
        {name: value for name, value in _metrics(found) if isfinite(value)},
        found,
    )


def _metrics(found: Evaluation) -> Iterator[tuple[str, float]]:
    """Each number of the summary with its name; what is undefined has none."""
    for name, one in named_scores(found.summary):
        bounds = {"score": one.score, "low": one.low, "high": one.high, "n": one.n}
        yield from ((f"{name}/{key}", value) for key, value in bounds.items() if value is not None)
    for judge in found.summary.judges:
        yield f"{judge.name}/left_out", judge.left_out
        yield f"{judge.name}/missing", judge.missing
        yield from ((f"{judge.name}/outcomes/{one}", n) for one, n in judge.outcomes.items())
        yield from ((f"{judge.name}/{one}", value) for one, value in judge.measures.items())
        if judge.cost is not None:
            yield f"{judge.name}/cost", judge.cost.money
    if found.summary.answers is not None:
        figures = asdict(found.summary.answers).items()
        yield from ((f"system/{k}", v) for k, v in figures if isinstance(v, int | float))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
