"""Merges runs: the shards of one input, or runs over several inputs, one after the other.

Cases and verdicts are copied from file to file inside SQLite, so memory does not grow with them.
The result is the run that one machine would have made: keys and fingerprints of verdicts are kept,
so the same command on the new folder finds nothing left to do.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from sqljury.benchmarks import AS_WRITTEN
from sqljury.errors import InputError
from sqljury.runs.runner import Run, RunJudge, open_run
from sqljury.runs.settings import Shard
from sqljury.runs.store import RunStore
from sqljury.signature import Signature
from sqljury.writing import new_folder, shown_path, unwritable


@dataclass(frozen=True, slots=True)
class _MergedRun:
    """A run that is merged into another."""

    folder: Path
    judges: tuple[RunJudge, ...]
    manifest: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path) -> _MergedRun:
        with open_run(folder) as run:
            part = cls(folder, run.judges, cast("Mapping[str, Any]", run.manifest))
        if not part.judges:
            raise _misfit(folder, "nothing was judged in it yet")
        return part

    @property
    def shard(self) -> Shard | None:
        told = self.manifest.get("shard")
        return None if told is None else Shard.parse(str(told))

    def told(self, kind: str) -> dict[str, str]:
        """Fingerprints by the name of the database, as the run recorded them."""
        return self.manifest.get(kind) or {}

    @property
    def positions(self) -> list[str]:
        """Files of predictions that were matched to cases by position."""
        return (self.manifest.get("reading") or {}).get("joined_by_position") or []

    @property
    def files(self) -> dict[str, str]:
        """The paths of the files that were read, by the name that is in the cases' origins."""
        return (self.manifest.get("reading") or {}).get("files") or {}

    def settings(self) -> dict[str, object]:
        """Settings that must be the same in all runs to merge, by the name that messages use."""
        return {
            "judges": [(judge.name, judge.key, judge.threshold) for judge in self.judges],
            "overlay": Signature.parse(self.judges[0].signature).get("overlay"),
            "version of sqljury": self.manifest.get("sqljury"),
            "limits": self.manifest.get("limits"),
        }

    def engines(self) -> dict[str, list[str]]:
        """Versions of each engine, by the engine's name."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for engine in self.manifest.get("engines") or ():
            found[re.split(r"\d", engine)[0]].append(engine)
        return found


def merge_runs(folder: str | Path, runs: Sequence[str | Path]) -> Run:
    """Makes one run of several.

    All shards of one input (``I/N``, each once) become the run over all of it. Other runs are put
    one after the other, in the order given; a case that several have with the same content is taken
    from the first of them.

    Args:
        folder: the folder of the new run; it must be empty.
        runs: folders of runs with the same judges, settings and version; databases that they share
            must have the same data.

    Raises:
        InputError: SJ401: a folder is not a run; SJ429: the runs do not fit together, a shard is
            missing, or the new folder is not empty; SJ404: two runs have different cases under one
            key.
    """
    target = Path(folder)
    parts = [_MergedRun.of(Path(run)) for run in runs]
    if not parts:
        raise InputError("SJ429", "no run is given.", hint="Name the folders of runs.")
    for part in parts[1:]:
        _check_same(parts[0], part)
    _check_shards(parts)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError("SJ429", f"{shown_path(target)} is not empty.", hint="Name a new folder.")
    # Atomic: the folder gets its name when it is complete.
    made = target.absolute().with_name(f".{os.getpid()}.merged")
    new_folder(made, private=True)
    try:
        _fill(made, parts)
        made.replace(target)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return open_run(target)


def _fill(folder: Path, parts: Sequence[_MergedRun]) -> None:
    first = parts[0]
    store = RunStore(folder, create=True)
    try:
        store.take_in(
            [part.folder for part in parts],
            [judge.key for judge in first.judges],
            in_place=first.shard is not None,
        )
        digest = hashlib.sha256()
        for fingerprint in store.fingerprints():
            digest.update(fingerprint)
        data = digest.hexdigest()
        if first.shard is not None and data != first.manifest.get("data"):
            raise _misfit(first.folder, "the shards do not hold all cases of the input")
        engines = sorted({one for part in parts for one in part.manifest.get("engines") or ()})
        manifest = {
            **{name: value for name, value in first.manifest.items() if name != "shard"},
            "engines": engines,
            "data": data,
            "reading": {
                "taken_out_of_prose": store.count_with_extra(AS_WRITTEN),
                "joined_by_position": [*dict.fromkeys(name for p in parts for name in p.positions)],
                "files": {name: path for p in parts for name, path in p.files.items()},
                "system": first.told("reading").get("system"),
            },
        }
        for kind in ("contents", "suites"):
            manifest[kind] = {name: one for part in parts for name, one in part.told(kind).items()}
        signed = max(parts, key=lambda part: len(part.manifest.get("engines") or ())).judges
        judges = [replace(one, signature=_signature(one, engines, data)) for one in signed]
        store.set_facts({"judges": [asdict(judge) for judge in judges], "manifest": manifest})
    finally:
        store.close()


def _signature(judge: RunJudge, engines: Sequence[str], data: str) -> str:
    known = Signature.parse(judge.signature)
    versions = None if known.get("db") is None else "+".join(engines)
    return str(known.replaced(db=versions, shard=None, data=data[:8]))


# ---------------------------------------------------------------- what fits together


def _check_same(first: _MergedRun, part: _MergedRun) -> None:
    there = part.settings()
    for what, here in first.settings().items():
        if here != there[what]:
            raise _misfit(part.folder, f"its {what}: {there[what]}, in {first.folder}: {here}")
    for kind, what in (("contents", "database"), ("suites", "test suite of")):
        here_told, there_told = first.told(kind), part.told(kind)
        for name in here_told.keys() & there_told.keys():
            if here_told[name] != there_told[name]:
                raise _misfit(part.folder, f"the {what} {name!r} holds something else there")
    versions = part.engines()
    for name, engines in first.engines().items():
        if name in versions and versions[name] != engines:
            raise _misfit(part.folder, f"its engine is {versions[name]}, not {engines}")


def _check_shards(parts: Sequence[_MergedRun]) -> None:
    shards = [part.shard for part in parts]
    if shards[0] is None and not any(shards):
        return
    for part, shard in zip(parts, shards, strict=True):
        if shard is None or shards[0] is None or shard.of != shards[0].of:
            raise _misfit(
                part.folder, f"it is {_named(shard)}, {parts[0].folder} {_named(shards[0])}"
            )
        if part.manifest.get("data") != parts[0].manifest.get("data"):
            raise _misfit(part.folder, "it is a shard of another input, or over other data")
    numbers = [shard.number for shard in shards if shard is not None]
    of = shards[0].of if shards[0] is not None else 0
    for number in range(1, of + 1):
        if numbers.count(number) != 1:
            what = "missing" if number not in numbers else "given twice"
            raise InputError(
                "SJ429",
                f"shard {number}/{of} is {what}.",
                hint="Name the folder of each shard once.",
            )


def _named(shard: Shard | None) -> str:
    return "no shard" if shard is None else f"shard {shard}"


def _misfit(folder: Path, why: str) -> InputError:
    return InputError(
        "SJ429",
        f"{shown_path(folder)} cannot be merged: {why}.",
        hint="Merge runs of the same command: same judges, limits, version, data.",
    )
