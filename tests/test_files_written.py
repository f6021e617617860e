"""Every write of every file fails once: the old file stays, and the error says whose fault it is."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

sys.path.insert(0, str(Path(__file__).parent / "reports"))

import report_sample as sample

from sqljury.benchmarks import write_cases
from sqljury.case import Case
from sqljury.errors import InfrastructureError, InputError
from sqljury.learning.model_file import write_model
from sqljury.llm import Entry, Ledger
from sqljury.reports import export
from sqljury.uses.evaluate import page as html
from sqljury.writing import new_file


class FaultyFile(io.FileIO):
    """A file whose write (or sync) number ``at`` fails."""

    count = 0
    at = 0
    error = 0

    def write(self, data: object, /) -> int:
        self.fail_in_turn()
        return super().write(data)  # type: ignore[arg-type]

    @classmethod
    def fail_in_turn(cls) -> None:
        cls.count += 1
        if cls.count == cls.at:
            raise OSError(cls.error, os.strerror(cls.error))


def faulty_open(path: Path, mode: str = "r", *args: object, **more: object) -> io.IOBase:
    if "x" not in mode and "w" not in mode:
        return io.open(path, mode, *args, **more)  # type: ignore[call-overload]  # noqa: UP020
    FaultyFile.fail_in_turn()
    return io.BufferedWriter(FaultyFile(path, mode.replace("b", "")), 64)


def _ledger(path: Path) -> None:
    with Ledger(None) as ledger:
        for number in range(3):
            ledger.put(Entry(f'["{number}"]', {"text": "x" * 40}, "2026-01-01T00:00:00Z"))
        ledger.export_jsonl(path)


CASES = [Case(id=str(number), predicted_sql="SELECT 1") for number in range(3)]
WRITERS: dict[str, Callable[[Path], object]] = {
    "export.jsonl": lambda path: export.write_export(path, sample.records()),
    "export.parquet": lambda path: export.write_parquet(path, sample.records()),
    "records.csv": lambda path: export.write_csv(path, sample.records()),
    "report.html": lambda path: html.write_report(
        path, sample.summary(), sample.records(), title="t"
    ),
    "cases.jsonl": lambda path: write_cases(CASES, path),
    "cases.jsonl.gz": lambda path: write_cases(CASES, path),
    "cases.jsonl.xz": lambda path: write_cases(CASES, path),
    "ledger.jsonl": _ledger,
    "model.npz": lambda path: write_model(path, {"a": 1}, {}),
}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errno.ENOSPC, InfrastructureError),
        (errno.EIO, InfrastructureError),
        (errno.EFBIG, InfrastructureError),
        (errno.EROFS, InputError),
        (errno.EACCES, InputError),
    ],
)
@pytest.mark.parametrize("name", WRITERS)
def test_every_write_that_fails_leaves_the_old_file(
    tmp_path: Path, name: str, error: int, kind: type[Exception]
) -> None:
    path = tmp_path / name
    path.write_text("old")
    write = WRITERS[name]
    at = 0
    with patch("pathlib.Path.open", faulty_open), patch("os.fsync", lambda _: None):
        while path.read_bytes() == b"old":
            at = at + 1 if at < 12 else at * 2
            FaultyFile.count, FaultyFile.at, FaultyFile.error = 0, at, error
            try:
                write(path)
            except (InputError, InfrastructureError) as caught:
                assert type(caught) is kind
                assert os.strerror(error) in str(caught)
                assert path.read_bytes() == b"old"
            assert [one.name for one in tmp_path.iterdir()] == [name], "nothing is left beside it"
    assert at > 1


def test_a_disk_that_says_at_the_end_that_it_is_full(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text("old")
    full = OSError(errno.ENOSPC, "No space left on device")
    with (
        patch("os.fsync", side_effect=full),
        pytest.raises(InfrastructureError, match="SJ802"),
        new_file(path) as file,
    ):
        file.write("new")
    assert (path.read_text(), len(list(tmp_path.iterdir()))) == ("old", 1)
