"""Folders of temporary files: none stays for ever."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sqljury.isolation import TemporaryFolder

HOLD = """
import sys, time
from sqljury.isolation import TemporaryFolder
folder = TemporaryFolder()
(folder.path / "large").write_text("x")
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_gone_when_closed(place: Path) -> None:
    with TemporaryFolder() as folder:
        (folder / "file").touch()
        assert folder.parent == place
    assert not list(place.iterdir())


def test_that_of_a_killed_process_is_removed_by_the_next(place: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        held = Path(process.stdout.readline().decode().strip())
        with TemporaryFolder():
            assert (held / "large").exists(), "its owner lives"
        process.kill()
        process.wait()
        with TemporaryFolder():
            assert not held.exists()


def test_other_people_s_folders_stay(place: Path) -> None:
    (place / "sqljury-notes").mkdir()
    (place / "sqljury-notes" / "file").touch()
    target = place / "target"
    target.mkdir()
    (target / ".owner").touch()
    (place / "sqljury-link").symlink_to(target)
    with TemporaryFolder():
        pass
    assert (place / "sqljury-notes" / "file").exists()
    assert (target / ".owner").exists()
