"""What commands that judge share: reading cases, the run's folder, and the run's settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.cli.streams import echo
from sqljury.settings import Input, ModelCalls, Running, Sources

if TYPE_CHECKING:
    from sqljury.benchmarks import Cases
    from sqljury.llm import ClientSettings
    from sqljury.uses.inputs import RunKeywords

_AS_TYPED = frozenset({"predictions"})
"""Fields left out of the folder's digest: it covers the content of their files instead."""


def read(files: Iterable[Path], reading: Input, *, overlay: bool = False) -> Cases:
    """The cases of some files; warnings about the files are printed to stderr.

    Args:
        overlay: replace references by their corrections here; not for runs, which do it themselves.
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
        echo(f"warning: {warning}", err=True)
    return found


def mapping_of(reading: Input) -> Mapping[str, str] | None:
    """The key names that ``--map`` gives; None without it."""
    from sqljury.benchmarks import parse_mapping

    return parse_mapping(reading.map) if reading.map else None


def run_folder(
    files: Iterable[Path], running: Running, sources: Sources, reading: Input, **own: Any
) -> Path:
    """The folder of a run: the one named by ``--run``, else one that the same command gets again.

    Args:
        own: other options of the command that change the run; they change the folder's name too.
    """
    from sqljury.uses.evaluate.evaluation import default_run

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
    """The keyword arguments for :func:`sqljury.evaluate` and its like, without the databases."""
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
    """The chat client's settings; answers go into ``ledger`` unless an option names another."""
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
