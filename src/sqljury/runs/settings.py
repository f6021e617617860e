"""All that a run is told beside cases and judges, in one value from the command to the worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks import Overlay
from sqljury.databases import Sources
from sqljury.execution import Limits

if TYPE_CHECKING:
    from sqljury.llm import ClientSettings


LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """What may differ between two runs of the same judges over the same cases."""

    sources: Sources = field(default_factory=Sources)
    limits: Limits = field(default_factory=Limits)
    """What one query may use."""
    workers: int = 1
    executor: str = LOCAL
    """``local``, or ``ray`` with the address of a cluster behind a colon."""
    llm: ClientSettings | None = None
    """How chat models are asked, where a judge needs one; by default with a ledger in the
    run's folder."""
    overlay: Overlay | None = None
    """Corrections that are laid over the references of the cases."""
    dry_run: bool = False
    """Ask no model; the verdicts' measures say what asking would take."""
    batch: bool = False
    """Ask no model: cases that wait for an answer get no verdict, and their questions are told."""
    given_up: Mapping[str, str] = field(default_factory=dict)
    """With ``batch``: why questions will have no answer, by the key of their request."""


def default_client(folder: Path) -> ClientSettings:
    """How models are asked where nothing is said: with a ledger in the run's folder."""
    from sqljury.llm import ClientSettings

    return ClientSettings(ledger=str(folder / "ledger.sqlite"))
