"""How the house is measured: what each room holds, circles of imports, names that stand twice.

    python tools/measure_house.py [--source src/sqljury] [--tests tests] [--write PAGE]

`--write docs/architecture.md` puts the totals into the last column of that page's table.
Tokens are those of Python's tokenizer without comments, docstrings, line ends and indents, so that
layout and explanation cost nothing. Circles: files that need themselves through others, imports
for types and inside functions counted. A private function of at most eight lines whose name is read
once in its file may be a helper that says no more than its body.
"""

from __future__ import annotations

import argparse
import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import typer

Graph = dict[str, set[str]]

_NO_CODE = frozenset(
    getattr(tokenize, name)
    for name in ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER")
)
_SHORT = 8
_BEGIN, _END = "<!-- house: begin -->", "<!-- house: end -->"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, read once."""

    name: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    def tokens(self) -> int:
        """The tokens of code: no comments, no docstrings, no layout."""
        docstrings = {
            (statement.lineno, statement.col_offset)
            for node in ast.walk(self.tree)
            for statement in _statements(node)
            if isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        }
        found = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return sum(
            one.type not in _NO_CODE
            and not (one.type == tokenize.STRING and one.start in docstrings)
            for one in found
        )

    def short_and_used_once(self) -> int:
        """Private functions of at most eight lines whose name is read once in this file."""
        read = Counter(
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name | ast.Attribute)
        )
        return sum(
            node.name.startswith("_")
            and not node.name.startswith("__")
            and read[node.name] == 1
            and _length(node) <= _SHORT
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )

    @property
    def room(self) -> str:
        """The folder below the package; the files beside the folders are one room."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 else "(files)"

    def functions(self) -> Iterator[int]:
        """The lines of each function."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield _length(node)

    def imported(self) -> Iterator[str]:
        """The names that may be modules."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
                yield node.module


def _statements(node: ast.AST) -> list[ast.stmt]:
    body = getattr(node, "body", None)
    return body if isinstance(body, list) else []


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def read(package: Path) -> list[SourceFile]:
    """All files of a package."""
    return [_read(path, package) for path in sorted(package.rglob("*.py"))]


def _read(path: Path, package: Path) -> SourceFile:
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(package.parent).with_suffix("").parts
    return SourceFile(".".join(parts), text, ast.parse(text))


def in_circles(files: list[SourceFile]) -> set[str]:
    """The files that need themselves."""
    known = {one.name for one in files}
    graph: Graph = {
        one.name: {n for n in one.imported() if n in known} - {one.name} for one in files
    }
    found: set[str] = set()
    while circle := _circle(graph):
        found |= set(circle)
        graph[circle[0]].discard(circle[1])
    return found


def _circle(graph: Mapping[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # In the order of the sorter, what is needed stands first.
        return list(reversed(error.args[1]))
    return []


def doubled(files: list[SourceFile]) -> dict[str, int]:
    """Names of classes that are defined more than once, and how often."""
    names = Counter(
        node.name for one in files for node in ast.walk(one.tree) if isinstance(node, ast.ClassDef)
    )
    return {name: times for name, times in names.most_common() if times > 1}


def commands_and_options() -> tuple[int, int, int]:
    """Entries of ``sqljury --help``, commands, and options of all commands."""
    from sqljury.cli.app import app

    top: Any = typer.main.get_command(app)
    leaves = list(_leaves(top))
    shown = sum(not command.hidden for command in top.commands.values())
    options = sum(
        parameter.param_type_name == "option" and not parameter.hidden
        for command in leaves
        for parameter in command.params
    )
    return shown, len(leaves), options


def _leaves(command: Any) -> Iterator[Any]:
    if not hasattr(command, "commands"):
        yield command
        return
    for one in command.commands.values():
        if not one.hidden:
            yield from _leaves(one)


def totals(source: Path, tests: Path) -> dict[str, float]:
    """What the table of docs/architecture.md holds, by the name of the line."""
    files, test_files = read(source), read(tests)
    sizes = [size for one in files for size in one.functions()]
    entries, commands, options = commands_and_options()
    return {
        "tokens of code": sum(one.tokens() for one in files),
        "lines": sum(one.lines for one in files),
        "files": len(files),
        "functions": len(sizes),
        "private functions of at most 8 lines, used once": sum(
            one.short_and_used_once() for one in files
        ),
        "lines of a function, median": median(sizes),
        "lines of a function, 90th percentile": round(quantiles(sizes, n=10)[8]),
        "files in circles of imports": len(in_circles(files)),
        "class names defined more than once": len(doubled(files)),
        "entries of `sqljury --help`": entries,
        "commands": commands,
        "options": options,
        "tokens of code in tests": sum(one.tokens() for one in test_files),
        "files of tests": len(test_files),
    }


def lines_of(page: str) -> dict[str, list[str]]:
    """The lines of a page's table between the two comments: name, then the cells behind it."""
    table = page.partition(_BEGIN)[2].partition(_END)[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("| ") and not line.startswith("| |")
    ]
    return {name: cells for name, *cells in rows}


def with_totals(page: str, measured: Mapping[str, float]) -> str:
    """The page with the last column of its table as measured."""
    for name, cells in lines_of(page).items():
        old = f"| {name} | {' | '.join(cells)} |"
        new = f"| {name} | {' | '.join([*cells[:-1], f'{measured[name]:,g}'])} |"
        page = page.replace(old, new)
    return page


def _row(room: str, files: list[SourceFile], circles: set[str]) -> str:
    sizes = [size for one in files for size in one.functions()]
    held = (
        sum(one.tokens() for one in files),
        sum(one.lines for one in files),
        len(files),
        len(sizes),
        sum(one.short_and_used_once() for one in files),
    )
    ninth = quantiles(sizes, n=10)[8] if len(sizes) > 1 else 0
    turning = sum(one.name in circles for one in files)
    cells = [f"{number:,}" for number in held]
    cells += [f"{median(sizes or [0]):g}", f"{ninth:.0f}", str(turning)]
    return f"| {room} | {' | '.join(cells)} |"


def main() -> None:
    """Print a row for each room, what the command line shows, and what stands twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=Path("src/sqljury"))
    parser.add_argument("--tests", type=Path, default=Path("tests"))
    parser.add_argument("--write", type=Path, metavar="PAGE", help="page whose table is updated")
    options = parser.parse_args()
    if options.write is not None:
        page = options.write.read_text(encoding="utf-8")
        measured = totals(options.source, options.tests)
        options.write.write_text(with_totals(page, measured), encoding="utf-8")
        return
    files = read(options.source)
    circles = in_circles(files)
    print(
        "| room | tokens | lines | files | functions | short, used once "
        "| median lines | p90 | files in circles |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for room in sorted({one.room for one in files}):
        print(_row(room, [one for one in files if one.room == room], circles))
    print(_row("all", files, circles))
    print(_row("tests", read(options.tests), set()))
    entries, commands, flags = commands_and_options()
    print(f"\nentries of --help: {entries}, commands: {commands}, options: {flags}")
    twice = doubled(files)
    print(f"class names defined more than once: {len(twice)}")
    print(", ".join(f"{name} ×{times}" for name, times in twice.items()))


if __name__ == "__main__":
    main()
