"""What is in the file already, where sampling goes on: only an unfinished line of ours is cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.uses.generating.pools import _kept


def test_only_a_line_of_ours_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    cases = [Case(id="1", question="How many?", extra={"shows": "first"})]
    for content in ("a note without a line end", '{"auths": {}}'):
        path.write_text(content)
        with pytest.raises(InputError, match="SJ590"):
            _kept(path, cases, {})
        assert path.read_text() == content
    for begun in ("", "{", '{"shows": "first", "question_id": "1", "quest'):
        path.write_text(begun)
        assert _kept(path, cases, {}) == 0
        assert path.read_text() == ""
