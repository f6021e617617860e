"""Several databases of one schema: test suites, as folders or archives."""

from __future__ import annotations

import lzma
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from sqljury.databases.open import SUFFIXES, open_file
from sqljury.databases.protocol import Database, fingerprint_files
from sqljury.errors import InfrastructureError, InputError
from sqljury.execution import MIB
from sqljury.schema import Schema

ARCHIVES = (".tar.xz", ".tar.gz", ".tar")
_MOST_OPEN = 64
"""Most files of one suite that stay open; a connection's page cache may take 2 MB."""
_MOST_FILES = 10_000
_MOST_BYTES = 4096 * MIB
_CHUNK = MIB


@dataclass(frozen=True)
class Suite:
    """The databases that share one schema, by name: the original first, the others sorted by name.

    Each is opened at first use. In suites with more than 64 databases the rest is opened anew at
    each use, so that hundreds of databases do not mean hundreds of open files.
    """

    db_id: str
    files: dict[str, Path] = field(repr=False)
    _open: dict[str, Database] = field(default_factory=dict, repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the databases: their files' names without the suffix."""
        return tuple(self.files)

    @contextmanager
    def opened(self, name: str) -> Iterator[Database]:
        """Opens one of the databases inside the block.

        Raises:
            InfrastructureError: the file cannot be read, or is not a database.
        """
        if name in self._open:
            yield self._open[name]
            return
        # Cases and observers identify an execution by its database's name.
        database = open_file(self.files[name], f"{self.db_id}/{name}", _as_it_is)
        if len(self._open) < _MOST_OPEN:
            self._open[name] = database
            yield database
            return
        try:
            yield database
        finally:
            database.close()

    def fingerprint(self) -> str:
        """A hash that changes with the contents or the names of the databases."""
        return fingerprint_files(*self.files.values()) + "".join(f",{n}" for n in self.files)

    def close(self) -> None:
        """Closes the open databases; later use opens them again."""
        while self._open:
            self._open.popitem()[1].close()


def _as_it_is(schema: Schema) -> Schema:
    return schema


class Suites:
    """The suites in a folder, by the name of the database they belong to."""

    def __init__(self, folder: Path, places: dict[str, Path]) -> None:
        self._folder = folder
        self._places = places
        self._last: Suite | None = None

    @property
    def spec(self) -> str:
        """The path that :func:`open_suites` turns into equal suites."""
        return str(self._folder)

    def ids(self) -> tuple[str, ...]:
        """The names of databases that have a suite."""
        return tuple(sorted(self._places))

    def get(self, db_id: str) -> Suite | None:
        """The suite of a database, else one whose name differs in case only, else None.

        Only the last one returned stays open; the one before is closed.

        Raises:
            InputError: SJ209: its archive cannot be unpacked.
        """
        name = self._name(db_id)
        if self._last is not None and self._last.db_id == name:
            return self._last
        self.close()
        if name is not None:
            place = self._places[name]
            found = _databases(place if place.is_dir() else unpacked(place))
            # The original comes first: a mismatch is easiest to understand there.
            found.sort(key=lambda path: (path.stem != name, path.name))
            self._last = Suite(name, {path.stem: path for path in found})
        return self._last

    def reached(self) -> list[Path]:
        """The files and folders that must be accessible to read the suites."""
        cache = _cache_folder()
        with suppress(OSError):  # suites in folders do not need the cache
            cache.mkdir(parents=True, exist_ok=True)
        return [self._folder, cache, *(place.resolve() for place in self._places.values())]

    def _name(self, db_id: str) -> str | None:
        if db_id in self._places:
            return db_id
        folded = db_id.casefold()
        return next((name for name in self._places if name.casefold() == folded), None)

    def close(self) -> None:
        """Closes the open databases."""
        if self._last is not None:
            self._last.close()
            self._last = None


def open_suites(folder: str | Path) -> Suites:
    """Suites from a folder with ``DB_ID/*.sqlite`` or ``DB_ID.tar.xz`` (.tar.gz, .tar) in it.

    The distilled suites of Zhong et al. (2020) come in this form. Archives are unpacked once, at
    first use, into ``sqljury/suites`` in the user's cache folder.

    Raises:
        InputError: SJ208: there is no such folder, or it has no suite.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError("SJ208", f"there is no folder {str(folder)!r}.")
    places: dict[str, Path] = {}
    for entry in sorted(place.iterdir()):
        if entry.is_dir() and _databases(entry):
            places[entry.name] = entry
        for suffix in ARCHIVES:
            if entry.name.endswith(suffix) and entry.is_file():
                places.setdefault(entry.name.removesuffix(suffix), entry)
    if not places:
        raise InputError("SJ208", "there is no suite in it.", where=str(folder))
    return Suites(place, places)


def _databases(folder: Path) -> list[Path]:
    return sorted(e for e in folder.iterdir() if e.suffix in SUFFIXES and e.is_file())


# ---------------------------------------------------------------- archives


def unpacked(archive: Path) -> Path:
    """The folder with an archive's databases; unpacks it if no process did so before.

    Raises:
        InputError: SJ209: it is damaged, has no database, or would take more than 4 GiB.
        InfrastructureError: SJ210: the cache cannot be written.
    """
    try:
        target = _cache_folder() / fingerprint_files(archive)[:32]
        if target.is_dir() and _databases(target):
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        half_done = Path(tempfile.mkdtemp(dir=target.parent))
    except OSError as error:
        raise InfrastructureError("SJ210", f"{error}.", where=str(archive)) from error
    try:
        _unpack(archive, half_done)
        with suppress(OSError):  # another process was faster: the contents are the same
            half_done.rename(target)
    finally:
        shutil.rmtree(half_done, ignore_errors=True)
    return target


def _cache_folder() -> Path:
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "sqljury" / "suites"


def _unpack(archive: Path, folder: Path) -> None:
    """Extracts database files only, under their base name: paths, links and devices are ignored."""
    names: set[str] = set()
    try:
        with (
            _decompressed(archive) as stream,
            # Reading it as a stream never seeks to, or allocates, what the headers claim.
            tarfile.open(fileobj=cast("IO[bytes]", _Limited(stream)), mode="r|") as tar,
        ):
            for member in tar:
                name = PurePosixPath(member.name.replace("\\", "/")).name
                if not member.isreg() or PurePosixPath(name).suffix not in SUFFIXES:
                    continue
                if name in names or len(names) >= _MOST_FILES:
                    raise _NotASuiteError(f"{name!r} comes twice, or is one too many")
                names.add(name)
                source = tar.extractfile(member)
                assert source is not None, "regular files have contents"
                with (folder / name).open("xb") as file:
                    shutil.copyfileobj(source, file, _CHUNK)
    except _BROKEN as error:
        raise InputError("SJ209", f"{error}.", where=str(archive)) from error
    if not names:
        raise InputError("SJ209", "there is no database in it.", where=str(archive))


def _decompressed(archive: Path) -> IO[bytes]:
    import gzip

    openers: dict[str, Any] = {".xz": lzma.open, ".gz": gzip.open}
    stream: IO[bytes] = openers.get(archive.suffix, open)(archive, "rb")
    return stream


class _NotASuiteError(Exception):
    """An archive contains what a suite must not have."""


_BROKEN = (tarfile.TarError, lzma.LZMAError, EOFError, OSError, ValueError, _NotASuiteError)


class _Limited:
    """Reads a stream; raises if more comes out of an archive than a suite may take."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = _MOST_BYTES

    def read(self, size: int) -> bytes:
        found = self._stream.read(min(size, _CHUNK))
        self._left -= len(found)
        if self._left < 0:
            raise _NotASuiteError(f"it takes more than {_MOST_BYTES // MIB} MiB")
        return found
