"""One HTML file that holds a whole report and opens from disk without a network.

What cases say is hostile by assumption. It reaches the page in two ways only: through Jinja
with autoescape, or as JSON in a script element of a data type, from which the script builds
text nodes. A content security policy forbids everything but our own scripts, named by hash, so
that text that slipped through could still neither run nor call out.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sqljury.case import Json
from sqljury.reports import plots, words
from sqljury.reports.pages import MOST_TOLD_APART, CasePages, ToldApart, case_pages
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.reports.reliability import reliability_svg
from sqljury.uses.evaluate import JudgeSummary, Summary
from sqljury.verdict import Outcome, Record
from sqljury.writing import PathLike, json_line_safe, new_file

if TYPE_CHECKING:
    from sqljury.uses.agree import Agreement, JudgeAgreement

_FILTERS = {
    "source": "system",
    "db_id": "db",
    "difficulty": "difficulty",
    "feature": "feature",
}
"""Dimensions of slices -> filters of the list of cases."""
_TEMPLATES = Path(__file__).parent / "templates"
_MOST_SLICES = 30
"""Slices of one dimension that are in view at once; the others are folded away."""


def write_report(
    path: PathLike,
    summary: Summary,
    records: Iterable[Record],
    *,
    title: str,
    max_case_pages: int = 2000,
    agreement: Agreement | None = None,
    told_apart: ToldApart = lambda _: (),
) -> None:
    """Write a report: scores, outcomes, slices, and a page per case.

    The same input gives the same bytes. Memory is bounded by ``max_case_pages``.

    Args:
        records: with evidence, those of one case next to each other, as runs give them.
        title: what the report is about.
        max_case_pages: cases that get a page, those that are not correct first.
        agreement: of the judges with people, to be shown beside the scores.
        told_apart: what the prediction of a case does differently from its reference.

    Raises:
        InputError: the file cannot be written.
    """
    pages = case_pages(records, max_case_pages, told_apart)
    used, hashes = scripts("report")
    report = (
        environment()
        .get_template("report.html.j2")
        .stream(
            title=words.visible(title),
            summary=summary,
            notes=words.reading_notes(summary),
            judges=[_judge(i, judge) for i, judge in enumerate(summary.judges)],
            outcomes=words.outcomes_found(summary.judges),
            dimensions=[
                _dimension(name, summary.judges) for name in words.dimensions(summary.judges)
            ],
            agreement=None if agreement is None else _agreement(agreement),
            pages=pages,
            most_told_apart=MOST_TOLD_APART,
            data=_data(summary, pages),
            style=style(),
            scripts=used,
            script_hashes=hashes,
        )
    )
    with new_file(path) as file:
        file.writelines(report)


def scripts(view: str) -> tuple[dict[str, Markup], str]:
    """Our own scripts, of the theme and of a view, and the hashes by which a page allows them."""
    theme, *others = (
        (_TEMPLATES / f"{name}.js").read_text("utf-8")
        for name in ("theme", "theme_button", "copy", view)
    )
    texts = {"theme": theme, "view": "".join(others)}
    hashes = " ".join(f"'{_hash(text)}'" for text in texts.values())
    return {name: Markup(text) for name, text in texts.items()}, hashes


def style() -> Markup:
    """The style sheet of all pages."""
    return Markup((_TEMPLATES / "report.css").read_text("utf-8"))


def environment() -> Environment:
    """Where templates are found, and what they may use."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "visible": words.visible,
        "count": words.count,
        "breakable": _breakable,
    }
    environment.globals |= {"words": words, "plots": plots}
    return environment


def _breakable(signature: str) -> Markup:
    """A signature that may go on in the next line after each of its parts."""
    return Markup("|<wbr>").join(signature.split("|"))


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


# ---------------------------------------------------------------- the data of the case pages


def _data(summary: Summary, pages: CasePages) -> Iterator[Markup]:
    """The JSON text, a line per case."""
    judges = [judge.name for judge in summary.judges]
    head = {
        "judges": [words.visible(name) for name in judges],
        "tones": {str(outcome): words.tone(outcome) for outcome in Outcome},
    }
    yield Markup(f'{{"report": {script_safe(head)}, "cases": [\n')
    for i, page in enumerate(pages.to_json(judges)):
        comma = ",\n" if i else ""
        yield Markup(f"{comma}{script_safe(page)}")
    yield Markup("\n]}")


def script_safe(value: Json) -> str:
    """JSON that cannot end its script element, open a comment in it or break a line.

    >>> script_safe("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return json_line_safe(text)


# ---------------------------------------------------------------- the numbers


def _judge(series: int, judge: JudgeSummary) -> dict[str, Any]:
    """A judge as the template shows it."""
    found = [(o, n) for o in Outcome if (n := judge.outcomes.get(o, 0))]
    outcomes = words.outcomes_sentence(judge)
    return {
        "name": words.visible(judge.name),
        "signature": words.visible(judge.signature),
        "score": "" if judge.systems else words.headline(judge),
        "sentence": words.score_sentence(judge),
        # The outcomes have a plot and a table of their own.
        "details": [words.visible(line) for line in words.details(judge) if line != outcomes],
        "plot": "" if judge.systems else _score_plot(judge),
        "systems": words.system_rows(judge),
        "pairs": words.pair_rows(judge),
        "stack": plots.stacked_bar(found) if found else "",
        "outcomes": dict(found),
        "series": series,
    }


def _score_plot(judge: JudgeSummary) -> Markup:
    return plots.score_bar(PlotPoint(judge.name, judge.score, judge.low, judge.high))


def _dimension(name: str, judges: Sequence[JudgeSummary | JudgeAgreement]) -> dict[str, Any]:
    """One dimension: a row per slice, in each a dot per judge."""
    slices = words.slices_of(name, judges)
    estimates = {
        value: {judge: words.estimate(part) for judge, part in parts.items()}
        for value, parts in slices.items()
    }
    axis = Axis.around(end for row in estimates.values() for one in row.values() for end in one)
    rows = [
        {
            "value": words.visible(value) or "(none)",
            "href": _cases_of(name, value),
            "n": max(part.n for part in parts.values()),
            "plot": plots.dots(
                [
                    PlotPoint(judge.name, *estimates[value][judge.name], series)
                    for series, judge in enumerate(judges)
                    if judge.name in parts
                ],
                axis,
            ),
            "texts": [words.slice_text(parts.get(judge.name)) for judge in judges],
        }
        for value, parts in slices.items()
    ]
    return {
        "name": words.visible(name),
        "rows": rows[:_MOST_SLICES],
        "more": rows[_MOST_SLICES:],
        "axis": plots.axis_labels(axis),
    }


def _cases_of(dimension: str, value: str) -> str:
    """Where the list of a slice's cases is; empty where the list has no such filter."""
    if dimension not in _FILTERS or not value:
        return ""
    return f"#/cases?{urlencode({_FILTERS[dimension]: words.visible(value)})}"


def _agreement(agreement: Agreement) -> dict[str, Any]:
    rows = [
        (judge, name, PlotPoint(f"{judge.name}, {name}", *words.estimate(figures), series), figures)
        for series, judge in enumerate(agreement.judges)
        for name, figures in words.agreement_rows(judge)
    ]
    axis = Axis.around(
        end for _, _, point, _ in rows for end in (point.value, point.low, point.high)
    )
    plotted = [
        {
            "judge": words.visible(judge.name),
            "name": words.visible(name),
            "plot": plots.dots([point], axis),
            "figures": figures,
        }
        for judge, name, point, figures in rows
    ]
    return {
        "judges": [
            {"name": words.visible(judge.name), "series": series}
            for series, judge in enumerate(agreement.judges)
        ],
        "rows": plotted,
        "axis": plots.axis_labels(axis),
        "tables": words.AGREEMENT_TABLES,
        "dimensions": [
            _dimension(name, agreement.judges) for name in words.dimensions(agreement.judges)
        ],
        "confidence": agreement.confidence,
        "calibration": [
            reliability_svg({words.visible(judge.name): judge.calibration})
            for judge in agreement.judges
            if judge.calibration is not None
        ],
        "pairs": agreement.pairs,
        "notes": [words.visible(note) for note in agreement.notes],
        "signature": words.agreement_signature(agreement),
    }
