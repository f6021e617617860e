"""Trees as text, as pictures and as JSON."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.drawing import tree_json, tree_svg, tree_text
from sqljury.trees.nodes import Relation, Unreadable


def _table(name: str, *columns: str) -> Table:
    return Table(name=name, columns=tuple(Column(name=c, type="INTEGER") for c in columns))


SCHEMA = Schema(dialect="sqlite", tables=(_table("t", "a", "b"), _table("u", "a", "d")))


def _tree(sql: str) -> Relation:
    tree = build_tree(sql, SCHEMA, "sqlite")
    assert not isinstance(tree, Unreadable), tree
    return tree


TEXTS = [
    ("SELECT 1", "project 1\n  one row"),
    ("SELECT a AS x, -b, a + 1 AS a FROM t", "project a as x, -b, a + 1 as a\n  scan t"),
    (
        "SELECT x.b FROM t x JOIN t y ON x.a = y.b WHERE x.b > 1 AND (y.a = 2 OR y.a IS NULL)",
        "project t.b\n"
        "  filter t.b > 1 AND (t#2.a = 2 OR t#2.a IS NULL)\n"
        "    inner join on t.a = t#2.b\n"
        "      scan t\n"
        "      scan t#2",
    ),
    (
        "SELECT b, count(*), max(a) AS m FROM t GROUP BY b HAVING count(*) > 1 ORDER BY m DESC, a",
        "project b, COUNT(*), MAX(a) as m\n"
        "  sort by MAX(a) desc, some a\n"
        "    project b, COUNT(*), MAX(a) as m, some a\n"
        "      filter COUNT(*) > 1\n"
        "        group by b: COUNT(*), MAX(a), some a\n"
        "          scan t",
    ),
    (
        "SELECT a FROM t WHERE b NOT IN (SELECT d FROM u WHERE u.a = t.a) LIMIT 2 OFFSET 1",
        "limit 2 offset 1\n"
        "  project a\n"
        "    filter b NOT IN (query 1)\n"
        "      query 1:\n"
        "        project d\n"
        "          filter u.a = t.a\n"
        "            scan u\n"
        "      scan t",
    ),
    (
        "SELECT a FROM t UNION ALL SELECT d FROM u ORDER BY 1 NULLS LAST",
        "sort by a nulls last\n  union all\n    project a\n      scan t\n    project d\n      scan u",
    ),
    (
        "SELECT rank() OVER (PARTITION BY b ORDER BY a DESC ROWS 2 PRECEDING) FROM t",
        "project RANK() over (partition by b order by a …\n"
        "  window RANK() over (partition by b order by a desc rows between 2 preceding and current"
        " row)\n"
        "    scan t",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i * (2 + i) FROM n) SELECT i FROM n",
        "project i\n"
        "  repeat without duplicates\n"
        "    project 1\n"
        "      one row\n"
        "    project i * (2 + i)\n"
        "      rows of the last step",
    ),
    ("VALUES (1, 'it''s'), (NULL, x'00')", "rows (1, 'it''s'), (NULL, x'00')"),
    (
        "SELECT CASE WHEN a > 1 THEN 'x' END, CAST(a AS TEXT), coalesce(b, 0) FROM t",
        "project CASE WHEN a > 1 THEN 'x' ELSE NULL END, CAST(a AS TEXT), COALESCE(b, 0)\n  scan t",
    ),
    (
        "SELECT a FROM t WHERE NOT (a > 1 AND b < 2) AND a - (b - 1) = 3 AND a NOT BETWEEN 1 AND 2",
        "project a\n"
        "  filter NOT (a > 1 AND b < 2) AND a - (b - 1) = 3 AND a NOT BETWEEN 1 AND 2\n"
        "    scan t",
    ),
    (
        "SELECT value FROM t LEFT JOIN json_each(t.b) j ON j.key = 1",
        "project value\n  left join lateral on key = 1\n    scan t\n    rows of JSON_EACH(t.b)",
    ),
]


@pytest.mark.parametrize(("sql", "expected"), TEXTS)
def test_text(sql: str, expected: str) -> None:
    assert tree_text(_tree(sql)) == expected


@pytest.mark.parametrize("sql", [sql for sql, _ in TEXTS])
def test_pictures_hold_every_operator(sql: str) -> None:
    tree = _tree(sql)
    picture = ET.fromstring(tree_svg(tree))
    space = "{http://www.w3.org/2000/svg}"
    boxes = picture.findall(f"{space}rect")[1:]
    words = [text.text or "" for text in picture.findall(f"{space}text")]
    lines = [line for line in tree_text(tree).splitlines() if not line.endswith(":")]
    assert len(boxes) == len(lines)
    for line in lines:
        assert any(word.split(" ")[0] == line.split()[0].rstrip(":") for word in words)


def test_boxes_do_not_overlap() -> None:
    sql = (
        "SELECT a, (SELECT max(d) FROM u), (SELECT min(d) FROM u WHERE u.a = t.a) FROM t"
        " WHERE a IN (SELECT x.a FROM u x JOIN t y ON x.a = y.a) AND EXISTS (SELECT 1 FROM u)"
    )
    picture = ET.fromstring(tree_svg(_tree(sql)))
    places = []
    for box in picture.findall("{http://www.w3.org/2000/svg}rect")[1:]:
        x, y, width, height = (float(box.attrib[k]) for k in ("x", "y", "width", "height"))
        places.append((x, y, x + width, y + height))
    for i, one in enumerate(places):
        for other in places[i + 1 :]:
            beside = one[2] <= other[0] or other[2] <= one[0]
            assert beside or one[3] <= other[1] or other[3] <= one[1]


def test_hostile_words_stay_text() -> None:
    sql = "SELECT a FROM t WHERE b = '</text><script>alert(1)</script>'"
    picture = tree_svg(_tree(sql))
    assert "<script>" not in picture
    ET.fromstring(picture)


@pytest.mark.parametrize("sql", [sql for sql, _ in TEXTS])
def test_json(sql: str) -> None:
    found = json.loads(json.dumps(tree_json(_tree(sql)), allow_nan=False))
    assert found["node"] == type(_tree(sql)).__name__
