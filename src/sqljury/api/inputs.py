"""What the functions of this package take."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from sqljury.benchmarks import Overlay, cases_of_rows, read_cases, read_overlay
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.runs import RunSettings
from sqljury.runs.settings import LOCAL
from sqljury.settings import Limits, Sources

if TYPE_CHECKING:
    from sqljury.llm import ClientSettings

PathLike = str | os.PathLike[str]
CasesLike = Iterable[Case] | PathLike | Sequence[PathLike] | Any
"""Cases, files that hold them, objects, a data frame, or a data set of Hugging Face."""


def databases_spec(databases: PathLike | Sequence[PathLike] | None) -> str | None:
    """One text for all places that databases come from, as :func:`open_databases` takes it."""
    if databases is None:
        return None
    if isinstance(databases, (str, os.PathLike)):
        return str(databases)
    return ",".join(str(part) for part in databases)


def cases_of(
    cases: CasesLike, predictions: PathLike | Sequence[PathLike] | None = None
) -> Iterable[Case]:
    """The cases themselves, or those of files or rows.

    Raises:
        TypeError: what holds no cases, or predictions for what is no file.
    """
    if isinstance(cases, (str, os.PathLike)):
        cases = [cases]
    if isinstance(cases, Sequence) and cases and isinstance(cases[0], (str, os.PathLike)):
        found = read_cases(cast("Sequence[PathLike]", cases), predictions=predictions)
        for warning in found.warnings:
            warnings.warn(warning, stacklevel=3)
        return found
    if predictions is not None:
        raise TypeError("predictions= joins files to files: give the references as a file, too")
    if hasattr(cases, "columns") or hasattr(cases, "column_names"):
        return cases_of_rows(cases)
    if not isinstance(cases, Iterable):
        raise TypeError(f"cases= takes cases, rows or files, not {type(cases).__name__}")
    return cases_of_rows(cases) if isinstance(cases, Sequence) else cast("Iterable[Case]", cases)


class RunKeywords(TypedDict, total=False):
    """What functions that judge take beside cases, judges and databases.

    Attributes:
        descriptions: a folder with column descriptions.
        schemas: a file of schemas (CREATE TABLE statements, or Spider's tables.json), for judges
            that compare queries without running them.
        suites: a folder of test suites (DB_ID/*.sqlite or DB_ID.tar.xz), for ``test_suite``.
        limits: what one query may use.
        workers: processes; by default one per core.
        executor: ``local``, ``ray`` or ``ray:ADDRESS``: the nodes of a Ray cluster judge.
        llm: how chat models are asked; by default with a ledger in the run's folder.
        overlay: files of corrections that are laid over the references.
    """

    descriptions: PathLike | None
    schemas: PathLike | None
    suites: PathLike | None
    limits: Limits | None
    workers: int | None
    executor: str
    llm: ClientSettings | None
    overlay: PathLike | Sequence[PathLike] | None


def run_settings(
    databases: PathLike | Sequence[PathLike] | None, **given: Unpack[RunKeywords]
) -> RunSettings:
    """The settings of a run from what a caller says; for the rest the defaults.

    Raises:
        TypeError: there is no such setting.
    """
    if unknown := sorted(set(given) - set(RunKeywords.__annotations__)):
        raise TypeError(f"unexpected keyword arguments: {', '.join(unknown)}")
    return RunSettings(
        sources=Sources(
            databases=databases_spec(databases),
            descriptions=_text(given.get("descriptions")),
            schemas=_text(given.get("schemas")),
            suites=_text(given.get("suites")),
        ),
        limits=given.get("limits") or Limits(),
        workers=given.get("workers") or os.cpu_count() or 1,
        executor=executor_named(given.get("executor", LOCAL)),
        llm=given.get("llm"),
        overlay=overlay_from(given.get("overlay")),
    )


def executor_named(name: str) -> str:
    """An executor's name, checked.

    Raises:
        InputError: SJ427: there is none of this name.
    """
    if name != LOCAL and name.partition(":")[0] != "ray":
        raise InputError(
            "SJ427", f"there is no executor {name!r}.", hint="Known: local, ray, ray:HOST:PORT."
        )
    return name


def overlay_from(given: PathLike | Sequence[PathLike] | None) -> Overlay | None:
    """The corrections of some files, merged; None where none is given."""
    return None if given is None else read_overlay(given)


def signed_with(signature: str, overlay: Overlay | None) -> str:
    """A signature that names the corrections which cases were read with."""
    return signature if overlay is None else f"{signature}|overlay:{overlay.digest}"


def _text(place: PathLike | None) -> str | None:
    return None if place is None else str(place)
