"""Train a language model as the judge ``verifier``, on labelled pools."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.databases import Places
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, Evidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.language_model_verifier import VerifierPrompt
from sqljury.uses.train.verifier_examples import VerifierExamples
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.learning.outcome_reward.examples import Settings
    from sqljury.learning.outcome_reward.training import Trained

_LIMITS = Limits(seconds=10.0, rows=100_000)
"""The limits on a candidate's query, for prompts that show its rows."""


def train_verifier_on(
    data: PathLike | Sequence[PathLike],
    base: str,
    out: PathLike,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    prompt: str = "sql",
    balance: bool = True,
    label: str = "",
    mapping: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    on_prepared: Callable[[int, int], None] = lambda _done, _total: None,
    on_step: Callable[[int, int, str], None] = lambda _done, _total, _said: None,
) -> Trained:
    """Train a verifier and write its folder, for ``verifier,model=OUT``.

    The same call again resumes.

    Args:
        data: pools or other case files whose candidates have labels.
        base: the folder of a causal language model, or of an adapter to continue training.
        databases, schemas: where schemas come from; with databases, prompts show column values.
        prompt: ``sql``, ``data``, ``data+sql`` or ``instruction``.
        balance: keep as many right as wrong candidates per question.
        label: the candidates' key that says whether one is right.
        on_prepared: called with the number of candidates read, and of all candidates.
        on_step: called with the number of steps done, of all steps, and the last measures in words.

    Raises:
        InputError: SJ022, SJ023, SJ026, SJ027, SJ304: a base, a folder, data or a prompt that
            cannot be used; SJ413: a prompt that shows rows, without databases.
        MissingExtraError: SJ001: the packages are not installed.

    Source: GradeSQL (Tritto et al. 2026), sections 3.2, 5 and 6.
    """
    from sqljury.learning.outcome_reward.examples import Settings, balanced
    from sqljury.learning.outcome_reward.training import train_verifier

    chosen, text = settings or Settings(), VerifierPrompt(prompt)
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    cases = list(read_cases(paths, mapping=mapping))
    if text.shows_rows and databases is None:
        raise InputError(
            "SJ413",
            f"the prompt {prompt} shows rows, which need databases.",
            hint="Give --databases.",
        )
    made = VerifierExamples(text, label)
    known = _with_evidence(cases, databases, schemas, on_prepared)
    examples = list(made.of(known))
    if not examples:
        reasons = ", ".join(f"{why} {n}" for why, n in made.left_out.items()) or "none are there"
        raise InputError("SJ027", f"no candidate can be learnt from: {reasons}.")
    about = {
        "prompt": {"variant": text.variant, "fingerprint": text.fingerprint},
        "data": {
            "files": [Path(path).name for path in paths],
            "candidates": len(cases),
            "left_out": dict(sorted(made.left_out.items())),
            "balanced": balance,
        },
    }
    kept = balanced(examples, chosen.seed) if balance else examples
    return train_verifier(kept, base, Path(out), chosen, about=about, watch=on_step)


def _with_evidence(
    cases: Iterable[Case],
    databases: PathLike | None,
    schemas: PathLike | None,
    on_prepared: Callable[[int, int], None],
) -> Iterator[tuple[Case, Evidence]]:
    """The cases, sorted by database, each with its evidence; one database is open at a time."""
    ordered = sorted(cases, key=lambda case: case.db_id)
    cache, done = ExecutionCache(), 0
    with Places(databases, schemas) as places:
        for db_id, group in groupby(ordered, key=lambda case: case.db_id):
            database = places.database(db_id)
            for case in group:
                yield case, DatabaseEvidence(case, database, cache, _LIMITS, schemas=places.schemas)
                done += 1
                on_prepared(done, len(ordered))
            places.release(db_id)
