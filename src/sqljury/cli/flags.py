"""Options that belong together, as one value of a command.

A command that takes such a value shows its fields as options: what belongs together is declared,
and explained, once. Settings of rooms that know nothing of the command line say in words what a
field is, ``Annotated[int, "Pairs at once."]``, and, where the option is not called like the field,
its name. Fields of a value within a value have its name before theirs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

from sqljury.cli.options import (
    Concurrency,
    Databases,
    Descriptions,
    Executor,
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
    executor: Executor = "local"
    limit_seconds: LimitSeconds = 30.0

    @property
    def limits(self) -> Limits:
        """What one query may use."""
        from sqljury.execution import Limits

        return Limits(seconds=self.limit_seconds)

    @property
    def keywords(self) -> RunKeywords:
        """As functions of `api` take them, the folder aside."""
        return {"limits": self.limits, "workers": self.workers, "executor": self.executor}


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
        values = {name: _value(kind, given, "") for name, kind in groups.items()}
        command(**given, **values)

    known = inspect.signature(command).parameters.values()
    parameters = [one for parameter in known for one in _parameters(parameter, kinds)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    del run.__wrapped__
    return cast("F", run)


def _value(kind: Any, given: dict[str, Any], before: str) -> Any:
    """The value that the options make; what is taken is removed from ``given``."""
    hints = get_type_hints(kind)
    found = {}
    for one in fields(kind):
        name, hint = f"{before}{one.name}", hints[one.name]
        if is_dataclass(hint):
            found[one.name] = _value(hint, given, f"{name}_")
        else:
            said = given.pop(name)
            found[one.name] = tuple(said.split(",")) if get_origin(hint) is tuple else said
    return kind(**found)


def _parameters(parameter: inspect.Parameter, kinds: dict[str, Any]) -> Iterator[inspect.Parameter]:
    kind = kinds[parameter.name]
    if is_dataclass(kind):
        yield from _options(kind, "")
    else:
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kind)


def _options(kind: Any, before: str) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        name, hint = f"{before}{one.name}", hints[one.name]
        if is_dataclass(hint):
            yield from _options(hint, f"{name}_")
            continue
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=",".join(one.default) if isinstance(one.default, tuple) else one.default,
            annotation=_as_option(hint),
        )


def _as_option(hint: Any) -> Any:
    """A field that is explained in words as typer takes it; a field of ours as it is."""
    if get_origin(hint) is not Annotated or not isinstance(hint.__metadata__[0], str):
        return hint
    plain, (explained, *names) = get_args(hint)[0], hint.__metadata__
    # One of several words, or some of them: settings say themselves which there are.
    kind = str if get_origin(plain) in (Literal, tuple) else plain
    return Annotated[kind, typer.Option(*names, help=explained)]
