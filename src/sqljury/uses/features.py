"""Cases as a table of features for training models: CSV, JSON lines or Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Unpack

from sqljury.case import Case, Json
from sqljury.errors import InputError, MissingExtraError
from sqljury.isolation import TemporaryFolder
from sqljury.judges.jury_features import Feature, FeatureRow, chosen_groups
from sqljury.runs import run_judges
from sqljury.signature import with_fields
from sqljury.spreadsheet import SafeRows
from sqljury.uses.inputs import RunKeywords, cases_of, run_settings
from sqljury.verdict import Record
from sqljury.writing import PathLike, new_binary_file, new_file, write_json_lines

KEYS: Final = ("benchmark", "id", "source", "db_id", "label")
"""The columns before the features: what identifies a case, and its human label."""
Row = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureTable:
    """The features of cases, a row per case.

    Args:
        features: the columns after :data:`KEYS`, in the order of their groups.
        rows: values by column name; None where unknown.
        failed: per group of features, the number of cases on which sqljury failed to compute it.
        signature: one line that says how the table was computed.
    """

    features: tuple[Feature, ...]
    rows: Sequence[Row]
    failed: dict[str, int]
    signature: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return (*KEYS, *(one.name for one in self.features))


def feature_table(records: Iterable[Record], groups: str = "", signature: str = "") -> FeatureTable:
    """The table of features that :class:`~sqljury.judges.jury_features.FeatureRow` computed.

    Args:
        records: in the order of the input.
        groups: the groups of features with which the records were computed.
    """
    features = tuple(one for group in chosen_groups(groups) for one in group.features)
    rows: list[Row] = []
    failed: dict[str, int] = {}
    for record in records:
        found = record.verdict.measures
        keys = {name: getattr(record.case, name) for name in KEYS}
        rows.append(keys | {one.name: found.get(one.name) for one in features})
        for group in record.verdict.labels:
            failed[group] = failed.get(group, 0) + 1
    return FeatureTable(
        features=features, rows=rows, failed=dict(sorted(failed.items())), signature=signature
    )


SUFFIXES = (".csv", ".jsonl", ".parquet")


def check_features_path(path: PathLike) -> None:
    """Raise an error if the file's ending names no known format.

    Raises:
        InputError: SJ349: another ending than .csv, .jsonl or .parquet.
    """
    if Path(path).suffix not in SUFFIXES:
        raise InputError(
            "SJ349",
            f"features cannot be written to {Path(path).name!r}.",
            hint=f"Name a file that ends in {', '.join(SUFFIXES)}.",
        )


def write_features(path: PathLike, table: FeatureTable) -> None:
    """Write a row per case; unknown values are empty (CSV) or null.

    Raises:
        InputError: SJ349: see :func:`check_features_path`; the file cannot be written.
        MissingExtraError: SJ001: Parquet is wanted and pyarrow is not installed.
    """
    check_features_path(path)
    write = {
        ".csv": _write_csv,
        ".jsonl": lambda path, table: write_json_lines(path, table.rows),
        ".parquet": _write_parquet,
    }
    write[Path(path).suffix](path, table)


def _write_csv(path: PathLike, table: FeatureTable) -> None:
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write(table.columns)
        for row in table.rows:
            rows.write(row[name] for name in table.columns)


def _write_parquet(path: PathLike, table: FeatureTable) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Writing Parquet files") from None
    numbers = {one.name for one in table.features}
    texts = {"label": pa.bool_()}
    schema = pa.schema(
        (name, pa.float64() if name in numbers else texts.get(name, pa.string()))
        for name in table.columns
    )
    with new_binary_file(path) as file:
        pyarrow.parquet.write_table(pa.Table.from_pylist(list(table.rows), schema), file)


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
        signature = with_fields(done.judges[0].signature, n=done.count_cases())
        return feature_table(done.records(with_evidence=False), groups, signature)
