"""Makes commands whose options are the fields of settings.

A parameter whose type is a dataclass of settings becomes one option for each field, so that an
option is declared and explained once for all commands. ``Annotated[Sources, only("databases")]``
takes some of the fields. A plain parameter is annotated with an :func:`~sqljury.settings.option`.
A field annotated with a help text alone, ``Annotated[int, "Pairs at once."]``, has no option of its
own: ``--set NAME=VALUE`` sets it (:mod:`sqljury.cli.named_settings`). The fields of a dataclass
inside a dataclass get its field name as a prefix.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from sqljury.cli.commands import DECLARED, Declared
from sqljury.cli.named_settings import HELP, NamedSetting, listing, parsed, settings_in
from sqljury.cli.streams import echo
from sqljury.errors import InputError
from sqljury.settings import Argument, Option, PathLike, Shown, option
from sqljury.writing import check_output

if TYPE_CHECKING:
    import typer

F = TypeVar("F", bound=Callable[..., None])

_MANY = 20
"""The help of a command with more options shows the less common ones in panels."""

Out = Annotated[Path, option("File to write.", "--out", "-o", is_written=True)]
Files = Annotated[
    list[Path],
    Argument("Case files, with or without predictions; - reads standard input."),
]
OneWorker = Annotated[int, option("Number of processes.", "--workers", "-w", least=1)]
RunFolder = Annotated[Path, Argument("The folder of a run.")]


@dataclass(frozen=True, slots=True)
class FlagField:
    """One option of a command: its name, type and default.

    ``value`` is the class of settings that has the field; None if the option is a parameter of the
    command itself.
    """

    name: str
    hint: Any
    default: Any
    value: type | None = None

    @property
    def option(self) -> Option | None:
        """Its declaration; None if it is an argument, or declared by typer."""
        return self._said if isinstance(self._said, Option) else None

    @property
    def argument(self) -> Argument | None:
        """Its declaration if it is an argument."""
        return self._said if isinstance(self._said, Argument) else None

    @property
    def _said(self) -> object:
        return get_args(self.hint)[1] if get_origin(self.hint) is Annotated else None

    @property
    def is_list(self) -> bool:
        """True if it may be given several times."""
        return self.option is not None and get_origin(get_args(self.hint)[0]) is tuple

    @property
    def kind(self) -> Any:
        """The type of its value as it is typed; of one value if it may be given several times."""
        plain = get_args(self.hint)[0]
        if self.is_list:
            return get_args(plain)[0]
        said = self.option
        is_path = said is not None and (said.must_exist or plain == PathLike | None)
        return Path | None if is_path else plain

    @property
    def is_required(self) -> bool:
        """True if it has to be typed."""
        return self.default is inspect.Parameter.empty

    @property
    def absent(self) -> Any:
        """The value if it is not typed."""
        default = ",".join(self.default) if isinstance(self.default, tuple) else self.default
        return None if self.is_list and not self.default else default

    def parameter(self, in_panels: bool) -> inspect.Parameter:
        """The parameter from which typer makes the option."""
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=self.absent,
            annotation=self._annotation(in_panels),
        )

    def of(self, given: Any) -> Any:
        """The field's value, made from the value that typer parsed."""
        if self.is_list:
            return tuple(given or ())
        plain = get_args(self.hint)[0] if get_origin(self.hint) is Annotated else self.hint
        if get_origin(plain) is tuple:
            return tuple(given.split(","))
        return str(given) if isinstance(given, Path) and plain == str | None else given

    def _annotation(self, in_panels: bool) -> Any:
        import typer

        if self.hint is TypedWords:
            return typer.Context
        if self.argument is not None:
            given = typer.Argument(help=self.argument.help, file_okay=not self.argument.is_folder)
            return Annotated[self.kind, given]
        said = self.option
        if said is None:
            return self.hint
        kind: Any = list[self.kind] | None if self.is_list else self.kind  # type: ignore[name-defined]
        panel = said.panel if in_panels and said.panel else None
        if self.value is not None and in_panels and not said.is_common:
            panel = re.sub(r"(?<=[a-z])[A-Z]", lambda m: f" {m[0].lower()}", self.value.__name__)
        more: dict[str, Any] = {}
        if said.parse is not None:
            more = {"parser": said.parse, "metavar": "SIZE", "show_default": said.shown}
        return Annotated[
            kind,
            typer.Option(
                *said.names,
                help=said.help,
                min=said.least,
                exists=said.must_exist,
                is_eager=said.is_early,
                rich_help_panel=panel,
                **more,
            ),
        ]


@dataclass(frozen=True, slots=True)
class TypedWords:
    """The options and arguments that were typed, and not taken from a default or a file.

    A command that takes one gets it. ``names`` are the parameters in their order, each with the
    words that may be typed for it: its own name, if it is an argument.
    """

    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, context: typer.Context) -> TypedWords:
        """The parameters of click's context that were typed."""
        sources = (
            (one, context.get_parameter_source(one.name or "")) for one in context.command.params
        )
        return cls(
            {
                one.name or "": tuple(one.opts)
                for one, source in sources
                if source is not None and source.name == "COMMANDLINE"
            }
        )


def command(group: str = "", name: str | None = None, *, hidden: bool = False) -> Callable[[F], F]:
    """Decorator that adds a function to a group as a command, with options for its settings.

    The decorated function itself is returned unchanged.
    """

    def joined(function: F) -> F:
        own = name or function.__name__.replace("_", "-")
        DECLARED.append(Declared(group, own, function, hidden))
        return function

    return joined


def with_flags(function: Callable[..., None]) -> Callable[..., None]:
    """A function for typer, with one parameter for each field of the settings it takes."""
    values, own = _declared(function)
    named = named_settings(function)
    in_panels = sum(map(len, values.values())) + len(own) > _MANY

    def run(**given: Any) -> None:
        context = next((name for name, one in own.items() if one.hint is TypedWords), None)
        if context is not None:
            given[context] = TypedWords.of(given[context])
        call(function, given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        name = parameter.name
        if name in values:
            parameters += [one.parameter(in_panels) for one in values[name]]
        elif name in own:
            parameters.append(own[name].parameter(in_panels))
    if named:
        parameters.append(_set_parameter(named))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.written = function  # type: ignore[attr-defined]
    run.named = named  # type: ignore[attr-defined]
    return run


def call(function: Callable[..., None], given: dict[str, Any]) -> None:
    """Calls a command's function with the settings that were typed.

    Args:
        given: the value of each option and argument by the name of its field, and of ``--set``.

    Raises:
        InputError: an output file cannot be written, or ``--set`` names no setting.
    """
    hints = get_type_hints(function, include_extras=True)
    values, own = _declared(function)
    flat = [one for of_value in values.values() for one in of_value] + list(own.values())
    _check_written(flat, given)
    chosen = parsed(named_settings(function), given.pop(SET, None) or ())
    made = {
        name: _made(_kind(hints[name]), fields_, given, chosen) for name, fields_ in values.items()
    }
    for name, one in own.items():
        if one.option is not None:
            made[name] = one.of(given.pop(name))
    function(**given, **made)


SET: Final = "set"
"""The name of the parameter of ``--set``."""


def named_settings(function: Callable[..., None]) -> dict[str, NamedSetting]:
    """The settings of a command that ``--set`` sets, by name."""
    hints = get_type_hints(function, include_extras=True)
    kinds = (_kind(hints[name]) for name in inspect.signature(function).parameters)
    found = (one for kind in kinds if is_dataclass(kind) for one in settings_in(kind))
    return {one.name: one for one in found}


def _set_parameter(named: Mapping[str, NamedSetting]) -> inspect.Parameter:
    """The parameter from which typer makes ``--set``; ``--set help`` prints the list and ends."""
    import typer

    def list_settings(given: list[str] | None) -> list[str] | None:
        if HELP in (given or ()):
            echo(listing(named))
            raise typer.Exit
        return given

    return inspect.Parameter(
        SET,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            list[str] | None,
            typer.Option(
                "--set",
                metavar="NAME=VALUE",
                help=f"Change a setting; repeatable. `--set {HELP}` lists all with defaults.",
                is_eager=True,
                callback=list_settings,
            ),
        ],
    )


def refuse_besides(typed: TypedWords, mode: str, *allowed: str) -> None:
    """Refuse typed options that have no effect together with another one.

    Args:
        mode: the option that makes the command do something else.
        allowed: the parameters that have an effect with it.

    Raises:
        InputError: SJ006: another option was typed.
    """
    for name, words in typed.names.items():
        if name not in allowed and mode not in words:
            raise InputError("SJ006", f"{words[0]} does not go with {mode}.")


def refuse_without(typed: TypedWords, mode: str, *names: str) -> None:
    """Refuse typed options that have an effect only with another one, which was not typed.

    Args:
        mode: the option that is needed.
        names: the parameters that need it.

    Raises:
        InputError: SJ006: one of them was typed.
    """
    for name, words in typed.names.items():
        if name in names:
            raise InputError("SJ006", f"{words[0]} goes with {mode}.")


def fields_of(function: Callable[..., None]) -> Iterator[FlagField]:
    """The options of a command, found from its function's signature."""
    values, own = _declared(function)
    for of_value in values.values():
        yield from of_value
    yield from own.values()


def _declared(
    function: Callable[..., None],
) -> tuple[dict[str, list[FlagField]], dict[str, FlagField]]:
    """The fields of each parameter that is a dataclass of settings; the other parameters."""
    hints = get_type_hints(function, include_extras=True)
    values: dict[str, list[FlagField]] = {}
    own: dict[str, FlagField] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        kind = _kind(hints[name])
        if is_dataclass(kind) and kind is not TypedWords:
            shown = _shown(hints[name])
            values[name] = [one for one in _fields(kind, "") if shown is None or one.name in shown]
        else:
            own[name] = FlagField(name, hints[name], parameter.default)
    return values, own


def _kind(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _shown(hint: Any) -> frozenset[str] | None:
    said = get_args(hint)[1] if get_origin(hint) is Annotated else None
    return said.names if isinstance(said, Shown) else None


def _fields(kind: Any, before: str) -> Iterator[FlagField]:
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        hint = hints[one.name]
        if is_dataclass(hint):
            yield from _fields(hint, f"{before}{one.name}_")
        elif get_origin(hint) is Annotated and isinstance(hint.__metadata__[0], Option):
            default = inspect.Parameter.empty if one.default is MISSING else one.default
            yield FlagField(f"{before}{one.name}", hint, default, kind)


def _made(
    kind: Any,
    known: list[FlagField],
    given: dict[str, Any],
    chosen: Mapping[str, Any],
    before: str = "",
) -> Any:
    """An instance of the settings class, from parsed options; removes these from ``given``.

    Args:
        chosen: the values of ``--set``.
    """
    by_name = {one.name: one for one in known}
    hints = get_type_hints(kind)
    found = {}
    for one in fields(kind):
        name = f"{before}{one.name}"
        flag = by_name.get(name.replace(".", "_"))
        if is_dataclass(hints[one.name]):
            found[one.name] = _made(hints[one.name], known, given, chosen, f"{name}.")
        elif flag is not None:
            found[one.name] = flag.of(given.pop(flag.name))
        elif name in chosen:
            found[one.name] = chosen[name]
    return kind(**found)


def _check_written(known: list[FlagField], given: Mapping[str, Any]) -> None:
    """Raise if an output file cannot be written.

    A file in the run's folder is not checked before that folder exists: the run makes it.
    """
    run = given.get("run")
    for one in known:
        path = given.get(one.name)
        if one.option is None or not one.option.is_written or path is None:
            continue
        if run is None or path.parent != Path(run) or Path(run).exists():
            check_output(path)
