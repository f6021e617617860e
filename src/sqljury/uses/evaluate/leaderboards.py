"""Leaderboards of the systems in several runs, one for each benchmark."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain

from sqljury.errors import InputError
from sqljury.runs import Run, open_run
from sqljury.signature import Signature
from sqljury.uses.evaluate.summary import Summary, summarise
from sqljury.uses.evaluate.systems import with_systems
from sqljury.verdict import Record
from sqljury.writing import PathLike


def leaderboards(runs: Sequence[PathLike]) -> dict[str, Summary]:
    """The scores of all systems of some runs, by benchmark, with paired tests.

    A system is named by the source of its cases. If they have none, it is named by its run's
    folder; if two runs have a system of the same name, by the folder and the source.

    Raises:
        InputError: SJ401: a folder is no run; SJ419: a judge judged two runs with different
            versions, options or limits.
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
    """A run whose systems get names that no other run has."""

    def __init__(self, run: Run, taken: set[str]) -> None:
        self._run = run
        self._taken = taken

    def records(self, benchmark: str | None = None) -> Iterator[Record]:
        """The records of a benchmark, or of all; those of one question follow each other."""
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
    """For each run, the names of systems that another run has too."""
    sources = [
        {record.case.source for record in run.records(whole=False, with_evidence=False)}
        for run in runs
    ]
    counts = Counter(name for names in sources for name in names)
    return [{name for name in names if counts[name] > 1} for names in sources]


def _of_any_cases(signature: str) -> Signature:
    """The signature without what may differ between the runs of one leaderboard."""
    return Signature.parse(signature).replaced(n=None, data=None, db=None)


def _signatures(runs: Sequence[Run]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for run in runs:
        for judge in run.judges:
            known = found.setdefault(judge.name, [])
            known.append(judge.signature)
            if _of_any_cases(known[0]) != _of_any_cases(judge.signature):
                raise InputError(
                    "SJ419",
                    f"{judge.name} judged in another way here: {judge.signature} and not "
                    f"{known[0]}.",
                    where=str(run.folder),
                    hint="Judge both with one version, the same options and limits.",
                )
    return {judge: _joined(known) for judge, known in found.items()}


def _joined(signatures: Sequence[str]) -> str:
    """One signature for all runs, with the data fingerprint of each."""
    parts = [Signature.parse(one) for one in signatures]
    data = "+".join(dict.fromkeys(one.get("data") or "" for one in parts))
    return str(parts[0].replaced(data=data))
