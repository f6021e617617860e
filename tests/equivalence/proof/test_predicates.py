"""What follows from conditions, held against truth tables that SQLite makes."""

from __future__ import annotations

from collections import Counter

import pytest
from random_expressions import Maker
from truth_tables import columns_of, grid, scope, spelled

from sqljury.equivalence.proof import implies, unsatisfiable
from sqljury.trees import build_tree
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption
from sqljury.trees.nodes import Call, Expression, Filter, Relation
from sqljury.trees.walk import relations

pytest.importorskip("z3")

WITHOUT_TYPES = ALL_ASSUMPTIONS - {Assumption.TYPES}


def condition(text: str) -> Expression:
    tree = build_tree(f"SELECT * FROM t WHERE {text}", scope("sqlite").context.schema, "sqlite")
    assert isinstance(tree, Relation)
    return next(part.condition for part in relations(tree) if isinstance(part, Filter))


# Given, goal, whether it follows.
FOLLOWS = [
    ("i > 3", "i > 2", True),
    ("i > 2", "i > 3", False),
    ("i > 2", "i >= 3", True),
    ("r > 2", "r >= 3", False),
    ("i = 1 AND j = i", "j < 2", True),
    ("i IN (1, 2)", "i BETWEEN 1 AND 2", True),
    ("i BETWEEN 1 AND 2", "i IN (1, 2)", True),
    ("s = 'a' OR s = 'b'", "s IS NOT NULL", True),
    ("i = i", "i IS NOT NULL", True),
    ("i IS NULL", "NOT i > 3", False),  # unknown is not true
    ("NOT (i > 3)", "i <= 3", True),
    ("i <= 3", "NOT (i > 3)", True),
    ("j <> 1", "j IS NOT NULL", True),
    ("i IS NULL OR i < j", "i IS NULL OR j > i", True),
    ("s LIKE 'a%'", "s LIKE 'a%' OR i = 1", True),
    ("s LIKE 'a%'", "s LIKE '%a%'", False),  # not understood
    ("s < 'b' AND s > 'c'", "1 = 0", True),
]


@pytest.mark.parametrize(("given", "goal", "follows"), FOLLOWS)
def test_known_answers(given: str, goal: str, follows: bool) -> None:
    assert implies(condition(given), condition(goal), scope("sqlite")) is follows


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("i > 3 AND i < 4", True),
        ("r > 3 AND r < 4", False),
        ("i = NULL", True),
        ("i IS NULL AND i > 1", True),
        ("j IS NULL", True),
        ("s = 'a' AND s = 'b'", True),
        ("s = 'a' AND s = 'A'", False),  # a column may be told to ignore case
        ("NOT (i = 1 OR i <> 1)", True),
        ("i = 1 OR i <> 1", False),
    ],
)
def test_unsatisfiable(text: str, empty: bool) -> None:
    assert unsatisfiable(condition(text), scope("sqlite")) is empty


@pytest.mark.parametrize("assuming", [ALL_ASSUMPTIONS, WITHOUT_TYPES], ids=["types", "no types"])
def test_random_conditions(assuming: frozenset[Assumption]) -> None:
    seen = _held_against_tables("p", 120, assuming)
    assert seen["follows"] > 6, seen
    assert seen["empty"] > 2, seen


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(20))
def test_many_random_conditions(batch: int) -> None:
    assuming = WITHOUT_TYPES if batch % 3 == 0 else ALL_ASSUMPTIONS
    _held_against_tables(f"many-{batch}", 2_000, assuming)


def _held_against_tables(seed: str, count: int, assuming: frozenset[Assumption]) -> Counter[str]:
    around = scope("sqlite", assuming)
    seen: Counter[str] = Counter()
    for number in range(count):
        maker = Maker(f"{seed}-{number}")
        given, goal = (maker.condition(maker.rng.choice((1, 1, 2))) for _ in range(2))
        if maker.rng.random() < 0.5:
            goal = Call("OR", (given, goal)) if number % 2 else goal
            given = Call("AND", (goal, given)) if number % 3 == 0 else given
        if unsatisfiable(given, around, seconds=0.5):
            seen["empty"] += 1
            assert _rows(given, None, assuming) == []
        elif implies(given, goal, around, seconds=0.5):
            seen["follows"] += 1
            assert _rows(given, goal, assuming) == []
        else:
            seen["not known"] += 1
    return seen


def _rows(given: Expression, goal: Expression | None, assuming: frozenset[Assumption]) -> list:
    """Rows for which the one is true and the other is not; none where SQLite cannot tell."""
    texts = [spelled(each, "sqlite") for each in (given, *([] if goal is None else [goal]))]
    table = grid("sqlite", Assumption.TYPES in assuming)
    columns = sorted({name for text in texts for name in columns_of(text)})
    name = table.table(columns)
    missing = "" if goal is None else f" AND ({texts[1]}) IS NOT TRUE"
    return list(table.execute(f"SELECT * FROM {name} WHERE ({texts[0]}) IS TRUE{missing} LIMIT 3"))
