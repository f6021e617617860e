"""Reference pages written from the code itself, so that they cannot say anything else.

Each function returns one page as Markdown; `hooks.py` hands them to the site.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import groupby
from typing import Any

import griffe
import typer

import sqljury
from sqljury.benchmarks import formats
from sqljury.cli.app import app
from sqljury.errors import catalogue
from sqljury.faults import all_checks
from sqljury.judges import options_of, registered
from sqljury.judges.jury_features import all_groups

Sections = list[griffe.DocstringSection]


def command_line() -> str:
    """Every command with its arguments and options, as `--help` gives them."""
    root = typer.main.get_command(app)
    context = root.make_context("sqljury", [], resilient_parsing=True)
    return "# Command line\n\n" + "\n".join(_commands(root, context, 2))


def _commands(group: Any, context: Any, level: int) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        own = type(context)(command, info_name=name, parent=context)
        yield f"{'#' * level} {own.command_path}\n\n{_escaped(command.help or '')}\n"
        if hasattr(command, "list_commands"):
            yield from _commands(command, own, level + 1)
        else:
            yield f"```\n{command.get_usage(own).removeprefix('Usage: ')}\n```\n"
            records = (parameter.get_help_record(own) for parameter in command.get_params(own))
            yield _definitions(
                (f"`{first}`", _escaped(text))
                for first, text in filter(None, records)
                if first != "--help"
            )


def python_face() -> str:
    """Everything in ``sqljury.__all__``: functions, then values, then errors."""
    kinds: dict[str, list[str]] = {"Functions": [], "Classes and values": [], "Errors": []}
    for name in sorted(sqljury.__all__, key=str.lower):
        kinds[_kind(getattr(sqljury, name))].append(name)
    parts = ["# Python\n\n`import sqljury as sj` gives these; [a tour](../python.md).\n"]
    for kind, names in kinds.items():
        parts += [f"## {kind}\n", *(f"::: sqljury.{name}\n" for name in names)]
    return "\n".join(parts)


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "Errors" if issubclass(value, Exception) else "Classes and values"
    return "Functions" if inspect.isfunction(value) else "Classes and values"


def judges() -> str:
    """Every judge with its docstring, needs and options."""
    parts = ["# Judges and their options\n\n[What they are for](../judges.md).\n"]
    for name, cls in registered().items():
        needs = [str(flag.name).lower().replace("_", " ") for flag in cls.needs]
        told = griffe.Docstring(inspect.cleandoc(cls.__doc__ or "")).parse("google", warnings=False)
        parts.append(f"## {name}\n\n{_prose(told)}\n\nNeeds: {', '.join(needs) or 'nothing'}.\n")
        parts.append(_definitions(_options(cls)))
    return "\n".join(parts)


def _prose(told: Sections) -> str:
    """What a docstring says, less its arguments and examples."""
    parts = []
    for section in told:
        if section.kind is griffe.DocstringSectionKind.text:
            parts.append(section.value)
        elif section.kind is griffe.DocstringSectionKind.admonition:
            parts.append(f"{section.title}: {section.value.contents}")
    return _escaped("\n\n".join(parts).replace("``", "`").partition(">>>")[0].strip())


def _options(cls: type[Any]) -> Iterator[tuple[str, str]]:
    for option in options_of(cls):
        term = f"`{option.name}={option.default}`" if option.default else f"`{option.name}`"
        yield term, _escaped(f"{option.kind}. {option.help}".replace("``", "`"))


def file_formats() -> str:
    """The formats of case files, in the order they are tried."""
    rows = ((f"`{name}`", _escaped(line)) for name, line in formats().items())
    head = "# File formats\n\n[How each looks](../formats.md).\n\n"
    return head + _definitions(rows)


def features() -> str:
    """Every feature with its meaning and its sign, by group."""
    parts = ["# Features\n\n[What they are for](../jury.md).\n"]
    signs = {1: " (sign 1)", -1: " (sign −1)", 0: ""}
    for group in all_groups():
        rows = ((f"`{f.name}`", _escaped(f.meaning) + signs[f.sign]) for f in group.features)
        parts.append(f"## {group.name}\n\n{_escaped(group.title)}\n\n{_definitions(rows)}")
    return "\n".join(parts)


def checks() -> str:
    """Every check of the audit: what it finds, what it needs, how many that were read are right."""
    parts = ["# Checks of the audit\n\n[What they are for](../audit.md).\n"]
    rows = []
    for check in all_checks():
        needs = ", ".join(str(flag.name).lower() for flag in check.sees)
        right, read = check.read
        said = f"Right: {right} of {read} read." if read else "None was read."
        hint = " A hint." if check.weak else ""
        rows.append(
            (f"`{check.code}` {check.name}", f"{_escaped(check.title)} Reads {needs}. {said}{hint}")
        )
    return "\n".join([*parts, _definitions(rows)])


_OUTCOMES = {
    "correct": "the rows agree",
    "incorrect": "the rows differ",
    "prediction_error": "the prediction does not run",
    "prediction_refused": "the prediction is not a single read-only statement",
    "prediction_timeout": "the prediction is stopped by the time limit",
    "prediction_too_large": "the prediction is stopped by the row limit",
    "prediction_missing": "there is no prediction",
    "abstained": "the system chose not to answer",
    "reference_error": "the reference does not run: left out of the denominator",
}


def demo_cases() -> str:
    """The demonstration's cases by outcome under ``strict``, right predictions first."""
    cases = json.loads(files("sqljury.demo").joinpath("cases.json").read_bytes())
    order = {outcome: place for place, outcome in enumerate(_OUTCOMES)}
    cases.sort(key=lambda case: (order[case["expected"]["strict"]], not case["label"]))
    parts = ["# Cases of the demonstration\n\n[What to look at](../demo.md).\n"]
    for outcome, group in groupby(cases, key=lambda case: str(case["expected"]["strict"])):
        listed = list(group)
        parts.append(f"## {outcome}: {_OUTCOMES[outcome]} ({len(listed)})\n")
        parts.append(
            "| case | shows | answers the question | other policies |\n|---|---|---|---|\n"
            + "".join(_case_row(case, outcome) for case in listed)
        )
    return "\n".join(parts)


def _case_row(case: dict[str, Any], strict: str) -> str:
    others = [f"{name}: {got}" for name, got in case["expected"].items() if got != strict]
    answers = "yes" if case["label"] else "no"
    shows = _escaped(case["shows"])
    return f"| {case['question_id']} | {shows} | {answers} | {', '.join(others)} |\n"


def errors() -> str:
    """Every error code, as `sqljury explain` explains it."""
    parts = ["# Error codes\n\n`sqljury explain SJ104` prints one of these.\n"]
    for code, (title, text) in sorted(catalogue().items()):
        parts.append(f"## {code}\n\n**{_escaped(title)}**\n\n{_escaped(text)}\n")
    return "\n".join(parts)


PAGES = {
    "reference/command-line.md": command_line,
    "reference/python.md": python_face,
    "reference/judges.md": judges,
    "reference/formats.md": file_formats,
    "reference/features.md": features,
    "reference/checks.md": checks,
    "reference/demo-cases.md": demo_cases,
    "reference/errors.md": errors,
}


def _definitions(rows: Iterable[tuple[str, str]]) -> str:
    """Terms, each with its text below: on a narrow screen, too, both can be read."""
    return "\n".join(f"{term}\n:   {' '.join(text.split()) or '&nbsp;'}\n" for term, text in rows)


_MARKS = re.compile(r"[<*\[]")


def _escaped(text: str) -> str:
    """Text in which `<`, `*` and `[` mean themselves; what stands in backticks is left alone."""
    parts = text.split("`")
    parts[::2] = [_MARKS.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)
