"""Test suites: folders and archives, and archives that are none."""

from __future__ import annotations

import io
import lzma
import sqlite3
import tarfile
from pathlib import Path

import pytest

from sqljury.databases import open_suites, suites
from sqljury.errors import InputError
from sqljury.execution import Limits


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def database(value: int) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (?)", (value,))
    connection.commit()
    return connection.serialize()


def archived(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:xz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def values(folder: Path, db_id: str) -> dict[str, int]:
    found = {}
    suite = open_suites(folder).get(db_id)
    assert suite is not None
    for name in suite.names:
        with suite.opened(name) as one:
            table = one.execute("SELECT a FROM t", Limits()).table
            assert table is not None
            found[one.db_id] = table.rows[0][0]
    suite.close()
    return found


FILES = {"shopv1.sqlite": 1, "shop.sqlite": 2, "aside.sqlite": 3}


def test_the_original_comes_first_from_folders_and_archives(tmp_path: Path) -> None:
    (tmp_path / "plain" / "shop").mkdir(parents=True)
    for name, value in FILES.items():
        (tmp_path / "plain" / "shop" / name).write_bytes(database(value))
    (tmp_path / "packed").mkdir()
    contents = {f"shop/{name}": database(value) for name, value in FILES.items()}
    archived(tmp_path / "packed" / "shop.tar.xz", {**contents, "shop/readme.txt": b"read me"})
    expected = {"shop/shop": 2, "shop/aside": 3, "shop/shopv1": 1}
    for place in ("plain", "packed"):
        found = values(tmp_path / place, "SHOP")
        assert found == expected
        assert list(found) == list(expected)


def test_an_archive_is_unpacked_once_and_again_when_it_changes(tmp_path: Path) -> None:
    archive = archived(tmp_path / "shop.tar.xz", {"shop.sqlite": database(1)})
    first = suites.unpacked(archive)
    assert suites.unpacked(archive) == first
    (first / "shop.sqlite").unlink()
    assert list(suites.unpacked(archive).iterdir()) == [first / "shop.sqlite"]
    archived(archive, {"shop.sqlite": database(2)})
    assert suites.unpacked(archive) != first
    assert values(tmp_path, "shop") == {"shop/shop": 2}
    assert len(list(first.parent.iterdir())) == 2, "nothing half done is left"


def test_paths_links_and_devices_of_archives_are_not_used(tmp_path: Path) -> None:
    archive = tmp_path / "suites" / "shop.tar.xz"
    archive.parent.mkdir()
    with tarfile.open(archive, "w:xz") as tar:
        for name in ("../../../escaped.sqlite", "/absolute.sqlite", "..\\windows.sqlite"):
            info = tarfile.TarInfo(name)
            info.size = len(database(1))
            tar.addfile(info, io.BytesIO(database(1)))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"link{kind.decode()}.sqlite")
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
    folder = suites.unpacked(archive)
    names = ["absolute.sqlite", "escaped.sqlite", "windows.sqlite"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert all(path.is_relative_to(folder) for path in tmp_path.rglob("escaped.sqlite"))


def test_archives_that_are_no_suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = archived(tmp_path / "whole.tar.xz", {"a.sqlite": database(1)}).read_bytes()
    (tmp_path / "cut.tar.xz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.tar.xz").write_bytes(b"no archive at all")
    archived(tmp_path / "none.tar.xz", {"a.txt": b""})
    archived(tmp_path / "twice.tar.xz", {"x/a.sqlite": b"1", "y/a.sqlite": b"2"})
    monkeypatch.setattr(suites, "_MOST_BYTES", 10_000_000)
    (tmp_path / "bomb.tar.xz").write_bytes(lzma.compress(b"\0" * 20_000_000))
    archived(tmp_path / "large.tar.xz", {"a.sqlite": b"\0" * 20_000_000})
    for name in ("cut", "text", "none", "twice", "bomb", "large"):
        with pytest.raises(InputError, match="SJ209"):
            open_suites(tmp_path).get(name)
    assert list((tmp_path / "cache" / "sqljury" / "suites").iterdir()) == []


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="nobody says what is open")
def test_a_suite_of_hundreds_keeps_few_files_open(tmp_path: Path) -> None:
    (tmp_path / "big").mkdir()
    for number in range(200):
        (tmp_path / "big" / f"big{number}.sqlite").write_bytes(database(number))
    suite = open_suites(tmp_path).get("big")
    assert suite is not None
    before = open_files()
    for name in suite.names * 2:
        with suite.opened(name) as one:
            assert one.execute("SELECT a FROM t", Limits()).ok
    assert open_files() - before <= 64
    suite.close()
    assert open_files() <= before


def test_places_without_suites(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="SJ208"):
            open_suites(place)


def test_fingerprints_change_with_contents_and_names(tmp_path: Path) -> None:
    place = tmp_path / "suites" / "shop"
    place.mkdir(parents=True)

    def fingerprint() -> str:
        suite = open_suites(place.parent).get("shop")
        assert suite is not None
        return suite.fingerprint()

    (place / "shop.sqlite").write_bytes(database(1))
    found = [fingerprint()]
    (place / "more.sqlite").write_bytes(database(2))
    found.append(fingerprint())
    (place / "more.sqlite").rename(place / "other.sqlite")
    found.append(fingerprint())
    (place / "other.sqlite").write_bytes(database(3))
    found.append(fingerprint())
    assert len(set(found)) == 4
