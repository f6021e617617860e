"""How well each table of a schema is named by a question, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sqljury.judges.verifier_features.linking import COLUMN_FEATURES, ColumnLink
from sqljury.judges.verifier_features.question import QuestionWords
from sqljury.schema import Schema

_AT = {name: COLUMN_FEATURES.index(name) for name in COLUMN_FEATURES}

TABLE_FEATURES = (
    *("named", "named_about", "name_words", "name_rank", "columns", "tables", "refers", "referred"),
    *("best", "full", "only_here_full", "best_unshared", "rank", "values", "own", "explained"),
    *("is_bridge", "only_keys", "length", "named_tables", "near_named"),
)


@dataclass(frozen=True, slots=True)
class TableLink:
    """A table and the features of :data:`TABLE_FEATURES`."""

    name: str
    features: tuple[float, ...]


@lru_cache(maxsize=32)
def _references(schema: Schema) -> dict[str, frozenset[str]]:
    return {
        table.name.lower(): frozenset(key.target_table.lower() for key in table.foreign_keys)
        for table in schema.tables
    }


def table_links(
    question: QuestionWords, schema: Schema, links: list[ColumnLink]
) -> list[TableLink]:
    """Every table of a schema beside a question, from how its columns are named by it."""
    refers = _references(schema)
    columns: dict[str, list[ColumnLink]] = {table.name.lower(): [] for table in schema.tables}
    for link in links:
        columns[link.table].append(link)
    home: dict[str, int] = {}
    for link in links:
        short = link.name.partition(".")[2]
        home[short] = home.get(short, 0) + 1
    named = {name: _of(own[0], "table_exact") for name, own in columns.items() if own}
    full_named = {name for name, score in named.items() if score == 1.0}
    out = []
    for table in schema.tables:
        name = table.name.lower()
        own = columns[name]
        plain = [one for one in own if not _of(one, "is_foreign") and not _of(one, "says_id")]
        unshared = [one for one in plain if home[one.name.partition(".")[2]] == 1]
        linked = refers[name] | {other for other, to in refers.items() if name in to}
        first = own[0] if own else None
        out.append(
            TableLink(
                name,
                (
                    *(_of(first, "table_exact"), _of(first, "table_fuzzy")),
                    *(_of(first, "table_words"), _of(first, "table_rank")),
                    *(float(len(own)), float(len(schema.tables)), float(len(refers[name]))),
                    float(sum(name in to for to in refers.values())),
                    max((_of(one, "fuzzy") for one in plain), default=0.0),
                    float(sum(_of(one, "fuzzy") >= 0.99 for one in plain)),
                    float(sum(_of(one, "fuzzy") >= 0.99 for one in unshared)),
                    max((_of(one, "fuzzy") for one in unshared), default=0.0),
                    min((_of(one, "rank") for one in plain), default=99.0),
                    float(sum(_of(one, "value") > 0 for one in own)),
                    max((_of(one, "own_exact") for one in plain), default=0.0),
                    max((_of(one, "explained") for one in plain), default=0.0),
                    float(len(linked & full_named) >= 2),
                    float(not plain),
                    float(len(question.words)),
                    float(len(full_named)),
                    float(len(linked & full_named)),
                ),
            )
        )
    assert not out or len(out[0].features) == len(TABLE_FEATURES)
    return out


def _of(link: ColumnLink | None, feature: str) -> float:
    return link.features[_AT[feature]] if link is not None else -1.0
