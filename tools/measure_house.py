"""How the house is measured: what each room holds, circles of imports, names that stand twice.

    python tools/measure_house.py [--source src/sqljury]

Circles: files that need themselves through others, imports for types and inside functions counted.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median

Graph = dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, read once."""

    name: str
    lines: int
    tree: ast.Module

    @property
    def room(self) -> str:
        """The folder below the package; the files beside the folders are one room."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 else "(files)"

    def functions(self) -> Iterator[int]:
        """The lines of each function."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield (node.end_lineno or node.lineno) - node.lineno + 1

    def imported(self) -> Iterator[str]:
        """The names that may be modules."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
                yield node.module


def read(package: Path) -> list[SourceFile]:
    """All files of a package."""
    return [_read(path, package) for path in sorted(package.rglob("*.py"))]


def _read(path: Path, package: Path) -> SourceFile:
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(package.parent).with_suffix("").parts
    return SourceFile(".".join(parts), len(text.splitlines()), ast.parse(text))


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


def main() -> None:
    """Print a row for each room, and what stands twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=Path("src/sqljury"))
    files = read(parser.parse_args().source)
    circles = in_circles(files)
    rooms = sorted({one.room for one in files})
    print("| room | lines | files | functions | median lines | files in circles |")
    print("|---|---:|---:|---:|---:|---:|")
    for room in [*rooms, "all"]:
        own = [one for one in files if room in (one.room, "all")]
        sizes = [size for one in own for size in one.functions()]
        held = (sum(one.lines for one in own), len(own), len(sizes))
        turning = sum(one.name in circles for one in own)
        cells = [*(f"{number:,}" for number in held), f"{median(sizes or [0]):g}", str(turning)]
        print(f"| {room} | {' | '.join(cells)} |")
    twice = doubled(files)
    print(f"\nclass names defined more than once: {len(twice)}")
    print(", ".join(f"{name} ×{times}" for name, times in twice.items()))


if __name__ == "__main__":
    main()
