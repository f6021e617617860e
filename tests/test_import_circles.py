"""No file needs itself through others of its room, not even for a type; names tell classes apart."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import sqljury

PACKAGE = Path(sqljury.__file__).parent
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imported(path: Path, known: dict[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            found.update(name if name in known else node.module for name in names)
    return {name for name in found if name in known}


@pytest.mark.parametrize("room", ROOMS)
def test_no_circle_of_imports(room: str) -> None:
    known = {_name(path): path for path in (PACKAGE / room).rglob("*.py")}
    graph = {name: _imported(path, known) - {name} for name, path in known.items()}
    TopologicalSorter(graph).prepare()


def test_no_class_name_stands_twice() -> None:
    trees = map(_tree, PACKAGE.rglob("*.py"))
    classes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    names = Counter(node.name for node in classes)
    assert [name for name, times in names.items() if times > 1] == []
