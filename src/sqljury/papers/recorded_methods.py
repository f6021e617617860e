"""ROSE's recordings of whole methods: EX and ROSE of each, and the facts of ``methods.csv``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks.fields import as_object, as_text, missing_key
from sqljury.benchmarks.files import FileRecord, PathLike, Source
from sqljury.benchmarks.results import as_score
from sqljury.benchmarks.rose_recordings import RecordedJudgement, is_rose_output, read_rose_output
from sqljury.errors import InputError

if TYPE_CHECKING:
    pass


# ---------------------------------------------------------------- recorded methods
#
# ROSE's recordings of whole methods: EX and ROSE of each, and the facts of ``methods.csv``.


FACTS = "methods.csv"
_FACTS = ("method", "base_model", "kind", "released")
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_EX = "EX-"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodFacts:
    """What is known about a method besides its recordings."""

    folder: str
    name: str
    base_model: str = ""
    kind: str = ""
    """``prompting``, ``fine-tuned`` or ``base model``."""
    released: str = ""
    """The month, as ``yyyy-mm``."""
    published: Mapping[str, float] = field(default_factory=dict)
    """Published figures in percent: ``ex``, ``rose``, ``ex_simple``, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMethod:
    """One method: its judgements by EX and by ROSE, by question id."""

    facts: MethodFacts
    ex: Mapping[str, RecordedJudgement]
    rose: Mapping[str, RecordedJudgement]


def read_rose_methods(folder: PathLike) -> list[RecordedMethod]:
    """All methods in a folder, in the order of ``methods.csv``, else by name.

    A method is a folder with two output folders: ``EX-…`` and one of a judge.

    Raises:
        InputError: SJ523: the folder has no method, or one with several judges; SJ524: the facts
            cannot be read; SJ1xx: a file cannot be parsed.
    """
    base = Path(folder)
    pairs = dict(_pairs(base))
    if not pairs:
        raise InputError("SJ523", "there are no recorded methods in it.", where=str(base))
    facts = {fact.folder: fact for fact in _facts(base / FACTS)} if pairs else {}
    known = [name for name in facts if name in pairs]
    return [
        RecordedMethod(
            facts=facts.get(name) or MethodFacts(folder=name, name=name),
            ex=read_rose_output(pairs[name][0]),
            rose=read_rose_output(pairs[name][1]),
        )
        for name in [*known, *sorted(pairs.keys() - facts.keys())]
    ]


def _pairs(base: Path) -> Iterator[tuple[str, tuple[Path, Path]]]:
    if not base.is_dir():
        raise InputError("SJ523", "no such folder.", where=str(base))
    for method in sorted(path for path in base.iterdir() if path.is_dir()):
        outputs = sorted(path for path in method.iterdir() if is_rose_output(path))
        ex = [path for path in outputs if path.name.startswith(_EX)]
        judges = [path for path in outputs if path not in ex]
        if len(ex) == 1 and len(judges) == 1:
            yield method.name, (ex[0], judges[0])
        elif outputs:
            raise InputError(
                "SJ523",
                f"needs one output of EX and one of a judge, not {len(ex)} and {len(judges)}.",
                where=str(method),
            )


def _facts(path: Path) -> Iterator[MethodFacts]:
    if not path.is_file():
        return
    source = Source(path)
    for key in ("folder", *_FACTS):
        if key not in source.keys:
            raise missing_key(key, source)
    for record in source.records():
        yield _fact(record)


def _fact(record: FileRecord) -> MethodFacts:
    data, origin = as_object(record), record.origin
    folder, name, base, kind, released = (
        as_text(data.get(key), key, origin) or "" for key in ("folder", *_FACTS)
    )
    if released and not _MONTH.fullmatch(released):
        raise InputError("SJ524", f"released: {released!r} is not a month (yyyy-mm).", where=origin)
    figures = {key: as_score(value, origin) for key, value in data.items() if _is_figure(key)}
    return MethodFacts(
        folder=folder,
        name=name or folder,
        base_model=base,
        kind=kind,
        released=released,
        published={key: value for key, value in figures.items() if value is not None},
    )


def _is_figure(key: str) -> bool:
    return key.partition("_")[0] in ("ex", "rose")
