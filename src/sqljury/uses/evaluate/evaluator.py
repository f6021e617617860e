"""Judges whose workers keep running, for programs that judge single cases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Unpack

from sqljury.benchmarks import cases_of_rows
from sqljury.case import Case, Json
from sqljury.closing import Closing
from sqljury.judges import Judge
from sqljury.runs import WarmJudges
from sqljury.uses.inputs import RunKeywords, run_settings
from sqljury.verdict import Verdict
from sqljury.writing import PathLike


class Evaluator(Closing):
    """Judges one case at a time, by workers that are started once.

    Nothing is stored. Queries run as they do in a run: in workers, within limits, read-only.
    Results are cached until a database file changes. Changes on a server are not noticed: make a
    new evaluator when its data have changed.

    Args:
        databases: a folder in Spider or BIRD layout, a file, or a URL with ``{db_id}``.
        judges: names such as ``execution:spider``, or judges.
        settings: as for :func:`sqljury.evaluate`. One case at a time needs one worker for each
            way that judges run; more are started when several cases are judged at once.

    Raises:
        InputError: an unknown judge, or settings that cannot be used.
        InfrastructureError: the workers cannot work.

    >>> import sqlite3, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> sqlite3.connect(folder / "m.sqlite").execute("CREATE TABLE t (a)").connection.close()
    >>> with Evaluator(folder) as evaluator:
    ...     found = evaluator.judge({"db_id": "m", "gold": "SELECT 2", "prediction": "SELECT 2.0"})
    >>> print(found["execution:strict"].outcome)
    correct
    """

    def __init__(
        self,
        databases: PathLike | Sequence[PathLike] | None = None,
        judges: str | Judge | Sequence[str | Judge] = ("execution",),
        **settings: Unpack[RunKeywords],
    ) -> None:
        asked = [judges] if isinstance(judges, str) or not isinstance(judges, Sequence) else judges
        self._judges = WarmJudges(asked, run_settings(databases, **settings))

    def judge(self, case: Case | Mapping[str, Json]) -> dict[str, Verdict]:
        """The verdict of each judge on a case, by the judge's name.

        Args:
            case: a case, or an object with the usual key names.

        Raises:
            InputError: not a case, or a correction of the overlay does not fit.
            InfrastructureError: the workers cannot work.
        """
        (found,) = self.judge_all([case])
        return found

    def judge_all(
        self,
        cases: Sequence[Case | Mapping[str, Json]],
        judges: Collection[str] | None = None,
    ) -> list[dict[str, Verdict]]:
        """The verdicts on several cases, in their order, judged by all workers at once.

        Args:
            cases: cases or objects, as for :meth:`judge`.
            judges: the full names of those judges that are needed now, such as
                ``execution:strict``; by default all.

        Raises:
            InputError: not a case, or a correction of the overlay does not fit.
            InfrastructureError: the workers cannot work.
        """
        return self._judges.judge(list(cases_of_rows(cases)), judges)

    def close(self) -> None:
        """Stop the workers."""
        self._judges.close()
