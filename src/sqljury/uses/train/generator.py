"""Train a sequence-to-sequence model on questions with references."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.benchmarks import read_cases
from sqljury.databases import Places
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.uses.generating.modes import serialized_question
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.learning.generator import GeneratorSettings


def train_generator_on(
    data: PathLike | Sequence[PathLike],
    base: str,
    out: PathLike,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    mapping: Mapping[str, str] | None = None,
    settings: GeneratorSettings | None = None,
    on_step: Callable[[int, int, str], None] = lambda _done, _total, _said: None,
) -> dict[str, Any]:
    """Train a model that writes SQL, and write its folder, for ``generate --model local:OUT``.

    Returns the facts about its training. It learns to write the first reference of each question
    from the prompt of ``generate --style serialized``. The same call again resumes.

    Args:
        data: files of questions with references; questions without a reference are left out.
        base: the folder of an encoder with a decoder (T5, BART).
        databases, schemas: where schemas come from.
        on_step: called with the number of steps done, of all steps, and the last measure in words.

    Raises:
        InputError: SJ022, SJ026, SJ027, SJ034: a base, a folder, data or settings that cannot be
            used; SJ320: no schema.
        MissingExtraError: SJ001: the packages are not installed.

    Source: TrustSQL (Lee et al. 2024), section 4.1.
    """
    from sqljury.learning.generator import GeneratorExample, GeneratorSettings, train_generator

    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    cases = list(read_cases(paths, mapping=mapping))
    usable = [one for one in cases if one.question and one.reference_sqls]
    cache, examples = ExecutionCache(), []
    with Places(databases, schemas) as places:
        for case in sorted(usable, key=lambda case: case.db_id):
            database = places.database(case.db_id)
            known = DatabaseEvidence(case, database, cache, Limits(), schemas=places.schemas)
            asked = serialized_question(case, known)
            if asked is None:
                raise InputError(
                    "SJ320",
                    f"there is no schema of the database {case.db_id!r}.",
                    where=case.name,
                    hint="Give --databases or --schemas.",
                )
            examples.append(GeneratorExample(asked, " ".join(case.reference_sqls[0].split())))
    about = {
        "data": {
            "files": [Path(path).name for path in paths],
            "questions": len(cases),
            "without_reference": len(cases) - len(usable),
        }
    }
    chosen = settings or GeneratorSettings()
    return train_generator(examples, base, Path(out), chosen, about=about, watch=on_step)
