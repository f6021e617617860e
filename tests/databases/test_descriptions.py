"""Column descriptions, in the two layouts that benchmarks ship."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sqljury.databases import open_databases
from sqljury.databases.schemas import describe
from sqljury.errors import InputError
from sqljury.schema import Column, Schema, Table

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table(name="Singer", columns=(Column(name="Singer_ID"), Column(name="name"))),
        Table(name="concert", columns=(Column(name="year"),)),
    ),
)
HEAD = "original_column_name,column_name,column_description,data_format,value_description\n"

Texts = dict[str, tuple[str, str]]


def texts(schema: Schema) -> Texts:
    return {
        f"{table.name}.{column.name}": (column.description, column.value_description)
        for table in schema.tables
        for column in table.columns
        if column.description or column.value_description
    }


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HEAD + "Singer_ID,,the key,integer,\n", ("the key", "")),
        (HEAD + "singer_id , id,the key,integer, a number \n", ("the key", "a number")),
        (
            HEAD + 'Singer_ID,,"the key,\nreally",integer,"1: one\n2: two"\n',
            ("the key,\nreally", "1: one\n2: two"),
        ),
        (HEAD + "Singer_ID,singer id,,integer,\n", ("singer id", "")),  # better than nothing
        (HEAD + "Singer_ID,,the key\n", ("the key", "")),  # too short
        (HEAD + "Singer_ID,,the key,integer,a number,and,more\n", ("the key", "a number")),
        (HEAD + "\n,,,,\nSinger_ID,,the key,,\n", ("the key", "")),
        ("\ufeff" + HEAD + "Singer_ID,,the key,,\n", ("the key", "")),
        ("COLUMN,Column_Name,column_description\nSinger_ID,,the key\n", ("the key", "")),
        (HEAD + "Singer_ID,,café – key,,\n", ("café – key", "")),
        (HEAD + "Singer_ID,,the key,,\r\n", ("the key", "")),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_bird(tmp_path: Path, content: str, expected: tuple[str, str], encoding: str) -> None:
    if encoding == "cp1252" and content.startswith("\ufeff"):
        pytest.skip("no such mark in Windows-1252")
    (tmp_path / "SINGER.csv").write_bytes(content.encode(encoding))
    assert texts(describe(SCHEMA, "music", tmp_path)) == {"Singer.Singer_ID": expected}


def test_bird_places(tmp_path: Path) -> None:
    for place in ("music/database_description", "music", "database_description", "."):
        folder = tmp_path / place.replace("/", "_").replace(".", "dot")
        file = folder / place / "singer.csv"
        file.parent.mkdir(parents=True)
        file.write_text(HEAD + f"name,,{place},,\n", encoding="utf-8")
        assert texts(describe(SCHEMA, "music", folder)) == {"Singer.name": (place, "")}


def test_rose(tmp_path: Path) -> None:
    content = {
        "singer": [
            {"column_name": "NAME", "column_description": "who", "value_description": "text"},
            {"column_name": "Singer_ID", "column_description": None},
        ],
        "Concert": [{"column_name": "year"}],
        "gone": [{"column_name": "x", "column_description": "y"}],
    }
    (tmp_path / "music_schema.json").write_text(json.dumps(content), encoding="utf-8")
    assert texts(describe(SCHEMA, "music", tmp_path)) == {"Singer.name": ("who", "text")}
    assert describe(SCHEMA, "other", tmp_path) == SCHEMA
    assert describe(SCHEMA, "music", None) == SCHEMA


@pytest.mark.parametrize("content", ["", "[]", '{"t": [{}]}', '{"t": 1}', '{"t": [1]}'])
def test_a_broken_description_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "music_schema.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"SJ204 .*music_schema\.json"):
        describe(SCHEMA, "music", tmp_path)


def test_descriptions_of_the_schema_itself_are_kept(tmp_path: Path) -> None:
    table = Table(name="t", columns=(Column(name="a", description="from the engine"),))
    (tmp_path / "t.csv").write_text(HEAD + "b,,x,,\n", encoding="utf-8")
    schema = Schema(dialect="sqlite", tables=(table,))
    assert describe(schema, "music", tmp_path) == schema


def test_found_beside_the_database_or_where_said(tmp_path: Path) -> None:
    (tmp_path / "dbs" / "music" / "database_description").mkdir(parents=True)
    connection = sqlite3.connect(tmp_path / "dbs" / "music" / "music.sqlite")
    connection.execute("CREATE TABLE singer (name)")
    connection.close()
    beside = tmp_path / "dbs" / "music" / "database_description" / "Singer.csv"
    beside.write_text(HEAD + "name,,beside,,\n", encoding="utf-8")
    said = tmp_path / "said"
    said.mkdir()
    rose = {"singer": [{"column_name": "name", "column_description": "said"}]}
    (said / "music_schema.json").write_text(json.dumps(rose), encoding="utf-8")

    places = tmp_path / "dbs"
    for databases, expected in (
        (open_databases(places), "beside"),
        (open_databases(places / "music"), "beside"),
        (open_databases(places / "music" / "music.sqlite"), "beside"),
        (open_databases(places, descriptions=said), "said"),
        (open_databases(f"{places},descriptions={said}"), "said"),
        (open_databases([places, places / "music"], descriptions=said), "said"),
    ):
        database = databases.open("music")
        assert database is not None
        assert texts(database.schema()) == {"singer.name": (expected, "")}
        database.close()


@pytest.mark.data
def test_bird_and_rose_describe_superhero(data_dir: Path) -> None:
    bird = open_databases(data_dir / "bird" / "databases").open("superhero")
    rose = open_databases(
        data_dir / "bird" / "databases", descriptions=data_dir / "rose-vec" / "description"
    ).open("superhero")
    assert bird is not None
    assert rose is not None
    assert bird.schema().tables[0].columns[0].name
    for schema in (bird.schema(), rose.schema()):
        columns = [column for table in schema.tables for column in table.columns]
        assert len(columns) == 31
        assert all(column.description for column in columns)
    alignment = bird.schema().table("alignment")
    assert alignment is not None
    column = alignment.column("alignment")
    assert column is not None
    assert column.description == "the alignment of the superhero"
    assert column.value_description.startswith("commonsense evidence:")


@pytest.mark.data
def test_every_description_of_rose_can_be_read(data_dir: Path) -> None:
    folder = data_dir / "rose-vec" / "description"
    files = sorted(folder.glob("*_schema.json"))
    assert len(files) == 11
    for file in files:
        describe(SCHEMA, file.name.removesuffix("_schema.json"), folder)
