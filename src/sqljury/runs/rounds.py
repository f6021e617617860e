"""A run whose models are asked in batches: rounds of questions, over as many commands as it takes.

A round judges what can be judged, and notes what the other cases wait for; that goes into batches,
whose answers come into the ledger. A cascade needs a round for each stage: what a Refuter is
asked depends on what the Prover said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.case import Case
from sqljury.errors import InfrastructureError
from sqljury.judges import Judge
from sqljury.runs.runner import OnProgress, Run, run_judges
from sqljury.runs.settings import RunSettings, default_client

if TYPE_CHECKING:
    from sqljury.llm import Collected


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """What a run waits for."""

    run: str
    """Its folder."""
    batches: int
    """Under way."""
    questions: int
    """In these."""
    done: int
    """Of these, those that the provider is through with."""
    handed_in: int
    """Of these, those that were handed in just now."""
    held_back: int
    """Questions that go into batches later: they could cost more than is left of the budget."""
    answers: int
    """That came in just now."""


def run_in_batches(
    cases: Iterable[Case],
    judges: Sequence[str | Judge],
    settings: RunSettings,
    *,
    folder: str | Path,
    wait: bool = False,
    on_progress: OnProgress = lambda _done, _total: None,
    on_look: Callable[[Collected], None] = lambda _: None,
) -> Run | UnderWay:
    """Judge as far as answers are there, and hand in what is missing; the same again goes on.

    Args:
        wait: go on until everything is judged.
        on_look: called with each look at batches that are waited for.

    Raises:
        InputError: as :func:`run_judges`; a model's provider has no batches.
        InfrastructureError: a batch failed as a whole; the provider cannot be reached; not one
            question is sure to cost no more than ``max_cost``.
    """
    from sqljury.llm import Batches

    llm = settings.llm or default_client(Path(folder))
    settings = replace(settings, llm=llm, batch=True)
    given: Iterable[Case] | None = cases
    with Batches(llm) as batches:
        first = batches.collect()
        _check(first)
        while True:
            round_ = replace(settings, given_up=batches.given_up())
            run = run_judges(given, judges, round_, folder=folder, on_progress=on_progress)
            if not run.missing:
                batches.forget_failures()
                run.paid = batches.spent
                return run
            with run:
                handed_in = batches.submit(run.missing.values())
            if not wait:
                batches_open, questions = batches.under_way()
                return UnderWay(
                    run=str(run.folder),
                    batches=batches_open,
                    questions=questions,
                    done=first.done,
                    handed_in=handed_in,
                    held_back=sum(map(batches.lacks, run.missing.values())),
                    answers=batches.spent.calls,
                )
            _check(batches.wait(on_look=on_look))
            given = None


def _check(found: Collected) -> None:
    if found.error:
        raise InfrastructureError(
            "SJ914",
            f"{found.error}.",
            hint="The answers of the others are kept; the same command hands its questions in "
            "again. With --max-cost fewer are handed in at once.",
        )
