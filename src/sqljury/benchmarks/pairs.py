"""Pairs of queries labelled equivalent or not, as FuncEvalGMN publishes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqljury.benchmarks.described_schema import described_schema
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.benchmarks.layout import stated
from sqljury.case import Case

_LABEL = "new_labels"
_SPIDER = {"reference_sqls": "gt", "predicted_sql": "answer"}
_OTHERS = {"reference_sqls": "Ground_truth", "predicted_sql": "response_sql"}
_QUOTED = re.compile(r"\['(.*)'\]")


@register
class Pairs(Format):
    """One case per pair, known by its position: the files' own ids repeat.

    The schema that the prompt describes goes with the case: WikiSQL's tables are nowhere else.
    """

    name = "pairs"
    description = "labelled pairs: gt and answer, or Ground_truth and response_sql, new_labels"
    priority = 30

    def claims(self, source: Source) -> bool:
        """By the label's name and one of the two pairs of names."""
        return has_keys(source, _LABEL) and any(
            has_keys(source, *keys.values()) for keys in (_SPIDER, _OTHERS)
        )

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case a row."""
        keys = _SPIDER if has_keys(source, *_SPIDER.values()) else _OTHERS
        # The index columns that pandas added, one a saving.
        dropped = [key for key in source.keys if key.startswith("Unnamed")]
        layout = stated(
            {**keys, "db_id": "db_id", "label": _LABEL, "source": "type"},
            options.mapping,
            dropped=dropped,
        )
        for case in build_all(source, layout, options):
            listed = _QUOTED.fullmatch(case.db_id)
            schema = described_schema(str(case.extra.get("prompt", "")))
            yield replace(
                case,
                db_id=listed[1] if listed else case.db_id,
                schema_sql=case.schema_sql or schema,
            )
