"""How a graph network's training went, as SVG: the loss and the validation AUC of each epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 40, 44
_NAMES, _LINE = 200, 15
"""The width of the names to the right of the lines, and the height of one."""
_COLOURS = ("#2563eb", "#c2410c", "#15803d", "#7e22ce", "#0f766e", "#a16207", "#be185d")

Curve = tuple[str, Sequence[float]]
"""A name, and the AUC after each epoch."""


def curves_svg(title: str, curves: Sequence[Curve]) -> str:
    """AUC (upwards) by epoch (rightwards), a line for each training.

    Source: Zhan et al. 2024 (FuncEvalGMN), figure 18.
    """
    values = [value for _, line in curves for value in line]
    low = min((int(20 * value) / 20 for value in values), default=0.0)
    longest = max((len(line) for _, line in curves), default=1)

    def x(epoch: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (epoch / max(1, longest - 1))

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - (value - low) / max(1 - low, 1e-9))

    said = "; ".join(f"{name}: {line[-1]:.4f} at the end" for name, line in curves if line)
    parts = [*_axes(title, low, longest, x, y)]
    ends = _apart([y(line[-1]) if line else y(low) for _, line in curves])
    for number, (name, line) in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        dashes = "6 3" if number >= len(_COLOURS) else "none"
        points = " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in enumerate(line))
        parts.append(
            Markup(
                '<polyline points="{0}" fill="none" stroke="{1}" stroke-width="2"'
                ' stroke-dasharray="{2}"/><text x="{3}" y="{4:.1f}" fill="{1}">{5}</text>'
            ).format(points, colour, dashes, _WIDTH - _RIGHT + 8, ends[number] + 4, name)
        )
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" '
            'aria-label="{}" font-family="system-ui, sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="white"/>{}</svg>\n'
        ).format(_WIDTH + _NAMES, _HEIGHT, said, Markup("").join(parts))
    )


def _apart(places: Sequence[float]) -> list[float]:
    """Places for names at the ends of lines, moved so that none stands on another."""
    found = list(places)
    lowest = float(_HEIGHT - _BOTTOM)
    for number in sorted(range(len(found)), key=lambda i: -places[i]):
        found[number] = min(found[number], lowest)
        lowest = found[number] - _LINE
    return found


def _axes(
    title: str, low: float, longest: int, x: Callable[[int], float], y: Callable[[float], float]
) -> list[Markup]:
    parts = [Markup('<text x="{}" y="22" font-size="14">{}</text>').format(_LEFT, title)]
    step = 0.05 if 1 - low > 0.1 else 0.01
    value = low
    while value <= 1 + 1e-9:
        parts.append(
            Markup(
                '<line x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}" stroke="#d4d4d4"/>'
                '<text x="{3}" y="{4:.1f}" text-anchor="end" fill="#404040">{5:.2f}</text>'
            ).format(_LEFT, _WIDTH - _RIGHT, y(value), _LEFT - 6, y(value) + 4, value)
        )
        value += step
    number = Markup('<text x="{:.1f}" y="{}" text-anchor="middle" fill="#404040">{}</text>')
    parts += [
        number.format(x(epoch), _HEIGHT - _BOTTOM + 18, epoch + 1)
        for epoch in range(0, longest, max(1, longest // 10))
    ]
    parts.append(
        Markup('<text x="{}" y="{}" text-anchor="end" fill="#404040">epoch</text>').format(
            _WIDTH - _RIGHT, _HEIGHT - 8
        )
    )
    return parts
