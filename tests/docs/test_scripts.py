"""The scripts that the pages name import what there is."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [
    path for folder in ("bench", "experiments", "tools") for path in (ROOT / folder).rglob("*.py")
]


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_of_the_package_exist(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("sqljury"):
            continue
        module = importlib.import_module(str(node.module))
        for alias in node.names:
            if not hasattr(module, alias.name):
                importlib.import_module(f"{node.module}.{alias.name}")
