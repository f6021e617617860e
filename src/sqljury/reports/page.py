"""HTML pages: one file that opens from disk without a network.

Text from cases is assumed to be hostile. It reaches the page through Jinja with autoescape, or as
JSON in a script element of a data type, from which the script builds text nodes. A report's cases
are rendered when it is written, and inflated when one is opened. A content security policy allows
only our own scripts, named by hash. Text that is not escaped by mistake could therefore neither run
nor send requests.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from sqljury.case import Json
from sqljury.reports import plots, words
from sqljury.reports.document import ReportDocument, Slices
from sqljury.reports.evidence import WEIGHED_LEGEND
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.reports.sqltext import only_renamed
from sqljury.writing import PathLike, json_line_safe, new_file

TEMPLATES = Path(__file__).parent / "templates"


_MOST_SLICES = 30
"""The number of slices per dimension that a page shows; the others are folded away."""


def render(path: PathLike, template: str, **values: Any) -> None:
    """Write a page from a template and its values, without holding the whole page in memory.

    If there is a script of the template's name, the page runs it; otherwise it runs none.

    Raises:
        InputError: the file cannot be written.
    """
    environment = page_environment()
    environment.globals |= {"style": Markup(_text("report.css")), "scripts": None}
    if (TEMPLATES / f"{template}.js").exists():
        others = "".join(
            _text(f"{name}.js") for name in ("theme_button", "copy", "inflated", template)
        )
        scripts = {"theme": Markup(_text("theme.js")), "view": Markup(others)}
        digests = (hashlib.sha256(text.encode()).digest() for text in scripts.values())
        hashes = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
        environment.globals |= {"scripts": scripts, "script_hashes": " ".join(hashes)}
    page = environment.get_template(f"{template}.html.j2").stream(values)
    with new_file(path) as file:
        file.writelines(page)


def page_environment(*folders: Path) -> Environment:
    """The environment that renders the templates of this room: autoescape, filters, plots.

    Args:
        folders: further folders of templates.
    """
    environment = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "visible": words.visible,
        "count": words.count,
        # A signature may break after each of its parts.
        "breakable": lambda signature: Markup("|<wbr>").join(signature.split("|")),
        "coloured": coloured,
        # A judge's name may break before each of its options, and inside of model names.
        "name_breaks": lambda name: Markup("<wbr>").join(re.split(r"(?<=[,:=/])", name)),
    }
    environment.globals |= {
        "plots": plots,
        "only_renamed": only_renamed,
        "weighed_legend": WEIGHED_LEGEND,
    }
    return environment


_KEYWORD = re.compile(
    r"'(?:[^']|'')*'?|\b(SELECT|DISTINCT|FROM|WHERE|AND|OR|NOT|IN|AS|ON|JOIN|LEFT|RIGHT|FULL|INNER|"
    r"OUTER|CROSS|GROUP|ORDER|BY|HAVING|LIMIT|OFFSET|UNION|ALL|INTERSECT|EXCEPT|CASE|WHEN|THEN|"
    r"ELSE|END|IS|NULL|LIKE|BETWEEN|EXISTS|WITH|ASC|DESC|OVER|PARTITION)\b"
)


def coloured(sql: str) -> Markup:
    """SQL as HTML, with its keywords outside of texts marked.

    >>> coloured("SELECT 'AS' < 1")
    Markup('<span class="keyword">SELECT</span> &#39;AS&#39; &lt; 1')
    """
    parts, last = [], 0
    for found in _KEYWORD.finditer(sql):
        if found[1]:
            parts += [
                escape(sql[last : found.start()]),
                Markup('<span class="keyword">{}</span>').format(found[1]),
            ]
            last = found.end()
    return Markup("").join([*parts, escape(sql[last:])])


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def write_page(path: PathLike, document: ReportDocument) -> None:
    """Write a document as one HTML file without scripts; its texts are escaped.

    Raises:
        InputError: the file cannot be written.
    """
    render(
        path,
        "tables",
        title=words.visible(document.title),
        lead=words.visible(document.lead),
        sections=document.sections,
        notes=[words.visible(note) for note in document.notes],
        signature=words.visible(document.signature),
    )


def slice_plots(
    slices: Slices, link: Callable[[str, str], str] = lambda _dimension, _value: ""
) -> dict[str, Any]:
    """The template's values for one dimension: a row per slice, with a dot per judge.

    Args:
        link: returns the link to the cases with a dimension's value; empty for no link.
    """
    axis = Axis.around(
        end
        for parts in slices.rows.values()
        for one in parts.values()
        for end in (one.value, one.low, one.high)
    )
    rows = [
        {
            "value": words.visible(value) or "(none)",
            "href": link(slices.dimension, value),
            "n": max(part.n for part in parts.values()),
            "plot": plots.dots(
                [
                    PlotPoint(name, parts[name].value, parts[name].low, parts[name].high, series)
                    for series, name in enumerate(slices.judges)
                    if name in parts
                ],
                axis,
            ),
            "texts": [slices.text(value, name) for name in slices.judges],
        }
        for value, parts in slices.rows.items()
    ]
    return {
        "name": words.visible(slices.dimension),
        "rows": rows[:_MOST_SLICES],
        "more": rows[_MOST_SLICES:],
        "axis": plots.axis_labels(axis),
    }


def script_safe(value: Json) -> str:
    """The value as JSON text that is safe within an HTML script element, on one line.

    >>> script_safe("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return json_line_safe(text)


def deflated(value: Json) -> str:
    """The value as JSON, deflated (RFC 1950), in base64; ``inflated.js`` reads it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 9)).decode()
