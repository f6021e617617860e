"""The file of a labelling project: cases, then one line for each thing that somebody did.

Lines are only appended, each is on the disk before the answer says so, and a line that a killed
process left unfinished is cut off by the next one. Several processes can write: each takes a lock,
reads what the others wrote, and appends.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqljury.case import Case, Json
from sqljury.closing import Closing
from sqljury.errors import InputError
from sqljury.uses.label.plan import LabelCase, LabelProject, assigned, order_keys
from sqljury.writing import json_line, new_file, shown_path, unwritable

try:
    import fcntl
except ImportError:  # Windows: one process at a time
    fcntl = None  # type: ignore[assignment]

_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelVote:
    """One person's label of a case."""

    correct: bool
    """The prediction answers the question."""
    reason: str = ""
    ambiguous: bool = False
    """The question, or what it means in this schema, can be read in several ways."""
    faulty_reference: bool = False
    """The reference does not answer the question."""
    by: str = ""
    at: str = ""
    """When, as ISO 8601 in UTC."""


class LabelStore(Closing):
    """An open labelling project.

    Args:
        path: the project's file.

    Raises:
        InputError: SJ554: it is not such a file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cases: list[LabelCase] = []
        self.votes: list[dict[str, LabelVote]] = []
        """For each case, the votes by annotator."""
        self.decisions: dict[int, LabelVote] = {}
        """What an adjudicator decided, by case."""
        self._history: dict[str, list[int]] = {}
        self._turn = threading.RLock()
        try:
            # Without a buffer, which would hide what other processes append.
            self._file = path.open("r+b", buffering=0)
        except OSError as error:
            raise unwritable(path, error) from error
        try:
            self.project = self._read_head()
            self.keys = order_keys(self.cases, self.project.seed)
            self.assigned = assigned(self.project, self.keys)
            self.order = sorted(range(len(self.cases)), key=self.keys.__getitem__)
            self.refresh()
        except BaseException:
            self._file.close()
            raise

    @classmethod
    def create(cls, path: Path, project: LabelProject, cases: Iterable[LabelCase]) -> LabelStore:
        """A new project's file, opened.

        Raises:
            InputError: SJ553: no cases; SJ801: the file cannot be written.
        """
        count = 0
        with new_file(path) as file:
            for line in _head(project, cases):
                file.write(json_line(line))
                count += 1
            if count < 3:
                raise InputError("SJ553", "there are no cases with a prediction to label.")
        return cls(path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # ------------------------------------------------------------ reading

    def _read_head(self) -> LabelProject:
        lines = self._file.read().splitlines(keepends=True)
        try:
            head = json.loads(lines[0])
            if head["kind"] != "labels" or head["version"] != _VERSION:
                raise KeyError("kind")
            fields = dict(head["project"])
            project = LabelProject(**{**fields, "annotators": tuple(fields["annotators"])})
            while (line := json.loads(lines[len(self.cases) + 1]))["kind"] == "case":
                case = Case.from_dict(line["case"])
                self.cases.append(LabelCase(case=case, value=line["value"], says=line["says"]))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self._not_ours() from error
        self.votes = [{} for _ in self.cases]
        self._read_to = sum(map(len, lines[: len(self.cases) + 2]))
        return project

    def _not_ours(self) -> InputError:
        return InputError(
            "SJ554",
            "this is not a file of labels, or it is damaged.",
            where=shown_path(self.path),
            hint="sqljury label-cases CASES --labels FILE makes one.",
        )

    def refresh(self) -> None:
        """Read what other processes have appended."""
        with self._turn:
            self._file.seek(self._read_to)
            for line in self._file.read().splitlines(keepends=True):
                if not line.endswith(b"\n"):
                    break  # being written, or left by a killed process
                try:
                    self._apply(json.loads(line))
                except (ValueError, LookupError, TypeError, RecursionError) as error:
                    raise self._not_ours() from error
                self._read_to += len(line)

    def _apply(self, event: Mapping[str, Any]) -> None:
        """Take one line into account."""
        kind, number, by = event["kind"], event["case"], event["by"]
        if kind == "undo":
            self.votes[number].pop(by, None)
            if number in self._history.get(by, []):
                self._history[by].remove(number)
            return
        vote = LabelVote(**{**event["vote"], "by": by, "at": event["at"]})
        if kind == "decision":
            self.decisions[number] = vote
            return
        self.votes[number][by] = vote
        history = self._history.setdefault(by, [])
        if number in history:
            history.remove(number)
        history.append(number)

    # ------------------------------------------------------------ who is next

    def next_case(self, annotator: str, after: int | None = None) -> int | None:
        """The next case for an annotator to label; None if there is none.

        Args:
            after: a case to skip: the search begins behind it, and then from the start.

        Raises:
            InputError: SJ555: there is no such annotator.
        """
        self._check_name(annotator)
        left = [
            number
            for number in self.order
            if annotator in self.assigned[number] and annotator not in self.votes[number]
        ]
        if after is not None:
            behind = [number for number in left if self.keys[number] > self.keys[after]]
            left = behind or [number for number in left if number != after] or left
        return left[0] if left else None

    def counts(self, annotator: str) -> tuple[int, int]:
        """How many cases an annotator has labelled, and has to label in all."""
        done = sum(annotator in votes for votes in self.votes)
        return done, sum(annotator in names for names in self.assigned)

    def is_complete(self, number: int) -> bool:
        """True if everybody who labels the case has."""
        return len(self.votes[number]) == len(self.assigned[number])

    def consensus(self, number: int) -> bool | None:
        """The label on which all annotators of a case agree; None if they do not, or not all have
        labelled it."""
        said = {vote.correct for vote in self.votes[number].values()}
        return said.pop() if self.is_complete(number) and len(said) == 1 else None

    def label(self, number: int) -> bool | None:
        """The case's label: the adjudicator's, else the consensus; None without either."""
        decided = self.decisions.get(number)
        return self.consensus(number) if decided is None else decided.correct

    def conflicts(self) -> list[int]:
        """The cases on which annotators disagree and nobody has decided, in the order of work."""
        return [
            number
            for number in self.order
            if self.is_complete(number)
            and self.consensus(number) is None
            and number not in self.decisions
        ]

    # ------------------------------------------------------------ writing

    def vote(self, number: int, annotator: str, vote: LabelVote) -> None:
        """Store an annotator's label; a second one of the same case replaces the first.

        Raises:
            InputError: SJ555: the annotator does not label this case; or it has been decided.
        """
        self._check_name(annotator)
        with self._writing():
            self._check_case(number)
            if annotator not in self.assigned[number]:
                raise InputError("SJ555", f"{annotator} is not assigned to case {number + 1}.")
            if number in self.decisions:
                raise InputError("SJ555", f"case {number + 1} has been decided.")
            self._append("vote", number, annotator, vote)

    def decide(self, number: int, by: str, vote: LabelVote) -> None:
        """Store an adjudicator's label of a case on which annotators disagree.

        Raises:
            InputError: SJ555: the adjudicator has no name, or the annotators do not disagree.
        """
        if not by.strip():
            raise InputError("SJ555", "the adjudicator's name is empty: enter one.")
        with self._writing():
            self._check_case(number)
            if not self.is_complete(number) or self.consensus(number) is not None:
                raise InputError(
                    "SJ555", f"the annotators do not disagree about case {number + 1}."
                )
            self._append("decision", number, by.strip(), vote)

    def undo(self, annotator: str) -> int | None:
        """Withdraw an annotator's latest label, and return its case; None if there is none.

        Raises:
            InputError: SJ555: there is no such annotator, or the case has been decided.
        """
        self._check_name(annotator)
        with self._writing():
            history = self._history.get(annotator)
            if not history:
                return None
            number = history[-1]
            if number in self.decisions:
                raise InputError("SJ555", f"case {number + 1} has been decided.")
            self._append("undo", number, annotator)
        return number

    def _check_name(self, annotator: str) -> None:
        if annotator not in self.project.annotators:
            raise InputError(
                "SJ555",
                f"{annotator!r} is not an annotator.",
                hint=f"Annotators: {', '.join(self.project.annotators)}.",
            )

    def _check_case(self, number: int) -> None:
        if not 0 <= number < len(self.cases):
            raise InputError("SJ412", f"there is no case {number + 1}.")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Holds the file's lock, after reading what others wrote."""
        with self._turn:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                self.refresh()
                yield
            finally:
                if fcntl is not None:
                    fcntl.flock(self._file, fcntl.LOCK_UN)

    def _append(self, kind: str, number: int, by: str, vote: LabelVote | None = None) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        event: dict[str, Any] = {"kind": kind, "case": number, "by": by, "at": at}
        if vote is not None:
            fields = asdict(vote)
            event["vote"] = {name: fields[name] for name in fields if name not in ("by", "at")}
        line = json_line(event).encode()
        try:
            # What a killed process left of its line is overwritten.
            self._file.truncate(self._read_to)
            self._file.seek(self._read_to)
            self._file.write(line)
            os.fsync(self._file.fileno())
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._apply(event)
        self._read_to += len(line)


def _head(project: LabelProject, cases: Iterable[LabelCase]) -> Iterator[dict[str, Json]]:
    """The lines that a file begins with: the project, its cases, and a line that ends them."""
    yield {"kind": "labels", "version": _VERSION, "project": asdict(project)}
    for one in cases:
        body = {"case": one.case.to_dict(), "value": one.value, "says": dict(one.says)}
        yield {"kind": "case", **body}
    yield {"kind": "end of cases"}
