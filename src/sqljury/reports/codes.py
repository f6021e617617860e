"""Error codes of reports: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ349": (
        "a table of features cannot be written to such a file",
        "`sqljury evaluate --features` takes the form of the table from the file's ending: .csv, "
        ".jsonl or .parquet (needs sqljury[parquet]).",
    ),
    "SJ803": (
        "no data frame",
        "Frames are made by pandas or polars, whichever is installed; sqljury needs neither.",
    ),
}
