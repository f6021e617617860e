"""What commands that judge share: how cases are read, where a run lies, what it is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sqljury.settings import Input, ModelCalls, Running, Sources

if TYPE_CHECKING:
    from sqljury.api.inputs import RunKeywords
    from sqljury.benchmarks import Cases
    from sqljury.llm import ClientSettings

_AS_TYPED = frozenset({"predictions"})
"""Fields that are part of a run's folder in another way: by the content of their files."""


def read(files: Iterable[Path], reading: Input, *, overlay: bool = False) -> Cases:
    """The cases of some files; what is odd about them goes to stderr.

    Args:
        overlay: lay the corrections over the references; a run does so itself.
    """
    from sqljury.benchmarks import read_cases

    found = read_cases(
        list(files),
        predictions=reading.predictions or None,
        format=reading.format,
        mapping=mapping_of(reading),
        strip_fences=reading.strip_fences,
        overlay=(reading.overlay or None) if overlay else None,
    )
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    return found


def mapping_of(reading: Input) -> Mapping[str, str] | None:
    """The names of keys that ``--map`` gives; None where it is not given."""
    from sqljury.benchmarks import parse_mapping

    return parse_mapping(reading.map) if reading.map else None


def run_folder(
    files: Iterable[Path], running: Running, sources: Sources, reading: Input, **own: Any
) -> Path:
    """The folder of a run; the same command has the same one, where none is named.

    Args:
        own: what else two runs over the same files may differ in.
    """
    from sqljury.api.evaluation import default_run

    if running.run is not None:
        return running.run
    typed = {
        one.name: getattr(value, one.name)
        for value in (sources, reading)
        for one in fields(value)
        if one.name not in _AS_TYPED and getattr(value, one.name) != one.default
    }
    told = {name: value for name, value in own.items() if value}
    return default_run([*files, *reading.predictions], {**typed, **told})


def run_keywords(
    sources: Sources,
    running: Running | None = None,
    reading: Input | None = None,
    asking: ClientSettings | None = None,
) -> RunKeywords:
    """What a run is told, as functions of Python take it; the databases aside."""
    running, reading = running or Running(), reading or Input()
    return {
        "schemas": sources.schemas,
        "descriptions": sources.descriptions,
        "suites": sources.suites,
        "limits": running.limits,
        "workers": running.workers,
        "executor": running.executor,
        "overlay": reading.overlay or None,
        "llm": asking,
    }


def client(asking: ModelCalls, ledger: Path) -> ClientSettings:
    """How chat models are asked; answers are kept in ``ledger`` unless another is named."""
    from sqljury.llm import ClientSettings

    return ClientSettings(
        ledger=str(asking.replay or asking.ledger or ledger),
        replay=asking.replay is not None,
        max_cost=asking.max_cost,
        concurrency=asking.concurrency,
        requests_per_minute=asking.requests_per_minute,
        tokens_per_minute=asking.tokens_per_minute,
        prices=None if asking.prices is None else str(asking.prices),
    )
