"""Ask a system under test for the predictions of questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqljury.benchmarks import Cases, read_cases
from sqljury.case import Case
from sqljury.settings import Sampling, SystemCalls
from sqljury.uses.generating.pools import Generated, generate_pool
from sqljury.writing import PathLike

ANSWERS = "answers.jsonl"
"""The name of the pool of a system's answers in a run's folder."""


@dataclass(frozen=True)
class SystemCases(Iterable[Case]):
    """The cases with a system's answers as predictions.

    Args:
        pool: the file of the answers.
        n: the answers to each question; if there are several, each is a case, and its number is
            the case's source.
        system: what the user typed.
        counts: how many answers there are.
        questions: the questions that were asked, whose benchmark and place the cases get.
    """

    pool: Path
    n: int
    system: str
    counts: Generated
    questions: Cases

    @property
    def files(self) -> dict[str, str]:
        """The path of each file of questions; see :class:`sqljury.benchmarks.Cases`."""
        return self.questions.files

    def __iter__(self) -> Iterator[Case]:
        """The cases in the order of the questions, read from the pool."""
        # A question without a benchmark has that of the pool when it is read from there.
        stem = self.pool.stem
        asked = {(one.benchmark or stem, one.id): one for one in self.questions}
        for case in read_cases(self.pool, strip_fences=False):
            question = asked[case.benchmark, case.id]
            own = ("generator",) if self.n > 1 else ("generator", "sample")
            extra = {key: value for key, value in case.extra.items() if key not in own}
            yield replace(
                case,
                extra=extra,
                source=case.source if self.n > 1 else "",
                benchmark=question.benchmark,
                origin=question.origin,
            )


def answer_questions(
    questions: PathLike | list[Path],
    system: SystemCalls,
    n: int,
    folder: Path,
    **settings: Any,
) -> SystemCases:
    """Ask a system under test each question and write its answers into a run's folder.

    Args:
        folder: the run's folder; it gets the pool ``answers.jsonl``.
        settings: keywords of :func:`sqljury.uses.generating.pools.generate_pool`.

    Raises:
        InputError, InfrastructureError: as :func:`sqljury.uses.generating.pools.generate_pool`.
    """
    pool = folder / ANSWERS
    counts = generate_pool(questions, pool, Sampling(n=n), system=system, **settings)
    asked = read_cases(
        questions,
        format=settings.get("format"),
        mapping=settings.get("mapping"),
        questions=True,
    )
    return SystemCases(pool, n, str(system.system), counts, asked)
