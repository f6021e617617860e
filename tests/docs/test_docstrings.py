"""The examples in the package's docstrings run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import sqljury

_PACKAGE = Path(sqljury.__file__).parent


def _module_name(file: Path) -> str:
    parts = file.relative_to(_PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = [
    _module_name(file)
    for file in sorted(_PACKAGE.rglob("*.py"))
    if ">>>" in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0  # a module whose examples are not found would pass unseen
    assert found.failed == 0
