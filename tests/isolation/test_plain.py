"""Values that cross the border between processes: back as they were, or refused."""

from __future__ import annotations

import io
import json
import pickle
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jobs import divided

from sqljury.errors import InfrastructureError, InputError, MissingExtraError, SqljuryError
from sqljury.isolation import SentError, from_plain, mapped, send, to_plain
from sqljury.runs.messages import Progress, heard
from sqljury.runs.store import VerdictRow


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    number: int
    text: str | None


@dataclass(frozen=True, kw_only=True)
class Outer:
    inner: Inner
    many: tuple[Inner, ...] = ()
    pair: tuple[str, float] = ("", 0.0)
    colour: Colour = Colour.RED
    token: bytes = b""
    known: Mapping[bytes, float] = field(default_factory=dict)
    role: Literal["user", "system"] = "user"
    anything: Any = None


VALUES = [
    (int, 1),
    (float, 1),
    (float, float("inf")),
    (str, "caf\udce9"),
    (bytes, b"\0\xff"),
    (Colour, Colour.RED),
    (int | None, None),
    (list[Inner | None], [Inner(1, None), None]),
    (dict[str, list[int]], {"a": [1, 2]}),
    (Outer, Outer(inner=Inner(1, "x"))),
    (Outer, Outer(inner=Inner(2, None), many=(Inner(3, ""),), pair=("a", 0.5), token=b"ab",
                  known={b"x": 2.0}, role="system", anything={"a": [None, True]})),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), VALUES)
def test_back_as_it_was(kind: Any, value: object) -> None:
    assert from_plain(kind, json.loads(json.dumps(to_plain(value)))) == value


@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        (int, "1"),
        (int, True),
        (int, 1.0),
        (str, None),
        (float, "nan"),
        (bytes, "xy"),
        (bytes, 3),
        (Colour, "blue"),
        (Inner, [1]),
        (Inner, [1, "x", 2]),
        (Inner, {"number": 1, "text": None}),
        (Inner, [1, 2]),
        (tuple[Inner, ...], [[1, None], [None, None]]),
        (dict[str, int], [["a", 1]]),
        (Literal["user", "system"], "root"),
        (int | None, "x"),
    ],
)
def test_anything_else_is_refused(kind: Any, plain: object) -> None:
    with pytest.raises(ValueError):
        from_plain(kind, plain)


def _framed(body: bytes) -> io.BytesIO:
    return io.BytesIO(struct.pack("<Q", len(body)) + body)


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("it was run",))


@pytest.mark.parametrize(
    "stream",
    [
        _framed(pickle.dumps(_Bomb())),
        _framed(b"[" * 100_000),
        _framed(b"null"),
        _framed(b"[[1], [], [], [], null, 7]"),
        _framed(b'[[1], [[1, 0, "correct"]], ["shop"], [], null]'),
        _framed(b'[["1"], [], [], [], null]'),
        _framed(b"[[], [], [], [[1]], null]"),
        io.BytesIO(struct.pack("<Q", 1 << 40)),
    ],
)
def test_nonsense_from_a_worker(stream: io.BytesIO) -> None:
    with pytest.raises(ValueError):
        heard(stream)


def test_a_report_of_a_worker() -> None:
    row = VerdictRow(1, 0, "correct", 1.0, "", "[]", "{}", "{}", 0.1, "")
    report = Progress((1,), (row,), ("shop",))
    stream = io.BytesIO()
    send(stream, report)
    stream.seek(0)
    assert heard(stream) == report
    with pytest.raises(EOFError):
        heard(stream)


@given(st.binary(max_size=60))
def test_whatever_a_worker_says_nothing_else_is_raised(body: bytes) -> None:
    with pytest.raises((ValueError, EOFError)):
        heard(_framed(body))


@pytest.mark.parametrize(
    "error",
    [
        InputError("SJ301", "there is no judge", where="here", hint="Look."),
        InfrastructureError("SJ405", "no process"),
        MissingExtraError("duckdb", "duckdb", "A DuckDB database"),
    ],
)
def test_errors_for_users(error: SqljuryError) -> None:
    found = SentError.of(error).error()
    assert (str(found), found.exit_code) == (str(error), error.exit_code)


def test_defects_and_errors_in_processes() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(mapped(divided, [1, 0, 2], 2))
    with pytest.raises(InputError, match="SJ301"):
        list(mapped(divided, [1, -1], 2))
    assert list(mapped(divided, [1, 2, 4, 8], 2)) == [8.0, 4.0, 2.0, 1.0]
