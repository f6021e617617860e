"""One registry for all that can be added by one file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sqljury.registry import Registry

ADDS = "import {package}\n{package}.KNOWN.add({name!r}, {name!r}, priority={priority})\n"


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[str]:
    """A package with three modules, and an installed one that offers two things."""
    package = tmp_path / "things_of_ours"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from sqljury.registry import Registry\n"
        "KNOWN = Registry(__name__, group='things', modules={'alias': 'first'})\n"
    )
    for name, priority in (("first", 0), ("second", -1)):
        text = ADDS.format(package="things_of_ours", name=name, priority=priority)
        (package / f"{name}.py").write_text(text)
    (package / "helper.py").write_text("")
    (package / "first.py").open("a").write(
        ADDS.format(package="things_of_ours", name="alias", priority=0)
    )
    (tmp_path / "theirs.py").write_text("THING = 'third'\nTAKEN = 'not ours'\n")
    info = tmp_path / "theirs-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[things]\nthird = theirs:THING\nfirst = theirs:TAKEN\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import things_of_ours

    yield things_of_ours.KNOWN
    for name in [one for one in sys.modules if one.startswith(("things_of_ours", "theirs"))]:
        del sys.modules[name]


def test_only_what_is_asked_for_is_imported(known: Registry[str]) -> None:
    assert known.get("second") == "second"
    assert "things_of_ours.first" not in sys.modules
    assert "theirs" not in sys.modules


def test_names_import_nothing_that_is_installed(known: Registry[str]) -> None:
    assert known.names() == ("alias", "first", "second", "third")
    assert "theirs" not in sys.modules


def test_the_order_is_by_priority_then_name(known: Registry[str]) -> None:
    assert list(known.all()) == ["second", "alias", "first", "third"]


def test_ours_go_before_installed_ones(known: Registry[str]) -> None:
    assert (known.get("first"), known.get("third")) == ("first", "third")


def test_another_name_of_a_module(known: Registry[str]) -> None:
    assert known.get("alias") == "alias"


@pytest.mark.parametrize("name", ["helper", "nothing", "", "../first", "first.py", "os"])
def test_what_is_not_there(known: Registry[str], name: str) -> None:
    assert known.get(name) is None
    assert not known.holds(name, "first")
