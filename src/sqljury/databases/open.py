"""Finds databases by name: in a folder, a file, behind a URL with ``{db_id}``, or in several
places."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from sqljury.databases.protocol import ENGINES, Database, Databases, Describe, Engine
from sqljury.databases.schemas import describe
from sqljury.errors import InfrastructureError, InputError
from sqljury.schema import Schema

SUFFIXES = (".sqlite", ".db", ".sqlite3", ".duckdb")
_PLACE = "{db_id}"
_DESCRIPTIONS = "descriptions="

_OTHER_ENGINES = "sqlalchemy"
"""The engine for every URL scheme that no other engine handles."""


def open_databases(
    spec: str | Path | Sequence[str | Path], *, descriptions: str | Path | None = None
) -> Databases:
    """Databases by name, from the place or places in ``spec``.

    * a folder in the layout of Spider and BIRD, ``DB_ID/DB_ID.sqlite``, or flat,
      ``DB_ID.sqlite`` (also ``.db``, ``.sqlite3``, ``.duckdb``);
    * one database file: it is opened for its name without the suffix, and for cases that name no
      database;
    * a URL, with ``{db_id}`` in place of the name: ``postgresql://host/{db_id}``, ``mysql://…``,
      ``duckdb:///folder/{db_id}.duckdb``, ``sqlite:///…``; any other scheme goes to SQLAlchemy.
      Without ``{db_id}`` its database is named like a file of that path would be;
    * several of these, in a sequence or separated by commas: the first that has the name is used.

    Names match exactly, else without regard to case.

    Args:
        descriptions: a folder of column descriptions (BIRD's CSVs, ROSE's JSONs); by default those
            next to each database are used. In a text: ``…,descriptions=FOLDER``.

    Raises:
        InputError: a place does not exist, or has no database.
    """
    parts = _parts(spec)
    named = [part for part in parts if part.startswith(_DESCRIPTIONS)]
    places = [part for part in parts if not part.startswith(_DESCRIPTIONS)]
    folder = descriptions
    if folder is None and named:
        folder = named[-1].removeprefix(_DESCRIPTIONS)
    if folder is not None and not Path(folder).is_dir():
        raise InputError("SJ203", f"there is no folder of descriptions {str(folder)!r}.")
    if not places:
        raise InputError("SJ201", "no place to look for databases.", hint=_LAYOUT_HINT)
    known = Path(folder) if folder is not None else None
    found = tuple(_open_one(place, known) for place in places)
    return found[0] if len(found) == 1 else _FirstOf(found, known)


_LAYOUT_HINT = (
    "Give a folder with DB_ID/DB_ID.sqlite or DB_ID.sqlite (also .db, .sqlite3, .duckdb), "
    "a database file, or a URL with {db_id}."
)


def _parts(spec: str | Path | Sequence[str | Path]) -> list[str]:
    if isinstance(spec, Path):
        return [str(spec)]
    if not isinstance(spec, str):
        return [part for one in spec for part in _parts(one)]
    if spec and Path(spec).exists():
        return [spec]  # the comma is part of a file's name
    return [part for part in spec.split(",") if part]


def _open_one(place: str, descriptions: Path | None) -> Databases:
    scheme, separator, rest = place.partition("://")
    if not separator:
        return _files(place, place, descriptions)
    if scheme not in ("sqlite", "duckdb"):
        return _Server(place, descriptions)
    path = unquote(rest)
    try:
        # In SQLAlchemy three slashes are a relative path; most people mean an absolute one.
        return _files(place, path.removeprefix("/"), descriptions)
    except InputError:
        return _files(place, path, descriptions)


# ---------------------------------------------------------------- files


@dataclass(frozen=True)
class _Files:
    """Database files by name."""

    place: str
    descriptions: Path | None
    paths: dict[str, Path] = field(repr=False, compare=False)

    @property
    def spec(self) -> str:
        return _spelled([self.place], self.descriptions)

    def open(self, db_id: str) -> Database | None:
        name = _matching(db_id, self.paths)
        if name is None:
            return None
        path = self.paths[name]

        def described(schema: Schema) -> Schema:
            return describe(schema, name or path.stem, self.descriptions or path.parent)

        return open_file(path, db_id, described)

    def ids(self) -> tuple[str, ...] | None:
        return tuple(sorted(name for name in self.paths if name))


def open_file(path: Path, db_id: str, describe: Describe) -> Database:
    """Opens a database file; its first bytes identify the engine, because all engines use ``.db``.

    Raises:
        InfrastructureError: the file cannot be read, or is not a database.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(16)
    except OSError as error:
        raise InfrastructureError("SJ205", f"{error}.", where=str(path)) from error
    if magic[8:12] == b"DUCK":
        from sqljury.databases.duckdb import DuckDBDatabase

        return DuckDBDatabase(path, db_id, describe)
    from sqljury.databases.sqlite import SQLiteDatabase

    return SQLiteDatabase(path, db_id, describe)


_URL_HINT = "A URL begins as postgresql:// or mysql:// does."


def _files(place: str, path_text: str, descriptions: Path | None) -> _Files:
    paths = _templated(path_text) if _PLACE in path_text else _listed(Path(path_text))
    hint = _URL_HINT if "//" in path_text else _LAYOUT_HINT
    if paths is None:
        raise InputError("SJ201", f"there is no {path_text!r}.", hint=hint)
    if not paths:
        raise InputError("SJ202", "there is no database in it.", where=place, hint=hint)
    return _Files(place, descriptions, paths)


def _listed(path: Path) -> dict[str, Path] | None:
    if path.is_file():
        return {path.stem: path, "": path}
    if not path.is_dir():
        return None
    found: dict[str, Path] = {}
    for entry in sorted(path.iterdir()):
        if entry.suffix in SUFFIXES and entry.is_file():
            found.setdefault(entry.stem, entry)
        elif entry.is_dir():
            inner = (entry / f"{entry.name}{suffix}" for suffix in SUFFIXES)
            file = next((file for file in inner if file.is_file()), None)
            if file is not None:
                found[entry.name] = file
    return found


def _templated(text: str) -> dict[str, Path]:
    """Every file that ``…/{db_id}.sqlite`` can mean; a name cannot lead to another folder."""
    fixed = Path(re.split(r"[^/\\]*\{db_id\}", text, maxsplit=1)[0])
    pattern = re.compile(
        "(?P<name>[^/]+)".join(map(re.escape, text.split(_PLACE, 1))).replace(
            re.escape(_PLACE), "(?P=name)"
        )
    )
    depth = len(Path(text).parts) - len(fixed.parts)
    files = sorted(fixed.glob("/".join(["*"] * depth))) if fixed.is_dir() else []
    matches = ((pattern.fullmatch(file.as_posix()), file) for file in files if file.is_file())
    return {match["name"]: file for match, file in matches if match}


# ---------------------------------------------------------------- servers


@dataclass(frozen=True)
class _Server:
    """Databases of one server, by a URL."""

    place: str = field(repr=False)  # it may contain a password
    descriptions: Path | None

    @property
    def spec(self) -> str:
        return _spelled([self.place], self.descriptions)

    def open(self, db_id: str) -> Database | None:
        name = db_id if self._names is None else _matching(db_id, self._names)
        if name is None:
            return None

        def described(schema: Schema) -> Schema:
            return describe(schema, db_id, self.descriptions)

        url = self.place.replace(_PLACE, quote(name, safe=""))
        return self._engine.open_url(url, db_id, described)

    def ids(self) -> tuple[str, ...] | None:
        return self._names and tuple(name for name in self._names if name)

    @cached_property
    def _names(self) -> tuple[str, ...] | None:
        """The names; a URL without ``{db_id}`` also serves cases that name no database."""
        if _PLACE in self.place:
            return self._engine.list_ids(self.place)
        return (unquote(urlsplit(self.place).path.rpartition("/")[2]), "")

    @cached_property
    def _engine(self) -> Engine:
        scheme = self.place.partition("://")[0]
        engine = ENGINES.get(scheme) or ENGINES.get(_OTHER_ENGINES)
        assert engine is not None, "SQLAlchemy's is one of ours"
        return engine


# ---------------------------------------------------------------- several


@dataclass(frozen=True)
class _FirstOf:
    """Several places: the first that has a database of the name is used."""

    places: tuple[Databases, ...]
    descriptions: Path | None

    @property
    def spec(self) -> str:
        return _spelled(
            [p.spec.partition(f",{_DESCRIPTIONS}")[0] for p in self.places], self.descriptions
        )

    def open(self, db_id: str) -> Database | None:
        for place in self.places:
            database = place.open(db_id)
            if database is not None:
                return database
        return None

    def ids(self) -> tuple[str, ...] | None:
        every = [place.ids() for place in self.places]
        if any(ids is None for ids in every):
            return None
        return tuple(sorted({name for ids in every for name in ids or ()}))


def reached(databases: Databases) -> tuple[list[Path], list[str]]:
    """What must be readable to open these databases: files and folders; and the schemes of
    servers."""
    if isinstance(databases, _FirstOf):
        parts = [reached(place) for place in databases.places]
        paths = [path for found, _ in parts for path in found]
        schemes = [scheme for _, found in parts for scheme in found]
    elif isinstance(databases, _Files):
        schemes, folder = [], Path(databases.place)
        paths = [folder] if folder.is_dir() else []
        # A link in the folder leads to a file elsewhere, with its descriptions.
        whole = os.path.realpath(folder) + os.sep if paths else None
        for path in dict.fromkeys(databases.paths.values()):
            real = os.path.realpath(path)
            if whole is None or not real.startswith(whole):
                paths += dict.fromkeys((*_beside(path), *_beside(Path(real))))
    else:
        assert isinstance(databases, _Server), "there is no other kind"
        paths, schemes = [], [databases.place.partition("://")[0]]
    descriptions = getattr(databases, "descriptions", None)
    return [*paths, *([descriptions] if descriptions is not None else [])], schemes


def address(databases: Databases, db_id: str) -> str | None:
    """The absolute path or the URL of a database, as one types it; None if there is none."""
    if isinstance(databases, _FirstOf):
        found = (address(place, db_id) for place in databases.places)
        return next(filter(None, found), None)
    if isinstance(databases, _Files):
        name = _matching(db_id, databases.paths)
        return None if name is None else str(databases.paths[name].absolute())
    assert isinstance(databases, _Server), "there is no other kind"
    return databases.place.replace(_PLACE, quote(db_id, safe=""))


def _beside(path: Path) -> Iterator[Path]:
    """A database's file, its logs, and the places where its descriptions may be."""
    folder = path.parent
    yield from (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}.wal"))
    yield from (folder / f"{path.stem}_schema.json", folder / path.stem)
    yield folder / "database_description"
    if next(folder.glob("*.csv"), None) is not None:
        yield folder


def _spelled(places: Sequence[str], descriptions: Path | None) -> str:
    end = [f"{_DESCRIPTIONS}{descriptions}"] if descriptions is not None else []
    return ",".join([*places, *end])


def _matching(wanted: str, names: Sequence[str] | dict[str, Path]) -> str | None:
    """The name itself, else the first that differs in case only, else None."""
    if wanted in names:
        return wanted
    folded = wanted.casefold()
    return next((name for name in names if name.casefold() == folded), None)
