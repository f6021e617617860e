"""Plots: places along the axis, words for those who do not see them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from markupsafe import Markup

from sqljury.reports.plots import Axis, PlotPoint, axis_labels, dots, marker, score_bar, stacked_bar
from sqljury.verdict import Outcome


@pytest.mark.parametrize(
    ("values", "low", "ticks"),
    [
        ([], 0.0, 5),
        ([0.3, 0.9], 0.0, 5),
        ([None, 0.0], 0.0, 5),
        ([-0.01], -0.25, 6),
        ([-0.5, 0.2], -0.5, 7),
        ([-1.0], -1.0, 9),
    ],
)
def test_an_axis_holds_its_values(values: list[float | None], low: float, ticks: int) -> None:
    axis = Axis.around(values)
    assert (axis.low, axis.high, len(axis.ticks)) == (low, 1.0, ticks)


@pytest.mark.parametrize(
    ("value", "place"),
    [(-1.0, "0.00%"), (0.0, "50.00%"), (0.5, "75.00%"), (1.0, "100.00%"), (7.0, "100.00%")],
)
def test_places(value: float, place: str) -> None:
    assert Axis(low=-1.0).place(value) == place


def test_every_plot_is_well_formed_and_says_what_it_shows() -> None:
    points = [PlotPoint("a <b>", 0.5, 0.25, 0.75), PlotPoint("c", None, None, None, 1)]
    plots = {
        score_bar(points[0]): "a <b>: 50.0 percent (25.0–75.0)",
        dots(points, Axis()): "a <b>: 50.0 percent (25.0–75.0); c: – percent",
        stacked_bar([(Outcome.CORRECT, 3), (Outcome.UNKNOWN, 1)]): "correct 3, unknown 1",
    }
    for plot, words in plots.items():
        assert isinstance(plot, Markup)
        assert ElementTree.fromstring(plot).attrib["aria-label"] == words
    ElementTree.fromstring(axis_labels(Axis()))


def test_shares_fill_the_bar() -> None:
    bar = ElementTree.fromstring(stacked_bar([(Outcome.CORRECT, 3), (Outcome.INCORRECT, 1)]))
    assert [(part.attrib["x"], part.attrib["width"]) for part in bar] == [
        ("0.000%", "75.000%"),
        ("75.000%", "25.000%"),
    ]


def test_three_dozen_judges_can_be_told_apart() -> None:
    assert len({marker(series) for series in range(36)}) == 36
