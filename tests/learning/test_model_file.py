"""Model files that strangers made: damaged, endless or much too large, each is one sentence."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from sqljury.errors import InputError
from sqljury.learning import model_file
from sqljury.learning.detector import load_detector
from sqljury.learning.graph_matching.matcher import load_matcher
from sqljury.learning.jury import load_jury
from sqljury.learning.model_file import read_model, write_model
from sqljury.learning.small_verifier import load_small_verifier

SHIPPED = Path(model_file.__file__).parent
LOADERS = (load_small_verifier, load_detector, load_jury, load_matcher)


def archive(path: Path, members: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return path


def facts(text: bytes) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.frombuffer(text, dtype=np.uint8))
    return stream.getvalue()


def claimed(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    said = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, said)
    return stream.getvalue()


HOSTILE = {
    "deep": {"facts": facts(b"[" * 100_000 + b"]" * 100_000)},
    "a number": {"facts": facts(b"5")},
    "a list": {"facts": facts(b"[]")},
    "no facts": {},
    "73 TiB": {"facts": facts(b"{}"), "a": claimed((10**13,))},
    "brackets": {"facts": b"\x93NUMPY\x01\x00" + (60_000).to_bytes(2, "little") + b"(" * 60_000},
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("load", LOADERS)
def test_hostile_archives(tmp_path: Path, name: str, load) -> None:
    with pytest.raises(InputError, match="SJ031"):
        load(archive(tmp_path / "m.npz", HOSTILE[name]))


def test_a_damaged_archive_and_a_single_array(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    whole = (SHIPPED / "jury.npz").read_bytes()
    path.write_bytes(whole[:800] + bytes(255 - byte for byte in whole[800:900]) + whole[900:])
    with pytest.raises(InputError, match="SJ031"):
        load_jury(path)
    path.write_bytes(facts(b"{}"))
    with pytest.raises(InputError, match="SJ031"):
        load_jury(path)


def test_what_takes_too_much_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.npz"
    write_model(path, {"kind": "x"}, {"zeros": np.zeros(100_000)})
    assert path.stat().st_size < 10_000
    assert "zeros" in read_model(path)[1]
    monkeypatch.setattr(model_file, "_MOST_BYTES", 100_000)
    with pytest.raises(InputError, match="SJ031"):
        read_model(path)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("child", [0, 1 << 20])
def test_trees_that_turn_back_are_none(tmp_path: Path, side: str, child: int) -> None:
    told, arrays = read_model(SHIPPED / "jury.npz")
    turned = {**arrays, side: np.where(arrays[side] >= 0, child, arrays[side])}
    write_model(tmp_path / "m.npz", told, turned)
    with pytest.raises(InputError, match=r"SJ031.*come after"):
        load_jury(tmp_path / "m.npz")


@pytest.mark.parametrize(
    ("load", "name"), [(load_jury, "jury.npz"), (load_small_verifier, "spider_train.npz")]
)
def test_facts_of_other_kinds(tmp_path: Path, load, name: str) -> None:
    told, arrays = read_model(SHIPPED / name)
    for other in (None, 5, "x", [[]]):
        changed = {key: told[key] if key in ("kind", "version") else other for key in told}
        write_model(tmp_path / "m.npz", json.loads(json.dumps(changed)), arrays)
        with pytest.raises(InputError, match="SJ031"):
            load(tmp_path / "m.npz")
