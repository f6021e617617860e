"""The arguments that the functions of this package share, and how they are read."""

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
from sqljury.signature import with_fields
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.llm import ClientSettings

CasesLike = Iterable[Case] | PathLike | Sequence[PathLike] | Any
"""Cases, files of cases, objects, a data frame, or a data set of Hugging Face."""


def databases_spec(databases: PathLike | Sequence[PathLike] | None) -> str | None:
    """All places of databases as one text, which :func:`open_databases` takes; None for none."""
    if databases is None:
        return None
    if isinstance(databases, (str, os.PathLike)):
        return str(databases)
    return ",".join(str(part) for part in databases)


def cases_of(
    cases: CasesLike, predictions: PathLike | Sequence[PathLike] | None = None
) -> Iterable[Case]:
    """The cases from files or rows; cases are returned as they are.

    Raises:
        TypeError: neither cases, rows nor files; or ``predictions`` without files.
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
    """The settings that functions which judge take besides cases, judges and databases.

    Attributes:
        descriptions: a folder with column descriptions.
        schemas: a file of schemas (CREATE TABLE statements, or Spider's tables.json), for judges
            that compare queries without running them.
        suites: a folder of test suites (DB_ID/*.sqlite or DB_ID.tar.xz), for ``test_suite``.
        limits: what one query may use.
        workers: processes; by default one per core.
        executor: ``local``; or ``ray`` or ``ray:ADDRESS`` to judge on the nodes of a Ray cluster.
        llm: the settings of calls to chat models; by default with a ledger in the run's folder.
        overlay: files of corrections that replace references.
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
    """The settings of a run from keyword arguments; missing ones get their defaults.

    Raises:
        TypeError: an unknown keyword argument.
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
    """The executor's name, if there is such an executor.

    Raises:
        InputError: SJ427: there is no executor of this name.
    """
    if name != LOCAL and name.partition(":")[0] != "ray":
        raise InputError(
            "SJ427", f"there is no executor {name!r}.", hint="Known: local, ray, ray:HOST:PORT."
        )
    return name


def overlay_from(given: PathLike | Sequence[PathLike] | None) -> Overlay | None:
    """The corrections in some files, merged; None if no file is given."""
    return None if given is None else read_overlay(given)


def signed_with(signature: str, overlay: Overlay | None) -> str:
    """The signature with the digest of the overlay that corrected the references, if any."""
    if overlay is None:
        return signature
    return with_fields(signature, overlay=overlay.digest)


def _text(place: PathLike | None) -> str | None:
    return None if place is None else str(place)
