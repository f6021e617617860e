"""Graphs of queries: drawn by hand, and what always holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.public_queries import corpora
from sqljury.likeness.graphs import EdgeKind, QueryGraph, query_graph, syntax_graph
from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.context import Context
from sqljury.trees.nodes import Unreadable

PET = Table(
    name="Pet",
    columns=(
        Column(name="Id", type="INTEGER"),
        Column(name="Kind", type="TEXT"),
        Column(name="weight", type="REAL"),
        Column(name="born", type="DATE"),
    ),
)
OWNER = Table(
    name="owner",
    columns=(Column(name="pet", type="INTEGER"), Column(name="city", type="VARCHAR(20)")),
)
SCHEMA = Schema(dialect="sqlite", tables=(PET, OWNER))


def graph(sql: str, schema: Schema = SCHEMA, *, flows: bool = True) -> QueryGraph:
    tree = build_tree(sql, schema, schema.dialect)
    assert not isinstance(tree, Unreadable), tree
    return query_graph(tree, Context(schema, schema.dialect), flows=flows)


def drawn(graph: QueryGraph) -> list[str]:
    """Nodes indented below what they are parts of; ``>`` logic and ``~`` data edges by number."""
    parts: dict[int, list[int]] = {}
    flows: dict[int, list[str]] = {}
    for start, end, kind in graph.edges:
        if kind == EdgeKind.TREE:
            parts.setdefault(start, []).append(end)
        else:
            flows.setdefault(start, []).append(f"{'>' if kind == EdgeKind.LOGIC else '~'}{end}")
    lines: list[str] = []

    def draw(node: int, depth: int) -> None:
        said = graph.labels[node] if graph.computing[node] else repr(graph.labels[node])
        type_ = graph.types[node]
        words = [f"{node}", said, *([type_] if type_ else []), *flows.get(node, [])]
        lines.append("  " * depth + " ".join(words))
        for part in parts.get(node, []):
            draw(part, depth + 1)

    draw(graph.roots[0], 0)
    return lines


DRAWN = [
    (
        # As figure 3 of the paper: operators in the second layer, logic from one to the next,
        # data from the table's column to where it is read.
        "SELECT kind FROM pet WHERE weight > 20",
        [
            "0 query",
            "  1 scan >3",
            "    2 'pet'",
            "    5 'pet.weight' real ~6",
            "    9 'pet.kind' text ~10",
            "  3 filter >8",
            "    4 >",
            "      6 'pet.weight' real >7",
            "      7 '20' integer",
            "  8 project",
            "    10 'pet.kind' text ~0",
        ],
    ),
    (
        # What an aggregate computes flows on; two tables flow into a join.
        "SELECT o.city, COUNT(DISTINCT p.id) FROM pet p JOIN owner o ON p.id = o.pet"
        " GROUP BY o.city ORDER BY COUNT(DISTINCT p.id) DESC LIMIT 1",
        [
            "0 query",
            "  1 scan >5",
            "    2 'pet'",
            "    7 'pet.id' integer ~8 ~16",
            "  3 scan >5",
            "    4 'owner'",
            "    9 'owner.pet' integer ~10",
            "    13 'owner.city' text ~14",
            "  5 join inner >11",
            "    6 =",
            "      8 'pet.id' integer",
            "      10 'owner.pet' integer",
            "  11 aggregate >17",
            "    12 key",
            "      14 'owner.city' text ~18",
            "    15 COUNT distinct ~19",
            "      16 'pet.id' integer",
            "  17 project >20",
            "    18 'owner.city' text ~0",
            "    19 COUNT distinct ~22 ~0",
            "  20 sort >23",
            "    21 descending",
            "      22 COUNT distinct",
            "  23 limit",
            "    24 count",
            "      25 '1' integer",
        ],
    ),
    (
        # A query inside an expression has a root of its own, and sees the row around it.
        "SELECT kind FROM pet WHERE NOT EXISTS (SELECT city FROM owner WHERE pet = id)",
        [
            "0 query",
            "  1 scan >3",
            "    2 'pet'",
            "    14 'pet.id' integer ~15",
            "    20 'pet.kind' text ~21",
            "  3 filter >19",
            "    4 NOT",
            "      5 exists",
            "        6 query",
            "          7 scan >9",
            "            8 'owner'",
            "            11 'owner.pet' integer ~12",
            "            17 'owner.city' text ~18",
            "          9 filter >16",
            "            10 =",
            "              12 'owner.pet' integer",
            "              13 outer",
            "                15 'pet.id' integer",
            "          16 project",
            "            18 'owner.city' text ~6",
            "  19 project",
            "    21 'pet.kind' text ~0",
        ],
    ),
    (
        # Values of a UNION come from both sides.
        "SELECT id FROM pet UNION SELECT pet FROM owner ORDER BY 1",
        [
            "0 query",
            "  1 scan >3",
            "    2 'pet'",
            "    4 'pet.id' integer ~5",
            "  3 project >11",
            "    5 'pet.id' integer ~14 ~0",
            "  6 scan >8",
            "    7 'owner'",
            "    9 'owner.pet' integer ~10",
            "  8 project >11",
            "    10 'owner.pet' integer ~14 ~0",
            "  11 union >12",
            "  12 sort",
            "    13 ascending",
            "      14 'pet.id' integer",
        ],
    ),
    (
        # The left side of an EXCEPT (or of an outer join) comes before the right one.
        "SELECT id FROM pet EXCEPT SELECT NULL",
        [
            "0 query",
            "  1 scan >3",
            "    2 'pet'",
            "    4 'pet.id' integer ~5",
            "  3 project >10 >8",
            "    5 'pet.id' integer ~0",
            "  6 values >8",
            "    7 row",
            "  8 project >10",
            "    9 NULL ~0",
            "  10 except",
        ],
    ),
    (
        "SELECT RANK() OVER (PARTITION BY kind ORDER BY weight DESC) FROM pet",
        [
            "0 query",
            "  1 scan >3",
            "    2 'pet'",
            "    6 'pet.kind' text ~7",
            "    9 'pet.weight' real ~10",
            "  3 window >11",
            "    4 RANK over ~12",
            "      5 partition",
            "        7 'pet.kind' text",
            "      8 descending",
            "        10 'pet.weight' real",
            "  11 project",
            "    12 RANK over ~0",
        ],
    ),
    (
        # What a recursive query has found comes from its first rows.
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION SELECT n + 1 FROM c WHERE n < 3) SELECT n FROM c",
        [
            "0 query",
            "  1 values >3",
            "    2 row",
            "  3 project >14 >10",
            "    4 '1' integer ~8 ~12 ~16",
            "  5 found >6",
            "  6 filter >10",
            "    7 <",
            "      8 '1' integer >9",
            "      9 '3' integer",
            "  10 project >14",
            "    11 +",
            "      12 '1' integer",
            "      13 '1' integer",
            "  14 recursive >15",
            "  15 project",
            "    16 '1' integer ~0",
        ],
    ),
]


@pytest.mark.parametrize(("sql", "lines"), DRAWN, ids=[sql[:30] for sql, _ in DRAWN])
def test_drawn_by_hand(sql: str, lines: list[str]) -> None:
    assert drawn(graph(sql)) == lines


def test_the_order_of_operands_is_there_only_where_it_counts() -> None:
    assert drawn(graph("SELECT id - weight FROM pet")) != drawn(
        graph("SELECT weight - id FROM pet")
    )
    swapped = [graph(f"SELECT 1 FROM pet WHERE {text}") for text in ("id = 3", "3 = id")]
    assert sorted(swapped[0].labels) == sorted(swapped[1].labels)
    assert EdgeKind.LOGIC not in {
        kind for start, _, kind in swapped[0].edges if swapped[0].labels[start] == "pet.id"
    }


def test_aliases_and_case_are_no_part_of_it() -> None:
    one = graph("SELECT x.KIND AS k FROM PET AS x WHERE x.Id = 3")
    assert one == graph("SELECT kind FROM pet WHERE pet.id = 3")


def test_without_flows_trees_are_left() -> None:
    sql = DRAWN[1][0]
    with_flows, without = graph(sql), graph(sql, flows=False)
    assert {kind for _, _, kind in without.edges} == {EdgeKind.TREE}
    assert without.labels == with_flows.labels
    assert set(without.edges) < set(with_flows.edges)


def test_syntax_graphs() -> None:
    found = syntax_graph("SELECT p.Kind FROM pet AS p WHERE id = '3'", "sqlite")
    assert found is not None
    assert drawn(found) == [
        "0 select",
        "  1 'kind'",
        "  2 from",
        "    3 'pet'",
        "  4 where",
        "    5 eq",
        "      6 'id'",
        "      7 '3'",
    ]
    assert syntax_graph("SELECT FROM WHERE", "sqlite") is None


def test_real_queries_are_trees_with_flows(data_dir: Path) -> None:
    """One root, one parent each, and columns that are called as where they come from."""
    seen = 0
    for sql, schema in corpora(data_dir)["BIRD mini-dev gold"]:
        found = graph(sql, schema)
        size = len(found.labels)
        assert size == len(found.computing) == len(found.types) == len(found.ordered)
        tree = [(start, end) for start, end, kind in found.edges if kind == EdgeKind.TREE]
        assert sorted(end for _, end in tree) == [n for n in range(size) if n != found.roots[0]]
        assert all(0 <= start < size for start, _, _ in found.edges)
        assert [found.labels[root] for root in found.roots] == ["query"] * len(found.roots)
        for start, end, kind in found.edges:
            if kind == EdgeKind.DATA and end not in found.roots and not unions(found):
                assert found.labels[start] == found.labels[end]
        assert all(found.types[n] == "" for n in range(size) if found.computing[n])
        seen += 1
    assert seen == 500


def unions(graph: QueryGraph) -> bool:
    return bool({"union", "union all", "intersect", "except"} & set(graph.labels))
