"""Old names of commands and options: each still works, and prints the new name.

They will be removed in version 0.5.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

USED: Final = "sqljury.old_name"
"""The key under which click's context keeps the old name that was typed."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The new name of a command.

    Args:
        to: the words to type now, options included.
        arguments: the options that replace arguments, by the argument's place.
        options: the new names of options, by the old ones.
    """

    to: str
    arguments: Mapping[int, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)


OLD_NAMES: Final[Mapping[str, Moved]] = {
    "show": Moved("report", {1: "--case"}),
    "compare-runs": Moved("report", {0: "--against"}),
    "features": Moved("evaluate", options={"--out": "--features", "-o": "--features"}),
    "merge-runs": Moved("runs merge"),
    "label-plan": Moved("agree --plan"),
    "calibrate": Moved("agree", {1: "--labels"}, {"--out": "--calibrate", "-o": "--calibrate"}),
    "explain-match": Moved("diff --network"),
    "diagnose": Moved("audit run", {0: "--from"}),
    "audit diff": Moved("audit verify"),
    "suite build": Moved("build suite"),
    "judges": Moved("list judges"),
    "formats": Moved("list formats"),
    "rules": Moved("list rules"),
    "explain": Moved("list codes"),
    "rose-vec": Moved("paper rose-vec"),
    "methods": Moved("paper methods"),
    "keywords": Moved("paper keywords"),
    "ledger export": Moved("ledger", {1: "--export"}),
    "ledger import": Moved("ledger", {0: "--import"}),
    "ledger batches": Moved("ledger"),
}


def translated(root: Any, context: Any, args: list[str]) -> list[str]:
    """The words of a command line, with an old name replaced by the new one.

    Prints the new name to stderr if it replaces one.
    """
    start = next((place for place, word in enumerate(args) if not word.startswith("-")), len(args))
    for length in (2, 1):
        old = " ".join(args[start : start + length])
        if old in OLD_NAMES:
            moved = OLD_NAMES[old]
            print(f"`sqljury {old}` is now `sqljury {moved.to}`{_how(moved)}.", file=sys.stderr)
            context.meta[USED] = old
            words = moved.to.split()
            rest = _rest(command_of(root, words), args[start + length :], moved)
            return [*args[:start], *words, *rest]
    return _with_settings(command_of(root, args[start:]), args)


def command_of(root: Any, words: list[str]) -> Any:
    """The command that the first words name; later words are ignored."""
    for word in words:
        if word not in getattr(root, "commands", ()):
            return root
        root = root.commands[word]
    return root


def _with_settings(command: Any, args: list[str]) -> list[str]:
    """The words with ``--set epochs=8`` for ``--epochs 8``, where that was an option once."""
    named = getattr(getattr(command, "callback", None), "named", {})
    known = {word for one in command.params for word in (*one.opts, *one.secondary_opts)}
    by_option = {name.replace(".", "-").replace("_", "-"): name for name in named}
    found: list[str] = []
    words = iter(args)
    for word in words:
        option, equals, value = word.removeprefix("--").partition("=")
        name = by_option.get(option.removeprefix("no-"), "")
        if f"--{option}" in known or not word.startswith("--") or name not in named:
            found.append(word)
            continue
        if isinstance(named[name].default, bool):
            value = "false" if option.startswith("no-") else "true"
        elif not equals:
            value = next(words, "")
        found += ["--set", f"{name}={value}"]
        print(f"`--{option}` is now `--set {name}={value}`.", file=sys.stderr)
    return found


def _how(moved: Moved) -> str:
    """The changed arguments and options in parentheses; empty if there are none."""
    parts = [f"argument {place + 1} is {name}" for place, name in moved.arguments.items()]
    parts += [f"{old} is {new}" for old, new in moved.options.items()]
    return f" ({', '.join(parts)})" if parts else ""


def _rest(command: Any, args: list[str], moved: Moved) -> list[str]:
    """The words after the command's name, translated for the new command."""
    takes_value = {
        word for one in command.params if not getattr(one, "is_flag", True) for word in one.opts
    }
    found: list[str] = []
    place, is_value = 0, False
    for word in args:
        if is_value:
            is_value = False
        elif word.startswith("-") and word != "-":
            name, equals, value = word.partition("=")
            name = moved.options.get(name, name)
            word, is_value = f"{name}{equals}{value}", name in takes_value and not equals
        else:
            found += [moved.arguments[place]] if place in moved.arguments else []
            place += 1
        found.append(word)
    return found
