"""A table of features as a file, by the file's name: CSV, JSON lines or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.errors import InputError, MissingExtraError
from sqljury.spreadsheet import SafeRows
from sqljury.writing import PathLike, new_binary_file, new_file, write_json_lines

if TYPE_CHECKING:
    from sqljury.uses.features import FeatureTable

SUFFIXES = (".csv", ".jsonl", ".parquet")


def check_features_path(path: PathLike) -> None:
    """Refuse a file whose name does not say what it is to hold.

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
    """Write a row a case; what is not known is empty (CSV) or null.

    Raises:
        InputError: SJ349: see :func:`check_features_path`; the file cannot be written.
        MissingExtraError: SJ001: Parquet without its package.
    """
    check_features_path(path)
    write = {".csv": _write_csv, ".jsonl": _write_jsonl, ".parquet": _write_parquet}
    write[Path(path).suffix](path, table)


def _write_csv(path: PathLike, table: FeatureTable) -> None:
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write(table.columns)
        for row in table.rows:
            rows.write(row[name] for name in table.columns)


def _write_jsonl(path: PathLike, table: FeatureTable) -> None:
    write_json_lines(path, table.rows)


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
