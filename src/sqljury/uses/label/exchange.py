"""Labels out to a file in ROSE-VEC's format, and in from files of work that was done elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sqljury.benchmarks import write_cases
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.uses.label.store import LabelStore, LabelVote
from sqljury.writing import PathLike


def export_labels(store: LabelStore, path: PathLike, *, all_votes: bool = False) -> int:
    """Write the labelled cases in ROSE-VEC's format, which `agree` and `evaluate` read.

    Each case has ``label`` and the annotators' reasons as ``reason_1``, ``reason_2``, …

    Args:
        all_votes: write also the cases without a label, decided cases, and who said what
            (``votes``); otherwise only the cases on which all annotators agree.

    Returns:
        The number of cases.

    Raises:
        InputError: the file cannot be written.
    """
    found = list(labelled(store, all_votes=all_votes))
    write_cases(found, path, "rose")
    return len(found)


def labelled(store: LabelStore, *, all_votes: bool = False) -> Iterator[Case]:
    """The cases that :func:`export_labels` writes, in the order of the input."""
    for number, one in enumerate(store.cases):
        votes = [store.votes[number][name] for name in store.assigned[number]
                 if name in store.votes[number]]  # fmt: skip
        consensus = store.consensus(number)
        if consensus is None and not (all_votes and votes):
            continue
        more: dict[str, Json] = {
            f"reason_{place}": _reason(vote) for place, vote in enumerate(votes, 1)
        }
        if all_votes:
            decided = store.decisions.get(number)
            more["votes"] = [_fields(vote) for vote in votes]
            more |= {} if decided is None else {"decision": _fields(decided)}
        label = store.label(number) if all_votes else consensus
        yield replace(one.case, label=label, extra={**one.case.extra, **more})


def _reason(vote: LabelVote) -> str:
    """The reason with the words that ROSE's annotators use for faults of the benchmark."""
    tags = [
        *(["GOLD FALSE"] if vote.faulty_reference else []),
        *(["AMBIGUOUS QUESTION"] if vote.ambiguous else []),
    ]
    return "\n".join([*filter(None, [vote.reason]), *tags])


def _fields(vote: LabelVote) -> dict[str, Json]:
    return {
        "by": vote.by,
        "correct": vote.correct,
        "reason": vote.reason,
        "ambiguous": vote.ambiguous,
        "faulty_reference": vote.faulty_reference,
        "at": vote.at,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedLabels:
    """How many labels were taken in, and how many were not."""

    taken: int
    unknown: int
    """Labels of cases that are not in the project."""
    not_assigned: int
    """Labels by people who do not label the case."""
    known: int
    """Labels that were there already."""


def import_labels(store: LabelStore, path: Path, annotator: str | None = None) -> ImportedLabels:
    """Take labels from another project's file, or from an export with all votes.

    Args:
        annotator: who gave the labels of a file that has no ``votes``, but a ``label`` a case.

    Raises:
        InputError: SJ554: the file has neither.
    """
    places = {one.case.key: number for number, one in enumerate(store.cases)}
    taken = unknown = not_assigned = known = 0
    for case, vote in _votes_in(path, annotator):
        number = places.get(case.key)
        if number is None:
            unknown += 1
        elif vote.by not in store.assigned[number]:
            not_assigned += 1
        elif vote.by in store.votes[number]:
            known += 1
        else:
            store.vote(number, vote.by, vote)
            taken += 1
    return ImportedLabels(taken=taken, unknown=unknown, not_assigned=not_assigned, known=known)


def _votes_in(path: Path, annotator: str | None) -> Iterator[tuple[Case, LabelVote]]:
    if _is_project(path):
        with LabelStore(path) as other:
            for number, votes in enumerate(other.votes):
                yield from ((other.cases[number].case, vote) for vote in votes.values())
        return
    from sqljury.benchmarks import read_cases

    found = False
    for case in read_cases([path]):
        given = case.extra.get("votes")
        stated = list(_stated(given)) if isinstance(given, list) else []
        if not stated and annotator is not None and case.label is not None:
            reason = str(case.extra.get("reason", ""))
            stated = [LabelVote(correct=case.label, reason=reason, by=annotator)]
        found = found or bool(stated)
        yield from ((case, vote) for vote in stated)
    if not found:
        raise InputError(
            "SJ554",
            "the file has no votes.",
            where=str(path),
            hint="Name the annotator whose labels they are with --annotator.",
        )


def _stated(given: Iterable[Json]) -> Iterator[LabelVote]:
    for one in given:
        try:
            yield LabelVote(**one)  # type: ignore[arg-type]
        except TypeError as error:
            raise InputError("SJ554", f"not a vote: {error}.") from error


def _is_project(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(head, dict) and head.get("kind") == "labels"
