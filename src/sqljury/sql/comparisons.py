"""Comparison operators, by their names and by sqlglot's classes."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

MIRRORED: Final = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""By operator: the one that is equivalent after its sides are swapped."""
NEGATED: Final = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""By operator: its negation, which is NULL if the operator is NULL."""
COMPARISONS: Final = frozenset(MIRRORED)

CLASSES: Final[dict[str, type[exp.Binary]]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
MIRRORED_CLASSES: Final[dict[type[exp.Expr], type[exp.Binary]]] = {
    CLASSES[name]: CLASSES[other] for name, other in MIRRORED.items()
}
NEGATED_CLASSES: Final[dict[type[exp.Expr], type[exp.Binary]]] = {
    CLASSES[name]: CLASSES[other] for name, other in NEGATED.items()
}
