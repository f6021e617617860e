"""One leaderboard of several runs: every system of each, by benchmark."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain

from sqljury.api.inputs import PathLike
from sqljury.errors import InputError
from sqljury.runs import Run, open_run
from sqljury.uses.evaluate.summary import Summary, summarise
from sqljury.uses.evaluate.systems import with_systems
from sqljury.verdict import Record

_OF_ITS_CASES = re.compile(r"\|(data|db):[^|]*|n:[^|]*\|?")
"""What may differ in the signatures of scores that stand in one table."""


def leaderboards(runs: Sequence[PathLike]) -> dict[str, Summary]:
    """The scores of all systems of some runs, by benchmark, with paired tests.

    A system is called as its cases say, or as its run's folder where they do not, or where two
    runs have a system of one name.

    Raises:
        InputError: SJ401: a folder is no run; SJ419: a judge judged two runs in different ways.
    """
    with ExitStack() as stack:
        opened = [stack.enter_context(open_run(str(folder))) for folder in runs]
        signatures = _signatures(opened)
        named = [_RunSystems(run, taken) for run, taken in zip(opened, _taken(opened), strict=True)]
        benchmarks = dict.fromkeys(
            record.case.benchmark for run in named for record in run.records()
        )
        return {name: _summary(name, named, signatures) for name in benchmarks}


class _RunSystems:
    """A run whose systems have names of their own among several runs."""

    def __init__(self, run: Run, taken: set[str]) -> None:
        self._run = run
        self._taken = taken

    def records(self, benchmark: str | None = None) -> Iterator[Record]:
        """Those of one question next to each other."""
        found = self._run.records(whole=False, with_evidence=False, by_question=True)
        for record in found:
            if benchmark in (None, record.case.benchmark):
                yield replace(record, case=replace(record.case, source=self._name(record)))

    def _name(self, record: Record) -> str:
        source, run = record.case.source, self._run.folder.name
        if source not in self._taken and source:
            return source
        return f"{run}/{source}" if source else run


def _summary(benchmark: str, runs: Sequence[_RunSystems], signatures: Mapping[str, str]) -> Summary:
    all_records = chain.from_iterable(run.records(benchmark) for run in runs)
    by_question = heapq.merge(
        *(run.records(benchmark) for run in runs), key=lambda record: record.case.id
    )
    return with_systems(summarise(all_records, signatures, benchmark), by_question)


def _taken(runs: Sequence[Run]) -> list[set[str]]:
    """For each run the names of systems that another has, too."""
    sources = [
        {record.case.source for record in run.records(whole=False, with_evidence=False)}
        for run in runs
    ]
    counts = Counter(name for names in sources for name in names)
    return [{name for name in names if counts[name] > 1} for names in sources]


def _signatures(runs: Sequence[Run]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for run in runs:
        for judge in run.judges:
            known = found.setdefault(judge.name, [])
            known.append(judge.signature)
            if _OF_ITS_CASES.sub("", known[0]) != _OF_ITS_CASES.sub("", judge.signature):
                raise InputError(
                    "SJ419",
                    f"{judge.name} judged in another way here: {judge.signature} and not "
                    f"{known[0]}.",
                    where=str(run.folder),
                    hint="Judge both with one version, the same options and limits.",
                )
    return {judge: _joined(known) for judge, known in found.items()}


def _joined(signatures: Sequence[str]) -> str:
    """One line for all, with the data of each."""
    data = "+".join(dict.fromkeys(one.rpartition("|data:")[2] for one in signatures))
    return f"{signatures[0].rpartition('|data:')[0]}|data:{data}"
