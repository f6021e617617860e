"""Count how many queries of files use each SQL keyword."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqljury.benchmarks import read_cases
from sqljury.case import Json
from sqljury.uses.building.pairs.card import keyword_shares
from sqljury.writing import PathLike


def keyword_tables(
    files: Sequence[PathLike],
    *,
    dialect: str = "sqlite",
    format: str | None = None,
    mapping: Mapping[str, str] | None = None,
) -> dict[str, dict[str, Json]]:
    """For each file, its number of cases (``n``) and the percent of queries with each keyword.

    The percents are given for ``references`` and for ``predictions``; a side that a file lacks is
    left out. A query that cannot be read counts as one without keywords.

    Raises:
        InputError: a file that cannot be read.

    Source: Zhan et al. 2024 (FuncEvalGMN), appendix M, table 6.
    """
    found: dict[str, dict[str, Json]] = {}
    for path in files:
        cases = list(read_cases([path], format=format, mapping=mapping))
        sides = {
            "references": [case.reference_sqls[0] for case in cases if case.reference_sqls],
            "predictions": [c.predicted_sql for c in cases if isinstance(c.predicted_sql, str)],
        }
        shares: dict[str, Json] = {
            side: dict(keyword_shares(queries, dialect))
            for side, queries in sides.items()
            if queries
        }
        found[str(path)] = {"n": len(cases), **shares}
    return found
