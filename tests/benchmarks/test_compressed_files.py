"""Compressed files that unpack to more than a memory holds, and JSON deeper than a stack."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from sqljury.benchmarks import files, read_cases, read_labels, read_results
from sqljury.errors import InputError


def _gzip(size: int) -> bytes:
    return gzip.compress(b'[{"id": "1"}' + b" " * size)


def _xz(size: int) -> bytes:
    return lzma.compress(b'{"id": "1"}\n' + b"\n" * size)


@pytest.mark.parametrize("pack", [_gzip, _xz])
@pytest.mark.parametrize("read", [read_cases, read_labels, read_results])
def test_a_file_that_unpacks_without_end(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pack: Callable[[int], bytes],
    read: Callable[[Path], object],
) -> None:
    monkeypatch.setattr(files, "LITTLE_UNPACKED", 1 << 20)
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(pack(8 << 20))
    with pytest.raises(
        InputError, match=r"SJ121 bomb\.json\.gz: the compressed file holds more than"
    ):
        list(read(path))  # type: ignore[call-overload]


def test_a_file_that_is_just_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LITTLE_UNPACKED", 0)
    case = {"id": "1", "predicted_sql": "SELECT 1", "reference_sqls": ["SELECT 1"]}
    lines = [json.dumps({**case, "id": str(number)}) for number in range(2000)]
    (tmp_path / "cases.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    assert len(list(read_cases(tmp_path / "cases.jsonl.gz"))) == 2000


@pytest.mark.parametrize("text", ["[" * 200_000, '[{"id": ' * 100_000, '{"id": ' * 100_000])
@pytest.mark.parametrize("read", [read_cases, read_labels, read_results])
def test_json_that_is_nested_deeper_than_any_stack(
    tmp_path: Path, text: str, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"SJ10[68]"):
        list(read(path))  # type: ignore[call-overload]
