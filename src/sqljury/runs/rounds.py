"""A run that asks its models in batches: rounds of questions, over as many commands as needed.

A round judges what can be judged and collects the requests that other cases wait for. These go into
batches, whose answers go into the ledger. A cascade needs one round per stage: what a Refuter is
asked depends on the Prover's answer.
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
    """The state of a run whose batches have not all been answered."""

    run: str
    """The run's folder."""
    batches: int
    """The number of batches that are not finished."""
    questions: int
    """The number of questions in them."""
    done: int
    """How many of these questions the provider has finished."""
    handed_in: int
    """How many of these questions this command submitted."""
    held_back: int
    """Questions for later batches, because they could cost more than is left of the budget."""
    answers: int
    """Answers that arrived during this command."""


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
    """Judges the cases whose answers are there, and submits requests for the others; call it again
    to go on.

    Args:
        wait: repeat until everything is judged.
        on_look: called at each check of batches that are waited for.

    Raises:
        InputError: as for :func:`run_judges`; or a model's provider does not support batches.
        InfrastructureError: a batch failed as a whole; the provider cannot be reached; no question
            is certain to cost at most ``max_cost``.
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
