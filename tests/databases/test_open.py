"""Where databases are found, and by which names."""

from __future__ import annotations

import builtins
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from sqljury.databases import Databases, open_databases
from sqljury.databases.protocol import ENGINES, Engine
from sqljury.errors import InfrastructureError, InputError, MissingExtraError
from sqljury.execution import Limits

LIMITS = Limits()


def make(path: Path, value: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (?)", (value or path.stem,))
    connection.commit()
    connection.close()
    return path


def value(databases: Databases, db_id: str) -> Any:
    database = databases.open(db_id)
    if database is None:
        return None
    assert database.db_id == db_id
    table = database.execute("SELECT a FROM t", LIMITS).table
    database.close()
    assert table is not None
    return table.rows[0][0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make(tmp_path / "nested" / "nested.sqlite")
    make(tmp_path / "flat.sqlite")
    make(tmp_path / "other.db")
    make(tmp_path / "third" / "third.sqlite3")
    (tmp_path / "third" / "third_v1.sqlite").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").touch()
    return tmp_path


def test_folder(folder: Path) -> None:
    databases = open_databases(folder)
    assert databases.ids() == ("flat", "nested", "other", "third")
    for name in ("flat", "nested", "other", "third"):
        assert value(databases, name) == name
    for name in ("empty", "notes", "", "../flat", "third_v1"):
        assert databases.open(name) is None


def test_an_exact_name_wins_over_one_that_differs_in_case(tmp_path: Path) -> None:
    make(tmp_path / "Shop" / "Shop.sqlite")
    databases = open_databases(tmp_path)
    assert value(databases, "Shop") == value(databases, "sHOP") == "Shop"
    make(tmp_path / "SHOP" / "SHOP.sqlite")
    databases = open_databases(tmp_path)
    assert [value(databases, name) for name in ("Shop", "SHOP", "shop")] == ["Shop", "SHOP", "SHOP"]


def test_preference_among_suffixes_and_layouts(tmp_path: Path) -> None:
    for suffix in (".duckdb", ".sqlite3", ".db", ".sqlite"):
        make(tmp_path / "a" / f"a{suffix}", suffix)
        assert value(open_databases(tmp_path), "a") == suffix


def test_one_file(tmp_path: Path) -> None:
    databases = open_databases(make(tmp_path / "shop.anything", "x"))
    assert databases.ids() == ("shop",)
    assert [value(databases, name) for name in ("shop", "Shop", "")] == ["x"] * 3
    assert databases.open("bank") is None


def test_a_folder_that_is_one_database(tmp_path: Path) -> None:
    make(tmp_path / "shop" / "shop.sqlite")
    assert open_databases(tmp_path / "shop").ids() == ("shop",)


@pytest.mark.parametrize(
    ("spec", "ids"),
    [
        ("sqlite:///{root}/{{db_id}}/{{db_id}}.sqlite", ("nested",)),
        ("sqlite:///{root}/{{db_id}}.sqlite", ("flat",)),
        ("sqlite:///{root}/{{db_id}}/data.x", ()),
        ("sqlite:///{root}/flat.sqlite", ("flat",)),
        ("sqlite://{root}/flat.sqlite", ("flat",)),
        ("{root}/{{db_id}}.db", ("other",)),
    ],
)
def test_urls_of_files(folder: Path, spec: str, ids: tuple[str, ...]) -> None:
    spec = spec.format(root=folder)
    if not ids:
        with pytest.raises(InputError, match="SJ202"):
            open_databases(spec)
        return
    databases = open_databases(spec)
    assert databases.ids() == ids
    assert value(databases, ids[0].upper()) == ids[0]
    for name in ("../flat", "nested/nested", "x"):
        assert databases.open(name) is None


def test_relative_url(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert value(open_databases("sqlite:///flat.sqlite"), "flat") == "flat"
    assert value(open_databases("sqlite:///{db_id}.sqlite"), "flat") == "flat"
    assert value(open_databases("."), "flat") == "flat"


def test_the_first_place_that_has_it(tmp_path: Path) -> None:
    make(tmp_path / "one" / "a.sqlite", "one")
    make(tmp_path / "two" / "a.sqlite", "two")
    make(tmp_path / "two" / "b.sqlite", "two")
    spec = f"{tmp_path / 'one'},{tmp_path / 'two'}"
    for databases in (
        open_databases(spec),
        open_databases([tmp_path / "one", str(tmp_path / "two")]),
    ):
        assert databases.spec == spec
        assert databases.ids() == ("a", "b")
        assert [value(databases, name) for name in "abc"] == ["one", "two", None]


def test_a_comma_in_a_path(tmp_path: Path) -> None:
    make(tmp_path / "one,two" / "a.sqlite")
    assert value(open_databases(str(tmp_path / "one,two")), "a") == "a"


def test_spec_opens_an_equal_one(folder: Path) -> None:
    specs: list[Any] = [
        folder,
        folder / "flat.sqlite",
        f"sqlite:///{folder}/{{db_id}}.sqlite",
        f"{folder},{folder / 'flat.sqlite'}",
        "postgresql://host/{db_id}",
    ]
    for spec in specs:
        for descriptions in (None, folder):
            databases = open_databases(spec, descriptions=descriptions)
            assert open_databases(databases.spec) == databases
            assert open_databases(databases.spec).spec == databases.spec


class Server:
    """A module that reaches databases by URL, as ``open_databases`` sees it."""

    def __init__(self, names: tuple[str, ...] | None) -> None:
        self.names = names
        self.listed = 0

    def open_url(self, url: str, db_id: str, _: Any) -> Any:
        return None if url.endswith("/gone") else (url, db_id)

    def list_ids(self, template: str) -> tuple[str, ...] | None:
        assert template.endswith("/{db_id}")
        self.listed += 1
        return self.names


@pytest.mark.parametrize(
    ("scheme", "driver"), [("postgres", "psycopg"), ("mariadb", "pymysql"), ("mysql", "pymysql")]
)
def test_engines_by_scheme(scheme: str, driver: str) -> None:
    pytest.importorskip(driver)
    assert ENGINES.get(scheme) is not None
    assert ENGINES.get(f"{scheme}+{driver}") is None


@pytest.mark.parametrize(
    ("spec", "module", "names", "db_id", "expected"),
    [
        ("postgresql://u:p@h/{db_id}", "postgresql", ("a b", "Shop"), "shop", "u:p@h/Shop"),
        ("postgresql://h/{db_id}", "postgresql", ("a b", "Shop"), "a b", "h/a%20b"),
        ("postgresql://h/{db_id}", "postgresql", ("a b", "Shop"), "x", None),
        ("mysql://h/{db_id}", "mysql", None, "x/../y", "h/x%2F..%2Fy"),
        ("mariadb://h/{db_id}", "mysql", None, "gone", None),
        ("mariadb://h/shop?ssl=1", "mysql", None, "SHOP", "h/shop?ssl=1"),
        ("mssql+pyodbc://h/shop", "sqlalchemy", None, "", "h/shop"),
        ("mssql+pyodbc://h/shop", "sqlalchemy", None, "bank", None),
    ],
)
def test_servers(
    monkeypatch: pytest.MonkeyPatch,
    spec: str,
    module: str,
    names: tuple[str, ...] | None,
    db_id: str,
    expected: str | None,
) -> None:
    server = Server(names)
    scheme = spec.partition("://")[0]
    for name in (module, scheme) if scheme.isidentifier() else (module,):
        monkeypatch.setitem(ENGINES._things, name, Engine(server.open_url, server.list_ids))
    databases = open_databases(spec)
    wanted = None if expected is None else (f"{scheme}://{expected}", db_id)
    assert databases.open(db_id) == wanted
    assert databases.open(db_id) == wanted
    assert databases.ids() == (names if "{db_id}" in spec else ("shop",))
    assert server.listed == ("{db_id}" in spec)  # once, however many are opened
    assert "u:p" not in repr(databases)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{root}/nowhere", "SJ201 there is no '.*nowhere'"),
        ("{root}/empty", "SJ202 .*empty: there is no database in it"),
        ("{root},{root}/nowhere", "SJ201"),
        ("", "SJ201 no place"),
        (",", "SJ201 no place"),
        ("sqlite:///{root}/none/{{db_id}}.sqlite", "SJ202"),
        ("{root},descriptions={root}/none", "SJ203"),
    ],
)
def test_nothing_there(folder: Path, spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        open_databases(spec.format(root=folder))
    assert error.value.exit_code == 2


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    databases = open_databases(folder)
    (folder / "flat.sqlite").unlink()
    with pytest.raises(InfrastructureError, match="SJ205"):
        databases.open("flat")


def test_missing_driver(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "quack.duckdb").write_bytes(b"01234567DUCK0123")
    real = builtins.__import__

    def without_duckdb(name: str, *rest: Any, **more: Any) -> Any:
        if name == "duckdb":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_duckdb)
    monkeypatch.delitem(sys.modules, "sqljury.databases.duckdb", raising=False)
    with pytest.raises(MissingExtraError, match=r'pip install "sqljury\[duckdb\]"'):
        open_databases(folder).open("quack")
