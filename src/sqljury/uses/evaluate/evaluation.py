"""Judge cases, at once or in batches, and load or merge runs."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sqljury.benchmarks import fingerprint
from sqljury.case import Case, Json
from sqljury.closing import Closing
from sqljury.errors import InputError, MissingExtraError
from sqljury.isolation import TemporaryFolder
from sqljury.judges import Judge
from sqljury.runs import (
    RUN_FILE,
    Billing,
    Run,
    Shard,
    UnderWay,
    merge_runs,
    open_run,
    run_in_batches,
    run_judges,
    statement_prices,
)
from sqljury.uses.evaluate.answers import system_answers
from sqljury.uses.evaluate.summary import Summary, summarise
from sqljury.uses.evaluate.systems import several_systems, with_systems
from sqljury.uses.evaluate.words import score_sentence
from sqljury.uses.inputs import CasesLike, RunKeywords, cases_of, run_settings
from sqljury.verdict import Billed, Outcome, Record
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.llm import Collected, Estimate
    from sqljury.reports.plots import ScorePlot
    from sqljury.uses.agree.agreement import Agreement
    from sqljury.uses.evaluate.comparison import RunComparison
    from sqljury.uses.evaluate.failures import Failures


class Evaluation(Closing):
    """The result of an evaluation: a summary with the scores, and the records behind it.

    A run without a folder is kept in a temporary one, which :meth:`close` removes.
    """

    def __init__(
        self, run: Run, temporary: TemporaryFolder | None = None, by: Sequence[str] = ()
    ) -> None:
        self.run = run
        self._temporary = temporary
        signatures = {judge.name: judge.signature for judge in run.judges}
        summary = summarise(
            run.records(whole=bool(by), with_evidence=False),
            signatures,
            str(run.folder),
            run.count_cases(),
            run.reading,
            by,
        )
        if several_systems(summary):
            records = run.records(whole=False, with_evidence=False, by_question=True)
            summary = with_systems(summary, records)
        if system := run.reading.get("system"):
            first = run.judges[0].name
            records = run.records(with_evidence=False)
            cases = (record.case for record in records if record.judge == first)
            summary = replace(summary, answers=system_answers(system, cases))
        self.summary: Summary = summary
        self._check_columns(by)

    def _check_columns(self, by: Sequence[str]) -> None:
        known = {part.dimension for judge in self.summary.judges for part in judge.slices}
        for column in by:
            if column not in known:
                raise InputError(
                    "SJ509",
                    f"no case has a column {column!r} to give scores by.",
                    hint=f"The input's own columns: {', '.join(self.run.own_columns()) or 'none'}.",
                )

    def records(self, *, case_id: str = "") -> Iterator[Record]:
        """One record per case and judge, with evidence, in the order of the input."""
        return self.run.records(case_id=case_id)

    def scores(self) -> dict[str, float | None]:
        """The score of each judge, in [0, 1]; None if no case counts."""
        return {judge.name: judge.score for judge in self.summary.judges}

    def __getitem__(self, name: str) -> list[Record]:
        """The records of one case, by its id or its full name (benchmark/id/source).

        Raises:
            KeyError: there is no such case.
        """
        found = list(self.records(case_id=name)) or [
            record for record in self.records() if record.case.name == name
        ]
        if not found:
            raise KeyError(name)
        return found

    def failures(self, judge: str | None = None) -> Failures:
        """The cases that are not correct, by cause, the most frequent cause first.

        ``to_frame()`` of the result gives them as a data frame.

        Args:
            judge: the judge whose verdicts are read; by default the first.
        """
        from sqljury.uses.evaluate.failures import failures_of

        return failures_of(self.run, judge)

    def first_failure(self) -> Case | None:
        """The first case that the first judge does not call correct; None if there is none.

        Cases that are left out of the score do not count.
        """
        judge = self.run.judges[0].name
        failed = (
            record.case
            for record in self.run.records(whole=False, with_evidence=False)
            if record.judge == judge
            and record.verdict.outcome is not Outcome.CORRECT
            and not record.verdict.outcome.left_out
        )
        return next(failed, None)

    def lines(self) -> list[str]:
        """A line for each judge, with its score in words."""
        return [f"{judge.name}  {score_sentence(judge)}" for judge in self.summary.judges]

    def to_frame(self, library: str | None = None) -> Any:
        """A data frame with a row for each case and judge.

        Its columns are the question, both queries, the verdict, the cause, the measures, and the
        input's own columns.

        Args:
            library: ``pandas`` or ``polars``; by default the first that is installed.

        Raises:
            InputError: SJ803: neither is installed.
        """
        from sqljury.reports.export import as_frame

        return as_frame(self.records(), library)

    def to_dataset(self) -> Any:
        """A data set of Hugging Face with a row for each case and judge, in memory.

        Its columns are those of ``--export FILE.parquet``.

        Raises:
            MissingExtraError: SJ001: datasets is not installed.
        """
        try:
            from datasets import Dataset
            from pyarrow.parquet import read_table
        except ImportError:
            raise MissingExtraError("datasets", "datasets", "Making data sets") from None
        from sqljury.reports.export import write_parquet

        with TemporaryFolder() as folder:
            file = folder / "records.parquet"
            write_parquet(file, self.records(), self.run.own_columns())
            return Dataset(read_table(file, memory_map=False))

    def to_html(self, path: PathLike, *, agreement: Agreement | None = None) -> None:
        """Write the report as one self-contained HTML file.

        Args:
            agreement: the agreement with human labels (:func:`sqljury.agree`), shown in the report.

        Raises:
            InputError: the file cannot be written.
        """
        from sqljury.uses.evaluate.failures import differences_in
        from sqljury.uses.evaluate.page import write_report

        write_report(
            path,
            self.summary,
            self.records(),
            title=self.run.folder.name,
            agreement=agreement,
            told_apart=differences_in(self.run),
        )

    def plot(self) -> ScorePlot:
        """A plot for notebooks: a row for each judge or system, with its score and interval."""
        from sqljury.reports.plots import ScorePlot
        from sqljury.uses.evaluate.document import score_points

        return ScorePlot(score_points(self.summary))

    def write_baseline(self, path: PathLike) -> None:
        """Write the outcomes to a file that is small enough to be committed, for :func:`gate`.

        Raises:
            InputError: the file cannot be written.
            InfrastructureError: SJ416: verdicts are missing.
        """
        from sqljury.uses.evaluate.baseline import Baseline
        from sqljury.uses.evaluate.left_out import GatedScore, refuse_missing

        refuse_missing([GatedScore.of(judge) for judge in self.summary.judges])
        Baseline.of(self.run).write(path)

    def compare(self, other: Evaluation) -> RunComparison:
        """The cases that a later evaluation gets right and this one wrong, and the reverse.

        Raises:
            InputError: SJ418: no judge or no case in common.
        """
        from sqljury.uses.evaluate.comparison import compared

        return compared(self.run, other.run)

    def __repr__(self) -> str:
        return "\n".join(["Evaluation:", *(f"  {line}" for line in self.lines())])

    def _repr_html_(self) -> str:
        """An HTML table for notebooks, with a row for each judge."""
        rows = (
            f"<tr><th style='text-align:left'>{escape(judge.name)}</th>"
            f"<td style='text-align:left'>{escape(score_sentence(judge))}</td></tr>"
            for judge in self.summary.judges
        )
        return f"<table>{''.join(rows)}</table>"

    def close(self) -> None:
        """Close the run; remove its folder if it is temporary."""
        self.run.close()
        if self._temporary is not None:
            self._temporary.close()


def evaluate(
    cases: CasesLike,
    judges: str | Judge | Sequence[str | Judge] = ("execution",),
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    predictions: PathLike | Sequence[PathLike] | None = None,
    run: PathLike | None = None,
    shard: str | None = None,
    by: Sequence[str] = (),
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    **settings: Unpack[RunKeywords],
) -> Evaluation:
    """Judge cases and aggregate the verdicts.

    Args:
        cases: cases, files of cases (see :func:`sqljury.read_cases`), or rows: objects, a data
            frame, a data set of Hugging Face, with the usual key names.
        judges: names such as ``execution:spider``, or judges.
        databases: a folder in Spider or BIRD layout, a file, or a URL with ``{db_id}``. Judges
            that compare texts alone need none.
        predictions: files with predictions for a file of references.
        run: the folder for the verdicts; an existing one resumes.
        shard: ``I/N``: judge the I-th of N parts of the cases (:func:`merge_evaluations`).
        by: input columns to group scores by, besides databases and difficulties.
        on_progress: called with the number of verdicts found, and of all verdicts.
        settings: ``descriptions``, ``schemas``, ``suites``, ``limits``, ``workers``, ``llm``
            (:class:`sqljury.RunKeywords`).

    Raises:
        InputError: input that cannot be used at all.
        InfrastructureError: a server cannot be reached, or a worker cannot be started.

    >>> case = Case(id="1", predicted_sql="SELECT 1", reference_sqls=("SELECT 1.0",), db_id="m")
    >>> import sqlite3, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> sqlite3.connect(folder / "m.sqlite").execute("CREATE TABLE t (a)").connection.close()
    >>> with evaluate([case], ["execution"], folder, workers=1) as found:
    ...     found.scores()
    {'execution:strict': 1.0}
    """
    temporary = TemporaryFolder() if run is None else None
    folder = Path(run) if run is not None else Path(temporary.path if temporary else "")
    options = run_settings(databases, **settings)
    if shard is not None:
        options = replace(options, shard=Shard.parse(shard))
    asked = [judges] if isinstance(judges, str) or not isinstance(judges, Sequence) else judges
    found = cases_of(cases, predictions)
    done = run_judges(found, asked, options, folder=folder, on_progress=on_progress)
    return Evaluation(done, temporary, by)


def evaluate_in_batches(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    judges: Sequence[str | Judge],
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    run: PathLike,
    wait: bool = False,
    by: Sequence[str] = (),
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    on_look: Callable[[Collected], None] = lambda _: None,
    **settings: Unpack[RunKeywords],
) -> Evaluation | UnderWay:
    """Judge cases as :func:`evaluate` does, but call models in batches.

    Returns an :class:`Evaluation` if everything is judged, else :class:`UnderWay`: the same call
    again collects the answers and continues.

    Args:
        run: the folder for the verdicts.
        wait: wait until everything is judged.
        by: as for :func:`evaluate`.
        on_look: called with the state of the batches, each time it is fetched while waiting.

    Raises:
        InputError: as :func:`evaluate`, or a model's provider takes no batches.
        InfrastructureError: as :func:`evaluate`, or a batch fails as a whole.
    """
    done = run_in_batches(
        cases_of(cases),
        judges,
        run_settings(databases, **settings),
        folder=Path(run),
        wait=wait,
        on_progress=on_progress,
        on_look=on_look,
    )
    return done if isinstance(done, UnderWay) else Evaluation(done, by=by)


def dry_run(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    judges: Sequence[str | Judge],
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    batch: bool = False,
    **settings: Unpack[RunKeywords],
) -> Estimate:
    """Estimate the calls, tokens and money that the judges' model calls would cost.

    Answers in the ledger cost nothing. Every answer is taken to be a yes, which leads to the next
    question. Queries are executed, as the questions depend on rows; no model is called.

    Args:
        batch: estimate the price of batches, without questions that a batch already holds.

    Raises:
        InputError, InfrastructureError: as :func:`evaluate`.
    """
    from sqljury.llm import Estimate

    options = replace(run_settings(databases, **settings), dry_run=True, batch=batch)
    with (
        TemporaryFolder() as folder,
        run_judges(cases_of(cases), judges, options, folder=folder) as run,
    ):
        found: Counter[str] = Counter()
        for record in run.records(whole=False, with_evidence=False):
            found.update(record.verdict.measures)
    return Estimate(
        calls=int(found["calls"]),
        prompt_tokens=int(found["prompt_tokens"]),
        completion_tokens=int(found["completion_tokens"]),
        money=None if found["unpriced"] else float(found["money"]),
    )


def dry_run_on_warehouse(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    databases: PathLike | Sequence[PathLike] | None = None,
    **settings: Unpack[RunKeywords],
) -> tuple[Billed, int] | None:
    """The most that the statements of the cases can cost on a warehouse, and how many of them would
    not run; None if the databases bill nothing. No statement runs.

    Raises:
        InputError, InfrastructureError: as :func:`evaluate`.
    """
    options = run_settings(databases, **settings)
    if Billing.of(options.sources, Path(), None) is None:
        return None
    return statement_prices(cases_of(cases), options)


def load_run(folder: PathLike, *, by: Sequence[str] = ()) -> Evaluation:
    """The evaluation of a stored run; nothing is judged again.

    Args:
        folder: the run's folder.
        by: as for :func:`evaluate`.

    Raises:
        InputError: the folder is not a run; SJ509: no case has such a column.
    """
    return Evaluation(open_run(Path(folder)), by=by)


def merge_evaluations(folder: PathLike, runs: Sequence[PathLike]) -> Evaluation:
    """Merge the shards of one input, or runs over several inputs, into one run.

    Args:
        folder: the folder of the new run; it must be empty or not exist.
        runs: the folders of the runs; each shard once.

    Raises:
        InputError: SJ401, SJ404, SJ429: the runs do not fit together.
    """
    return Evaluation(merge_runs(Path(folder), [Path(run) for run in runs]))


def find_runs(folder: PathLike) -> list[Path]:
    """The folders of the runs in a folder, the latest first."""
    found = [path.parent for path in Path(folder).glob(f"*/{RUN_FILE}")]
    return sorted(found, key=lambda run: (-(run / RUN_FILE).stat().st_mtime, run.name))


def default_run(files: Sequence[PathLike], options: Mapping[str, Json]) -> Path:
    """The folder of a run that was given none; the same files and options give the same folder."""
    text = json.dumps([fingerprint(files), dict(options)], sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(files[0]).name.split(".")[0]).strip("-") or "run"
    return Path("sqljury-runs") / f"{stem}-{digest}"
