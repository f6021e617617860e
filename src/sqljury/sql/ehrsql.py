"""EHRSQL-2024's changes to a query before it runs: its clock stands still on 2100-12-31.

These follow ``scoring_program/postprocessing.py`` in glee4810/ehrsql-2024 (commit 4659789).
"""

from __future__ import annotations

import re

_TODAY, _TIME = "2100-12-31", "23:59:00"
_NOW = f"'{_TODAY} {_TIME}'"
_CLOCK = {
    "current_time": _NOW,
    "current_date": f"'{_TODAY}'",
    "'now'": _NOW,
    "NOW()": _NOW,
    "CURDATE()": f"'{_TODAY}'",
    "CURTIME()": f"'{_TIME}'",
}
_RANGES = {
    "temperature": (35.5, 38.1),
    "sao2": (95.0, 100.0),
    "heart rate": (60.0, 100.0),
    "respiration": (12.0, 18.0),
    "systolic bp": (90.0, 120.0),
    "diastolic bp": (60.0, 90.0),
    "mean bp": (60.0, 110.0),
}
"""Vital sign → the bounds that stand for ``NAME_lower`` and ``NAME_upper``."""
_SHIFT = re.compile(
    r"(DATE_SUB|DATE_ADD)\((\w+\(\)|'[^']+')[, ]+ INTERVAL (\d+) (MONTH|YEAR|DAY)\)"
)
_BOUND = r"[ \n]+([a-zA-Z0-9_]+_{})"


def as_ehrsql_runs(sql: str) -> str:
    """The query as the official script of EHRSQL-2024 runs it.

    MySQL's ``DATE_SUB`` and ``DATE_ADD`` become SQLite's, the clock is fixed, the normal ranges of
    vital signs get their numbers, and ``%y`` and ``%j`` become ``%Y`` and ``%J``.

    >>> as_ehrsql_runs("SELECT datetime(current_time,  '-1 year') WHERE a > = sao2_lower")
    "SELECT datetime('2100-12-31 23:59:00', '-1 year') WHERE a >= sao2_lower"
    >>> as_ehrsql_runs("a BETWEEN sao2_lower AND sao2_upper")
    'a BETWEEN 95.0 AND 100.0'
    """
    sql = re.sub(r"[ ]+", " ", sql.replace("\n", " ")).strip()
    sql = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
    sql = _SHIFT.sub(_shifted, sql)
    for word, value in _CLOCK.items():
        sql = sql.replace(word, value)
    lower, upper = (re.findall(_BOUND.format(side), sql) for side in ("lower", "upper"))
    if lower and upper:
        names = {name for end in ("lower", "upper") for name in _names(lower[0], upper[0], end)}
        name = names.pop().replace("_", " ") if len(names) == 1 else ""
        for word, bound in zip((lower[0], upper[0]), _RANGES.get(name, ()), strict=False):
            sql = sql.replace(word, f"{bound}")
    return sql.replace("%y", "%Y").replace("%j", "%J")


def _names(lower: str, upper: str, side: str) -> list[str]:
    return re.findall(rf"([a-zA-Z0-9_]+)_{side}", lower if side == "lower" else upper)


def _shifted(found: re.Match[str]) -> str:
    function, date, number, unit = found.groups()
    sign = "-" if function == "DATE_SUB" else "+"
    plural = "" if number == "1" else "s"
    return f"datetime({date}, '{sign}{number} {unit.lower()}{plural}')"
