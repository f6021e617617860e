"""JSON and TOML of strangers may be nested too deeply: whoever minds broken text minds that, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sqljury

SOURCE = Path(sqljury.__file__).parent
_BROKEN = {"ValueError", "JSONDecodeError", "TOMLDecodeError"}
_DEEP = {"RecursionError", "RuntimeError", "Exception", "BaseException"}


def _reads(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("load", "loads")
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("json", "tomllib")
    )


def _caught(handlers: list[ast.ExceptHandler]) -> set[str]:
    names = (node for one in handlers if one.type for node in ast.walk(one.type))
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in names
        if isinstance(node, ast.Name | ast.Attribute)
    }


def _forgotten(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Try):
            inside = (one for line in node.body for one in ast.walk(line))
            caught = _caught(node.handlers)
            if any(map(_reads, inside)) and caught & _BROKEN and not caught & _DEEP:
                yield f"{path.relative_to(SOURCE)}:{node.lineno}"


@pytest.mark.parametrize("room", sorted({p.parent for p in SOURCE.rglob("*.py")}), ids=str)
def test_what_minds_broken_text_minds_deep_text(room: Path) -> None:
    assert [place for path in sorted(room.glob("*.py")) for place in _forgotten(path)] == []
