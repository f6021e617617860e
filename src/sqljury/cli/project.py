"""The project file: options of commands that stand in ``sqljury.toml`` instead of being typed.

A table for each command; its keys are the command's options by their long names, and ``files``:

    [evaluate]
    files = ["dev.json"]
    databases = "databases"
    judge = ["execution", "jury:offline"]
    fail-under = 0.8

What is typed wins. Paths are relative to where the command runs, which is where the file lies.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from sqljury.errors import InputError

FILE = "sqljury.toml"


def project_defaults(root: Any) -> dict[str, Any]:
    """What the project file says, by the names of parameters; empty where there is none.

    Args:
        root: the command whose subcommands the tables are of.

    Raises:
        InputError: SJ008: broken; a command or an option that is none.
    """
    path = Path(FILE)
    if not path.is_file():
        return {}
    import tomllib

    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("SJ008", f"broken TOML: {error}.", where=FILE) from error
    return _of_group(root, told, "")


def from_project_file(error: Any) -> bool:
    """Whether a usage error is about a value that was not typed but stands in the file."""
    parameter, context = getattr(error, "param", None), getattr(error, "ctx", None)
    if parameter is None or context is None:
        return False
    source = context.get_parameter_source(parameter.name)
    return source is not None and source.name == "DEFAULT_MAP"


def _of_group(group: Any, told: dict[str, Any], where: str) -> dict[str, Any]:
    found = {}
    for name, table in told.items():
        command = group.commands.get(name)
        if not isinstance(table, dict):
            raise InputError(
                "SJ008",
                f"{name} = {table!r} stands in no command's table.",
                where=FILE,
                hint=f"Write it below [{where}COMMAND], as in [evaluate].",
            )
        if command is None:
            raise _unknown(f"[{where}{name}]", name, "command", group.commands)
        within = _of_group if hasattr(command, "commands") else _of_command
        found[name] = within(command, table, f"{where}{name}.")
    return found


def _of_command(command: Any, table: dict[str, Any], where: str) -> dict[str, Any]:
    names = {word: one.name for one in command.params for word in _words(one)}
    unknown = next((key for key in table if key not in names), None)
    if unknown is not None:
        raise _unknown(f"[{where.rstrip('.')}]", unknown, "option", names)
    several = {one.name for one in command.params if one.nargs < 0 or getattr(one, "multiple", 0)}
    return {
        names[key]: [value] if isinstance(value, str) and names[key] in several else value
        for key, value in table.items()
    }


def _words(parameter: Any) -> list[str]:
    """How a parameter is called in the file: an option's long names, an argument's own."""
    return [word.lstrip("-").removesuffix("_") for word in parameter.opts if len(word) > 2]


def _unknown(where: str, name: str, what: str, known: Any) -> InputError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(sorted(known))}."
    return InputError("SJ008", f"there is no {what} {name!r}.", where=f"{FILE} {where}", hint=hint)
