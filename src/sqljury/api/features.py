"""The features of cases, as a table to train on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Unpack

from sqljury.api.inputs import PathLike, RunKeywords, cases_of, run_settings
from sqljury.case import Case
from sqljury.isolation import TemporaryFolder
from sqljury.judges.jury_features import FeatureRow
from sqljury.runs import run_judges
from sqljury.uses.features import FeatureTable, feature_table


def features(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    groups: str = "",
    run: PathLike | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    **settings: Unpack[RunKeywords],
) -> FeatureTable:
    """A row of named features for each case; an unknown feature is None. Calls no model.

    Args:
        cases: cases, or files of cases.
        databases: as for :func:`sqljury.evaluate`. Without a case's database, its features of rows
            are None.
        groups: names of groups of features, joined by ``+``; empty for all.
        run: the folder for the features; an existing one resumes.
        on_progress: called with the number of cases done, and of all cases.
        settings: as for :func:`sqljury.evaluate`.

    Raises:
        InputError: SJ348: no such group; others as :func:`sqljury.evaluate`.

    >>> case = Case(id="1", predicted_sql="SELECT a FROM t", reference_sqls=("SELECT b FROM t",),
    ...     schema_sql="CREATE TABLE t (a INTEGER, b INTEGER)", question="Which a are there?")
    >>> found = features([case], groups="differences+execution", workers=1)
    >>> row = found.rows[0]
    >>> row["differences_total"], row["differences_said_more"], row["execution_strict"]
    (1.0, 1.0, None)
    """
    judge = FeatureRow(groups)
    options = run_settings(databases, **settings)
    with ExitStack() as stack:
        folder = Path(run) if run is not None else Path(stack.enter_context(TemporaryFolder()))
        done = stack.enter_context(
            run_judges(cases_of(cases), [judge], options, folder=folder, on_progress=on_progress)
        )
        signature = done.judges[0].signature.replace("{n}", str(done.count_cases()))
        return feature_table(done.records(with_evidence=False), groups, signature)
