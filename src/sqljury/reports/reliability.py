"""Reliability diagrams: scores against how often they are right, as SVG files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from sqljury.writing import new_file

if TYPE_CHECKING:
    from sqljury.learning.calibration import Reliability

_SIDE = 300
_LEFT, _TOP, _BELOW = 46, 30, 64
_GAP = 40
# On a page the colours are the page's, so that they follow its theme.
_STYLE = Markup(
    ".reliability text{font:12px system-ui,sans-serif;fill:var(--ink,#1a1a1a)}"
    ".reliability .title{font-weight:600;font-size:13px}.reliability .axis{stroke:#8a8a8a}"
    ".reliability .grid{stroke:var(--line,#e4e4e4)}"
    ".reliability .even{stroke:#8a8a8a;stroke-dasharray:4 4}"
    ".reliability .bar{fill:var(--s0,#3b6fb6)}.reliability .apart{fill:#d9822b;opacity:.45}"
)


def write_reliability(path: Path, diagrams: Mapping[str, Reliability]) -> None:
    """Write diagrams beside each other.

    Raises:
        InputError: SJ801: the file cannot be written.
    """
    with new_file(path) as file:
        file.write(str(reliability_svg(diagrams)) + "\n")


def reliability_svg(diagrams: Mapping[str, Reliability]) -> Markup:
    """One diagram for each name: a bar is the share that is right among the cases of its range of
    scores, the tint its distance from what the scores promise."""
    step = _LEFT + _SIDE + _GAP
    width, height = step * len(diagrams), _TOP + _SIDE + _BELOW
    parts = [_diagram(name, one, step * i) for i, (name, one) in enumerate(diagrams.items())]
    said = "; ".join(
        f"{name}: {one.n} cases, ECE {_number(one.ece)}, Brier {_number(one.brier)}"
        for name, one in diagrams.items()
    )
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="reliability" width="{0}" height="{1}" '
        'viewBox="0 0 {0} {1}" role="img" aria-label="{2}"><style>{3}</style>{4}</svg>'
    ).format(width, height, said, _STYLE, Markup("").join(parts))


def _diagram(name: str, found: Reliability, left: int) -> Markup:
    parts = [_frame()]
    for one in found.bins:
        if not one.count:
            continue
        low, high = sorted((one.right, one.score))
        x, wide = one.low * _SIDE + 1, (one.high - one.low) * _SIDE - 2
        parts.append(_rect("bar", x, wide, 0.0, one.right))
        parts.append(
            _rect("apart", x, wide, low, high, f"{one.count} cases, mean score {one.score:.3f}")
        )
    title = f"{name}: n {found.n:,}, ECE {_number(found.ece)}, Brier {_number(found.brier)}"
    parts.append(Markup('<text class="title" x="0" y="-12">{}</text>').format(title))
    return Markup('<g transform="translate({} {})">{}</g>').format(
        left + _LEFT, _TOP, Markup("").join(parts)
    )


def _frame() -> Markup:
    line = Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>')
    text = Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>')
    parts = []
    for tick in range(5):
        share = tick / 4
        at = _SIDE * share
        parts.append(line.format("grid", 0, _SIDE - at, _SIDE, _SIDE - at))
        parts.append(text.format(-6, _SIDE - at + 4, "end", f"{share:g}"))
        parts.append(text.format(at, _SIDE + 16, "middle", f"{share:g}"))
    parts.append(line.format("axis", 0, _SIDE, _SIDE, _SIDE))
    parts.append(line.format("even", 0, _SIDE, _SIDE, 0))
    parts.append(text.format(_SIDE / 2, _SIDE + 36, "middle", "score"))
    parts.append(
        Markup('<text transform="translate(-34 {}) rotate(-90)" text-anchor="middle">{}</text>')
        .format(_SIDE / 2, "share that is right")
    )  # fmt: skip
    return Markup("").join(parts)


def _rect(kind: str, x: float, wide: float, low: float, high: float, said: str = "") -> Markup:
    title = Markup("<title>{}</title>").format(said) if said else Markup("")
    return Markup(
        '<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}">{}</rect>'
    ).format(kind, x, _SIDE * (1 - high), wide, _SIDE * (high - low), title)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
