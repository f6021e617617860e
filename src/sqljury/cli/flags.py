"""Options that belong together, as one value of a command.

A command that takes such a value shows its fields as options: what belongs together is declared,
and explained, once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_type_hints

from sqljury.cli.options import (
    Concurrency,
    Databases,
    Descriptions,
    Ledger,
    LimitSeconds,
    MaxCost,
    Replay,
    Run,
    Schemas,
    Suites,
    Workers,
)

if TYPE_CHECKING:
    from sqljury.api.inputs import RunKeywords
    from sqljury.execution import Limits
    from sqljury.llm import ClientSettings

F = TypeVar("F", bound=Callable[..., None])


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFlags:
    """Where schemas come from."""

    databases: Databases = None
    schemas: Schemas = None

    @property
    def keywords(self) -> RunKeywords:
        """As functions of `api` take them, the databases aside."""
        return {"schemas": self.schemas}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFlags(SchemaFlags):
    """Where all that judges look at comes from."""

    descriptions: Descriptions = None
    suites: Suites = None

    @property
    def keywords(self) -> RunKeywords:
        """As functions of `api` take them, the databases aside."""
        return {
            "schemas": self.schemas,
            "descriptions": self.descriptions,
            "suites": self.suites,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFlags:
    """Where a run is kept, and how it is executed."""

    run: Run = None
    workers: Workers = None
    limit_seconds: LimitSeconds = 30.0

    @property
    def limits(self) -> Limits:
        """What one query may use."""
        from sqljury.execution import Limits

        return Limits(seconds=self.limit_seconds)

    @property
    def keywords(self) -> RunKeywords:
        """As functions of `api` take them, the folder aside."""
        return {"limits": self.limits, "workers": self.workers}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFlags:
    """How chat models are asked."""

    ledger: Ledger = None
    replay: Replay = None
    max_cost: MaxCost = None

    @property
    def are_given(self) -> bool:
        """Whether any was."""
        return bool(self.ledger or self.replay or self.max_cost is not None)

    def settings(self, ledger: Path, **more: Any) -> ClientSettings:
        """What chat models are asked by; answers are kept in ``ledger`` unless another is named."""
        from sqljury.llm import ClientSettings

        return ClientSettings(
            ledger=str(self.replay or self.ledger or ledger),
            replay=self.replay is not None,
            max_cost=self.max_cost,
            **more,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentModelFlags(ModelFlags):
    """How chat models are asked by commands that ask much."""

    concurrency: Concurrency = 8

    def settings(self, ledger: Path, **more: Any) -> ClientSettings:
        """As :meth:`ModelFlags.settings`."""
        return ModelFlags.settings(self, ledger, concurrency=self.concurrency, **more)


def with_flags(command: F) -> F:
    """Decorator: parameters that are such values become one option for each of their fields."""
    kinds = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}

    @functools.wraps(command)
    def run(**given: Any) -> None:
        values = {
            name: kind(**{one.name: given.pop(one.name) for one in fields(kind)})
            for name, kind in groups.items()
        }
        command(**given, **values)

    known = inspect.signature(command).parameters.values()
    parameters = [one for parameter in known for one in _options(parameter, kinds)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    del run.__wrapped__
    return cast("F", run)


def _options(parameter: inspect.Parameter, kinds: dict[str, Any]) -> Iterator[inspect.Parameter]:
    kind = kinds[parameter.name]
    keyword = inspect.Parameter.KEYWORD_ONLY
    if not is_dataclass(kind):
        yield parameter.replace(kind=keyword, annotation=kind)
        return
    annotations = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        annotation = annotations[one.name]
        yield inspect.Parameter(one.name, keyword, default=one.default, annotation=annotation)
