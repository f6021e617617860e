"""Any expression keeps its value, and what is simple stays as it is."""

from __future__ import annotations

from time import process_time

import pytest
from random_expressions import Maker
from truth_tables import refuted, scope

from sqljury.equivalence.simplify import simplify, simplify_condition
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption
from sqljury.trees.nodes import FALSE, Call, Expression, Literal, Ref, Type

WITHOUT_TYPES = ALL_ASSUMPTIONS - {Assumption.TYPES}


@pytest.mark.parametrize("assuming", [ALL_ASSUMPTIONS, WITHOUT_TYPES], ids=["types", "no types"])
@pytest.mark.parametrize("batch", range(4))
def test_random_expressions_in_sqlite(batch: int, assuming: frozenset[Assumption]) -> None:
    _check("sqlite", f"{len(assuming)}-{batch}", 800, assuming)


@pytest.mark.slow
def test_random_expressions_in_duckdb() -> None:
    _check("duckdb", "d", 250, ALL_ASSUMPTIONS)


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(20))
def test_many_random_expressions(batch: int) -> None:
    _check("sqlite", f"many-{batch}", 5000, WITHOUT_TYPES if batch % 3 == 0 else ALL_ASSUMPTIONS)
    _check("duckdb", f"many-{batch}", 500, ALL_ASSUMPTIONS)


def _check(dialect: str, seed: str, count: int, assuming: frozenset[Assumption]) -> None:
    around = scope(dialect, assuming)
    for number in range(count):
        maker = Maker(f"{seed}-{number}")
        is_condition = maker.rng.random() < 0.6
        depth = maker.rng.choice((1, 1, 2, 2, 3))
        made = maker.condition(depth) if is_condition else maker.value(depth)
        simplified = simplify_condition if is_condition else simplify
        found = simplified(made, around)
        assert refuted(made, found, dialect, is_condition) is None
        again = simplified(_copy(found.expression), around)
        assert again.expression == found.expression


def _copy(expression: Expression) -> Expression:
    """Equal and not the same, so that it is not known."""
    if isinstance(expression, Call):
        return Call(expression.name, tuple(map(_copy, expression.operands)))
    return expression


def test_work_is_bounded() -> None:
    column = Ref(0)
    numbers = [Literal(i * 7919 % 5000, Type.INTEGER) for i in range(1500)]
    several: list[Expression] = [
        Call("AND", tuple(Call("<>", (column, n)) for n in numbers)),
        Call("OR", tuple(Call("=", (column, n)) for n in numbers)),
        Call("IN", (column, *numbers)),
        Call(
            "AND",
            tuple(Call("OR", (Call("=", (column, n)), Call("=", (Ref(3), n)))) for n in numbers),
        ),
        _nested("NOT", 400),
        _nested("AND", 400),
        _nested("+", 400),
        _nested("||", 900),
    ]
    start = process_time()
    for expression in several:
        simplify_condition(expression, scope("sqlite"))
        simplify(expression, scope("sqlite"))
    assert process_time() - start < 30


def _nested(name: str, depth: int) -> Expression:
    found: Expression = Call(">", (Ref(0), Literal(1, Type.INTEGER)))
    for i in range(depth):
        beside = Call("OR", (Call("LIKE", (Ref(3), Ref(i % 7))), Ref(i % 5)))
        found = Call(name, (found,) if name == "NOT" else (found, beside))
    return found


def test_what_is_random_is_drawn_as_often_as_before() -> None:
    drawn = Call("RANDOM")
    one = Literal(1, Type.INTEGER)
    for kept in (
        Call("BETWEEN", (drawn, one, Literal(9, Type.INTEGER))),
        Call("AND", (Call(">", (drawn, one)), Call(">", (drawn, one)))),
        Call("=", (drawn, drawn)),
        Call("COALESCE", (Call("NULLIF", (drawn, one)), Call("NULLIF", (drawn, one)))),
    ):
        found = simplify_condition(kept, scope("sqlite")).expression
        assert found != FALSE
        assert _count(found) == 2 or kept.name == "BETWEEN"


def _count(expression: Expression) -> int:
    if not isinstance(expression, Call):
        return 0
    return (expression.name == "RANDOM") + sum(map(_count, expression.operands))
