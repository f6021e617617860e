"""The quick start does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import blocks, follow

PAGE = Path(__file__).parents[2] / "docs" / "quick-start.md"


@pytest.mark.slow
def test_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    assert follow(blocks(PAGE.read_text(encoding="utf-8")), tmp_path) == []


def test_another_output_is_told(tmp_path: Path) -> None:
    steps = blocks('```text title="a.txt"\none\ntwo\n```\n\n```console\n$ cat a.txt\none\n…\n```\n')
    assert follow(steps, tmp_path) == []
    steps = blocks("```console\n$ cat a.txt\ntwo\n$ echo fine\nfine\n```\n")
    assert follow(steps, tmp_path) == ["$ cat a.txt\none\ntwo\n"]
