"""Databases, schemas and suites of a run as bytes, for a machine that does not have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sqljury.errors import InputError
from sqljury.settings import Sources

_FIELDS = ("databases", "descriptions", "schemas", "suites")


@dataclass(frozen=True, slots=True)
class Parcel:
    """Files by their path in a folder of one's own, and the places that they are there."""

    files: Mapping[str, bytes]
    places: Mapping[str, str]
    """Relative to that folder, by the field of :class:`Sources`."""

    def unpacked(self, sources: Sources, folder: Path) -> Sources:
        """Write the files; the same sources, in a folder of this machine."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return replace(sources, **{name: str(folder / at) for name, at in self.places.items()})


def paths_of(sources: Sources) -> dict[str, Path]:
    """The places that are on this machine's disk, by the field of :class:`Sources`.

    >>> paths_of(Sources(databases="postgresql://server/{db_id}", schemas="tables.json"))
    {'schemas': PosixPath('tables.json')}
    """
    named = {name: getattr(sources, name) for name in _FIELDS}
    return {name: Path(text) for name, text in named.items() if text and "://" not in text}


def packed(sources: Sources, db_ids: Iterable[str]) -> Parcel:
    """What a run reads of these databases.

    Raises:
        InputError: SJ424: a place that is none: several joined by commas.
    """
    files: dict[str, bytes] = {}
    places: dict[str, str] = {}
    wanted = {db_id.casefold() for db_id in db_ids}
    for field, path in paths_of(sources).items():
        if not path.exists():
            raise InputError(
                "SJ424",
                f"{field} {str(path)!r} cannot be sent to another machine: it is no single file "
                "or folder.",
                hint="Name one folder, or databases on servers by their URL.",
            )
        places[field] = f"{field}/{path.name}"
        for file in [path] if path.is_file() else _within(path, wanted):
            inner = file.relative_to(path.parent)
            files[f"{field}/{inner}"] = file.read_bytes()
    return Parcel(files, places)


def _within(folder: Path, db_ids: set[str]) -> Iterator[Path]:
    """The files of a folder that belong to these databases: below DB_ID, or DB_ID with a suffix.

    In any case of letters, as databases and suites are found.
    """
    for file in sorted(folder.rglob("*")):
        first = file.relative_to(folder).parts[0].casefold()
        if file.is_file() and (first in db_ids or first.partition(".")[0] in db_ids):
            yield file
