"""Mistakes in constants: another value of the column, or one that is nearly the same."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, origin_of

_OTHERS = 4
_NEAR = 5
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)


def value(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces a constant compared with a column: by other values of the column, those with the
    same beginning first, and by numbers or texts that are a little off.

    Nothing if the column's values are not known.
    """
    parent = node.parent
    if not isinstance(node, exp.Literal) or not isinstance(parent, _COMPARED):
        return
    sides = [one for one in (parent.this, parent.args.get("expression")) if one is not None]
    homes = [home for one in sides if (home := origin_of(one, context)) is not None]
    if not homes:
        return
    key = homes[0].table.name.casefold(), homes[0].column.name.casefold()
    known = context.values.get(key, ())
    if not known:
        return
    own = str(node.this)
    random = Random(f"{key}/{own}")
    near = list(_texts_near(own) if node.is_string else _numbers_near(own))
    random.shuffle(near)
    others = [one for one in dict.fromkeys(known) if str(one) != own]
    random.shuffle(others)
    others.sort(key=lambda one: -_shared(str(one), own))
    for other in [*others[:_OTHERS], *near[:_NEAR]]:
        yield _replaced(other)


def _replaced(other: str | int | float) -> Change:
    text = isinstance(other, str)
    return lambda n: n.replace(
        exp.Literal.string(other) if text else exp.Literal.number(repr(other))
    )


def _shared(one: str, other: str) -> int:
    """The length of the common beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _numbers_near(text: str) -> Iterator[int | float]:
    """Numbers a little above and below, ten times and a tenth, and with two digits exchanged."""
    if text.isdigit():
        number = int(text)
        step = max(2, number // 10)
        found = [number + 1, number + 2, number + step, number - step, 10 * number, number // 10]
        if len(text) > 1:
            found.append(int(text[:-2] + text[-1] + text[-2]))
        yield from (one for one in dict.fromkeys(found) if one != number and one >= 0)
        return
    try:
        real = float(text)
    except ValueError:
        return
    yield from (round(real + 0.5, 6), round(real * 1.1, 6), round(real - 0.1, 6), int(real))


def _texts_near(text: str) -> Iterator[str]:
    """The text with one letter less, twice or exchanged, a word less, or spaces around it."""
    if len(text) > 2:
        middle = len(text) // 2
        yield text[:-1]
        yield text[:middle] + text[middle + 1 :]
        yield text[:middle] + text[middle] + text[middle:]
    first, space, rest = text.partition(" ")
    if space:
        yield first
        yield rest
    yield text + "s"
