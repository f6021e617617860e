"""The worked examples of additions work, on a copy of the package."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from pages import Block, blocks, follow

import sqljury

PAGE = Path(__file__).parents[2] / "docs" / "contributing.md"
MOST_LINES = 40
_CHANGED = re.compile(r"^\+\+\+ b/(\S+)$", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+)", re.MULTILINE)


def _sections() -> dict[str, str]:
    _, *parts = re.split(r"^## (.+)\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = dict(zip(parts[::2], parts[1::2], strict=True))
    return {name: text for name, text in named.items() if "Files: " in text}


SECTIONS = _sections()


def _in_package(steps: list[Block]) -> list[Block]:
    return [step for step in steps if step.title.startswith("src/") or step.language == "diff"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SECTIONS)
def test_addition_works(name: str, tmp_path: Path) -> None:
    package = Path(sqljury.__file__).parent
    shutil.copytree(package, tmp_path / "src" / "sqljury")
    assert follow(blocks(SECTIONS[name]), tmp_path, path=tmp_path / "src") == []


@pytest.mark.parametrize("name", SECTIONS)
def test_addition_is_as_small_as_said(name: str) -> None:
    files: set[str] = set()
    lines = 0
    for step in _in_package(blocks(SECTIONS[name])):
        files |= {step.title} - {""} or set(_CHANGED.findall(step.text))
        lines += len(_ADDED.findall(step.text)) if not step.title else step.text.count("\n")
    assert f"Files: {len(files)}." in SECTIONS[name]
    assert lines <= MOST_LINES


def test_all_seven_are_shown() -> None:
    assert list(SECTIONS) == [
        "A judge", "A format", "An engine", "A provider", "A rule", "A strategy", "A command",
    ]  # fmt: skip
