"""Curves as SVG."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

from sqljury.reports.scatter import curves, curves_svg


def test_places_and_words() -> None:
    drawn = str(curves("accuracy", [1, 2, 3, 4, 5], [("a<b", 0, [0.2, 0.4, 0.5, 0.55, 0.6])]))
    root = ElementTree.fromstring(drawn)
    assert root.attrib["aria-label"] == "accuracy with 1 and 5 candidates: a<b 20.0 and 60.0"
    # Shapes at powers of two and at the end; the line has all sizes.
    titles = [title.text for title in root.iter("title")]
    assert titles == ["a<b, 1: 20.0", "a<b, 2: 40.0", "a<b, 4: 55.0", "a<b, 5: 60.0"]
    (line,) = root.iter("polyline")
    points = [tuple(map(float, p.split(","))) for p in line.attrib["points"].split()]
    assert len(points) == 5
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)


def test_one_candidate_and_flat_lines() -> None:
    drawn = str(curves("accuracy", [1], [("a", 0, [1.0]), ("b", 7, [0.0])]))
    assert "nan" not in drawn
    assert re.findall(r'<g class="s(\d)"', drawn) == ["0", "1"]


def test_names_of_equal_curves_stay_in_the_picture() -> None:
    for value in (0.999, 0.0):
        drawn = curves_svg("AUC", [(f"no. {i}", [0.0, value]) for i in range(9)])
        texts = ElementTree.fromstring(drawn).findall("{*}text")
        heights = sorted(float(t.attrib["y"]) for t in texts if "no." in (t.text or ""))
        assert heights[0] > 10
        assert heights[-1] < 360
        assert all(b - a >= 15 for a, b in pairwise(heights))
