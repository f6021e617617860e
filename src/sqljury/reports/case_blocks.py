"""The cases of a report's file: an index for the list, and blocks of rendered pages.

A block holds the HTML of neighbouring cases, deflated, so that a file has room for thousands and a
browser inflates only what is opened. The templates are those of the browser app.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup

from sqljury.case import Json
from sqljury.reports import words
from sqljury.reports.cases import CasePages
from sqljury.reports.page import deflated, page_environment, script_safe
from sqljury.verdict import Outcome

BLOCK: Final = 32
"""Cases of a block. A block of more is smaller for each case, but slower to open."""
_BODY: Final = (
    "{% import 'case.html.j2' as c %}{{ c.above(page, judges, label_link) }}"
    '<div id="others"></div>{{ c.reasons(page, judges) }}{{ c.written(page) }}'
)


def case_blocks(pages: CasePages, judges: Sequence[str]) -> Iterator[Markup]:
    """Yields script elements of a data type: the blocks, then the index, whose id is ``data``."""
    body = page_environment().from_string(_BODY)
    index: list[Json] = []
    block: list[Json] = []
    for page in pages.to_json(judges):
        index.append(_row(page))
        block.append(body.render(page=page, judges=judges, label_link=_label_link))
        if len(block) == BLOCK:
            yield _element(f"block-{len(index) // BLOCK - 1}", deflated(block))
            block = []
    if block:
        yield _element(f"block-{len(index) // BLOCK}", deflated(block))
    head = {
        "judges": [words.visible(name) for name in judges],
        "tones": {str(outcome): words.tone(outcome) for outcome in Outcome},
        "block": BLOCK,
    }
    yield _element("data", script_safe({"report": head, "cases": deflated(index)}))


def _row(page: Mapping[str, Any]) -> Json:
    """What the list shows of a case, filters by and searches in."""
    verdicts = page["verdicts"]
    texts = [
        page["id"],
        page["question"],
        page["db"],
        page.get("prediction", ""),
        *page["references"],
        *page["differences"],
        *page["facts"].values(),
    ]
    for verdict in verdicts:
        texts += [verdict.get("reason", ""), verdict.get("cause", ""), *verdict.get("lines", ())]
        texts += [text for text, _ in verdict.get("weighed", ())]
    fields = ("id", "db", "asked", "system", "difficulty", "question", "features", "prediction")
    shown = ("judge", "outcome", "score", "cause", "reason", "labels")
    return {
        **{name: page[name] for name in fields if name in page},
        "reference": next(iter(page["references"]), None),
        "difference": next(iter(page["differences"]), None),
        "verdicts": [{name: one[name] for name in shown if name in one} for one in verdicts],
        "text": "\n".join(texts).lower(),
    }


def link_within_page(fields: Mapping[str, str]) -> str:
    """The address of the list of cases with these filters, within a report."""
    return f"#/cases?{urlencode(fields)}"


def _label_link(label: str) -> str:
    return link_within_page({"label": label})


def _element(name: str, text: str) -> Markup:
    return Markup('<script type="application/json" id="{}">{}</script>\n').format(
        name, Markup(text)
    )
