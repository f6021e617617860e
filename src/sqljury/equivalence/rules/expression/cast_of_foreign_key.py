"""``n = CAST(x AS REAL)`` is ``n = x`` in SQLite for a text x that refers to a column of numbers.

Beside a number SQLite reads the text as one, if it is one, and a foreign key that holds says that
it is: a child's value equals its parent's after the parent's affinity was applied. Both ways give
the same number; but a REAL has 53 bits, so integers beyond 2**53 are taken not to be keys.

Source: https://www.sqlite.org/foreignkeys.html, section 3; datatype3.html, section 4.2.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import COMPARISONS, affinity, assuming, is_sqlite
from sqljury.equivalence.rules.base import EXPRESSION, Scope, Simplified, rule
from sqljury.trees.affinity import NUMERIC_AFFINITIES, TO_NUMBER
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Call, Cast, Expression, Outer, Ref

_EXACT = ("REAL", "NUMERIC")


@rule(EXPRESSION, at=COMPARISONS, assumes={Assumption.FOREIGN_KEY}, order=360)
def cast_of_foreign_key(expression: Expression, scope: Scope) -> Simplified | None:
    """``n = CAST(x AS REAL)`` → ``n = x``, where x is a text that refers to a column of
    numbers, in SQLite.

    Assumes foreign key: the text is a number's.
    """
    assert isinstance(expression, Call)
    if not is_sqlite(scope) or not scope.context.may(Assumption.FOREIGN_KEY):
        return None
    parts = expression.operands
    for i, part in enumerate(parts):
        if not isinstance(part, Cast) or part.type_name not in _EXACT:
            continue
        others = parts[:i] + parts[i + 1 :]
        if _is_numeral(part.operand, scope) and all(_is_number(o, scope) for o in others):
            plain = part.operand if scope.context.converts else Call(TO_NUMBER, (part.operand,))
            new = (*parts[:i], plain, *parts[i + 1 :])
            return assuming(Call(expression.name, new), frozenset((Assumption.FOREIGN_KEY,)))
    return None


def _is_numeral(operand: Expression, scope: Scope) -> bool:
    match operand:
        case Ref():
            return scope.row[operand.index].numerals
        case Outer() if operand.level <= len(scope.outer):
            return scope.outer[operand.level - 1][operand.index].numerals
        case _:
            return False


def _is_number(operand: Expression, scope: Scope) -> bool:
    return affinity(operand, scope) in NUMERIC_AFFINITIES
