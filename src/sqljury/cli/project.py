"""The project file ``sqljury.toml``: options of commands, so that they need not be typed.

It has a table for each command. The keys are the command's long options, and ``files``:

    [evaluate]
    files = ["dev.json"]
    databases = "databases"
    judge = ["execution", "jury:offline"]
    fail-under = 0.8

A typed option overrides the file. Paths are relative to the current folder, where the file is.

The file may come with a benchmark that was downloaded. A setting that runs code, reaches a server
or a model, or writes a file is used only in a folder that the user has trusted; without such
settings the file needs no trust.
"""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from sqljury.cli.old_names import OLD_NAMES, USED
from sqljury.errors import InputError, SqljuryError
from sqljury.trusted import PROJECT_FILE as FILE
from sqljury.trusted import check_trusted

# Options that need no trust: _READ name files that are only read, _WORDS choose among known values.
_READ: Final = frozenset(
    {
        *("files", "predictions", "pairs", "pool", "questions", "labels", "recorded", "reviewed"),
        *("schemas", "schema", "suites", "descriptions", "overlay", "replay", "training", "train"),
        *("baseline", "threshold"),
        *("validation", "verdicts", "runs", "against", "from_run", "second", "signers", "import_"),
        *("demo_schemas", "prices"),
    }
)
_WORDS: Final = frozenset(
    {
        *("format", "map", "db_id", "dialect", "policy", "prove", "match", "unknown", "label"),
        *("limits_rows", "limits_seconds", "limits_bytes", "limits_memory", "workers", "seed"),
        *("fail_on", "fail_under", "fail_over", "max_left_out", "max_drop", "alpha"),
        *("shard", "split", "kinds", "kind", "correct", "now", "assuming", "checks", "groups"),
        *("set", "confidence", "penalty", "representation", "by", "people", "case", "strategy"),
    }
)
_DATABASES: Final = frozenset({"databases", "database", "demo_databases"})
_PLAIN_WORD: Final = re.compile(r"[\w.+=, -]*")
_WRITTEN: Final = frozenset(
    {
        *("run", "html", "csv", "export", "out", "ledger", "svg", "work", "features", "calibrate"),
        *("junit", "gitlab", "comment", "write_baseline"),
        # Files that other commands only read.
        *("label-cases.labels", "view.labels"),
    }
)


def project_defaults(context: Any) -> dict[str, Any]:
    """The defaults of options from the project file, by command and parameter; empty without it.

    A table of an old command name is used if that name was typed.

    Args:
        context: click's context of the root. The table of the command that is run is checked for
            settings that need trust.

    Raises:
        InputError: SJ008: broken TOML, an unknown command or option. SJ009: a setting needs trust,
            and the folder is not trusted.
    """
    root, invoked = context.command, context.invoked_subcommand
    found = _of_group(root, _under_new_names(_read(Path(FILE)), context.meta.get(USED, "")), "")
    if invoked in found:
        wanted = _wants({invoked: found[invoked]}, "")
        check_trusted(Path(), wanted, f"[{invoked}] of {FILE}")
    return found


def wants(root: Any, folder: Path) -> list[str]:
    """The settings of a folder's project file that need trust, a line each.

    Raises:
        InputError: SJ008: see :func:`project_defaults`.
    """
    told = _read(folder / FILE)
    found = (
        _wants(_of_group(root, _under_new_names(told, old), ""), "") for old in ("", *OLD_NAMES)
    )
    return list(dict.fromkeys(line for lines in found for line in lines))


def _under_new_names(told: dict[str, Any], typed: str) -> dict[str, Any]:
    """The tables without those of old command names; that of the typed old name is renamed."""
    found = copy.deepcopy(told)
    for old, moved in OLD_NAMES.items():
        *groups, last = old.split()
        table = found.get(groups[0], {}) if groups else found
        own = table.pop(last, None) if isinstance(table, dict) else None
        if groups and table == {}:
            found.pop(groups[0], None)
        if own is None or old != typed:
            continue
        *groups, last = (word for word in moved.to.split() if not word.startswith("-"))
        options = {name.lstrip("-"): new.lstrip("-") for name, new in moved.options.items()}
        table = found.setdefault(groups[0], {}) if groups else found
        table[last] = {options.get(key, key): value for key, value in own.items()}
    runs = found.get("runs")
    if isinstance(runs, dict):  # a command until `runs merge` made it a group
        own = {key: value for key, value in runs.items() if not isinstance(value, dict)}
        if own:
            tables = {key: value for key, value in runs.items() if isinstance(value, dict)}
            found["runs"] = {**tables, "list": {**own, **tables.get("list", {})}}
    return found


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError("SJ008", f"broken TOML: {error}.", where=FILE) from error


def _wants(found: dict[str, Any], where: str) -> Iterator[str]:
    for name, value in found.items():
        if isinstance(value, dict):
            yield from _wants(value, f"{where}{name}.")
            continue
        for text in value if isinstance(value, list) else [value]:
            why = ""
            if f"{where}{name}" in _WRITTEN:
                why = "write files"
            elif not isinstance(text, bool | int | float):
                why = _why_not(name, str(text))
            if why:
                key = name.strip("_").replace("_", "-")
                yield f"{why}: {where}{key} = {text!r}"


def _why_not(name: str, text: str) -> str:
    """Why a setting needs trust, in words; empty if it needs none."""
    if name == "judge":
        return _why_not_judge(text)
    if name == "system":
        return "call a system (code, an endpoint or a command)"
    if name == "track":
        return "send results to a tracker"
    if name in _DATABASES:
        schemes = re.findall(r"([\w+.-]{2,}):", text)
        return "" if {"sqlite", "duckdb"}.issuperset(schemes) else "connect to a server"
    if name in _WRITTEN:
        return "write files"
    if name == "executor" and text == "local":
        return ""
    if text.startswith("hf:"):
        return "load a data set from a hub"
    if name in _READ or (name in _WORDS and _PLAIN_WORD.fullmatch(text)):
        return ""
    if name == "model_option" or "://" in text:
        return "name an endpoint"
    return "use a setting that may name code, an endpoint or a file"


def _why_not_judge(text: str) -> str:
    from sqljury.judge_name import JudgeName
    from sqljury.judges import Needs, make_judge

    try:
        name = JudgeName.parse(text)
        if name.is_imported:
            return "run code"
        for _, value in name.options:
            if not _PLAIN_WORD.fullmatch(value) or Path(value).exists():
                return "name a model, an endpoint or a file"
        return "ask a chat model" if make_judge(name).needs & Needs.LLM else ""
    except SqljuryError:  # the command will say what is wrong with it
        return ""


def from_project_file(error: Any) -> bool:
    """True if a usage error is about a value from the project file."""
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
    named = getattr(command.callback, "named", ())
    if settings := [key for key in table if key.replace("-", "_") in named]:
        others = {key: value for key, value in table.items() if key not in settings}
        given = (f"{key}={table[key]}" for key in settings)
        table = {**others, "set": [*others.get("set", ()), *given]}
    unknown = next((key for key in table if key not in names), None)
    if unknown is not None:
        raise _unknown(f"[{where.rstrip('.')}]", unknown, "option", names)
    several = {one.name for one in command.params if one.nargs < 0 or getattr(one, "multiple", 0)}
    return {
        names[key]: [value] if isinstance(value, str) and names[key] in several else value
        for key, value in table.items()
    }


def _words(parameter: Any) -> list[str]:
    """The keys of a parameter in the file: an option's long names, or an argument's name."""
    return [word.lstrip("-").removesuffix("_") for word in parameter.opts if len(word) > 2]


def _unknown(where: str, name: str, what: str, known: Any) -> InputError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(sorted(known))}."
    return InputError("SJ008", f"there is no {what} {name!r}.", where=f"{FILE} {where}", hint=hint)
