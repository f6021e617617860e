"""Compares a query with what its question makes likely: as numbers and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import fsum, log

from sqljury.execution import Execution
from sqljury.judges.verifier_features.asked import AskedQuestion, said, sketch_of
from sqljury.judges.verifier_features.facts import (
    ROLES,
    ConditionFacts,
    Facts,
    roles_of,
    tables_used,
)

_LEAST = 1e-3
_UNKNOWN = 0.02
"""The probability of a column that is not in the schema, such as one of a derived table."""
_RARE = "?"


def features_of(
    asked: AskedQuestion, facts: Facts | None, run: Execution | None, missing_values: int
) -> dict[str, float]:
    """All features of a query, by name.

    Args:
        facts: of the query; None if it cannot be read.
        run: the result of executing it; None without a database.
        missing_values: how many of its constants do not occur in the columns they are compared
            with; -1 without a database.
    """
    found = {"readable": float(facts is not None), **_of_question(asked)}
    found |= _of_rows(run)
    found["missing_values"] = float(missing_values)
    if facts is not None:
        found |= _of_sketch(asked, facts)
        found |= _of_roles(asked, facts)
        found |= _of_tables(asked, facts)
        found |= _of_values(asked, facts)
        found |= _of_shape(asked, facts)
    return found


# ---------------------------------------------------------------- the question alone

_CUES = ("how many", "each", "different", "distinct", "both", "or", "and", "not", "most", "least")


def _of_question(asked: AskedQuestion) -> dict[str, float]:
    text = f" {' '.join(asked.question.words)} "
    found = {f"says_{cue.replace(' ', '_')}": float(f" {cue} " in text) for cue in _CUES}
    found["length"] = float(len(asked.question.words))
    found["numbers_said"] = float(len(asked.question.numbers))
    found["schema_columns"] = float(len(asked.named))
    found["schema_tables"] = float(len(asked.tables))
    return found


# ---------------------------------------------------------------- the shape


def _of_sketch(asked: AskedQuestion, facts: Facts) -> dict[str, float]:
    found: dict[str, float] = {}
    total = worst = 0.0
    for part, word in sketch_of(facts).items():
        chances = asked.parts[part]
        chance = chances.get(word, min(chances.get(_RARE, _LEAST), 0.1) * 0.2)
        best = max(chances.values())
        found[f"chance_{part}"] = log(max(chance, _LEAST))
        regret = log(best) - log(max(chance, _LEAST))
        found[f"regret_{part}"] = regret
        total += regret
        worst = max(worst, regret)
    found["regret_shape"] = total
    found["regret_worst"] = worst
    found |= _of_width(asked, facts)
    return found


def _of_width(asked: AskedQuestion, facts: Facts) -> dict[str, float]:
    """Compares the numbers of items and conditions with the expected ones."""
    out = {}
    conditions = sum(len(b.where) for b in facts.blocks if b.place in ("top", "operand"))
    for part, count in (("items", len(facts.top.items)), ("conditions", conditions)):
        by_count: dict[int, float] = {}
        for word, chance in asked.parts[part].items():
            if word != _RARE:
                n = len(word.split())
                by_count[n] = by_count.get(n, 0.0) + chance
        known = max(sum(by_count.values()), _LEAST)
        mean = sum(n * chance for n, chance in by_count.items()) / known
        out[f"chance_number_{part}"] = log(max(by_count.get(count, 0.0) / known, _LEAST))
        out[f"more_{part}"] = count - mean
    return out


# ---------------------------------------------------------------- the columns


def _of_roles(asked: AskedQuestion, facts: Facts) -> dict[str, float]:
    found: dict[str, float] = {}
    used = roles_of(facts, asked.merged)
    total = 0.0
    for role in ROLES:
        columns = {x for x in used[role] if x not in ("", "*") and not x.endswith(".*")}
        measures = _fit(columns, asked.roles[role])
        total += measures["regret"]
        found |= {f"{role}_{name}": value for name, value in measures.items()}
        found[f"{role}_unknown"] = float(sum(one not in asked.roles[role] for one in columns))
    found["regret_columns"] = total
    everywhere = set().union(*used.values())
    unused = [one for one in asked.named if one not in everywhere]
    found["named_unused"] = float(sum(asked.named[one] >= 0.99 for one in unused))
    found["named_used"] = _mean(
        asked.named.get(one, 0.0) for one in everywhere if one and one != "*"
    )
    strongest = {c: max(asked.roles[role].get(c, 0.0) for role in ROLES) for c in asked.named}
    found["missed_anywhere"] = max((strongest[one] for one in unused), default=0.0)
    return found


def _fit(used: Iterable[str], chances: Mapping[str, float]) -> dict[str, float]:
    """How well a set of columns fits the probabilities of each to be in it.

    Sums are exact (``fsum``), as the order of a set is not fixed and must not change the result.
    """
    used = set(used)
    logs = [log(max(chances.get(one, _UNKNOWN), _LEAST)) for one in used]
    missed = [chance for one, chance in chances.items() if one not in used]
    regrets = []
    for one in used | set(chances):
        chance = min(max(chances.get(one, _UNKNOWN), _LEAST), 1 - _LEAST)
        taken = chance if one in used else 1 - chance
        regrets.append(log(max(chance, 1 - chance)) - log(taken))
    return {
        "worst": min(logs, default=0.0),
        "mean": _mean(logs),
        "missed": max(missed, default=0.0),
        "missed_all": sum(-log(1 - min(chance, 1 - _LEAST)) for chance in missed),
        "regret": fsum(regrets),
        "count": float(len(used)),
        "more": len(used) - sum(chances.values()),
    }


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fsum(listed) / len(listed) if listed else 0.0


# ---------------------------------------------------------------- the tables


def _of_tables(asked: AskedQuestion, facts: Facts) -> dict[str, float]:
    used = tables_used(facts)
    found = {f"tables_{name}": value for name, value in _fit(used, asked.tables).items()}
    bare = 0
    lonely = 0.0
    for block in facts.blocks:
        columns = [item.column for item in (*block.items, *block.group)]
        columns += [item.column for item, _ in block.order]
        columns += [one.item.column for one in (*block.where, *block.having)]
        spoken = {column.partition(".")[0] for column in columns}
        for table in set(block.tables) - spoken:
            ends = sum(table in (a.partition(".")[0], b.partition(".")[0]) for a, b in block.links)
            # A table without used columns may connect two others; at the end of a chain of joins
            # it needs a reason.
            bare += ends <= 1 and len(block.tables) > 1
            lonely = max(lonely, 1 - asked.tables.get(table, _UNKNOWN)) if ends <= 1 else lonely
    found["bare_tables"] = float(bare)
    found["bare_unlikely"] = lonely
    joined = sum(len(block.tables) - 1 for block in facts.blocks if block.tables)
    links = [link for block in facts.blocks for link in block.links]
    foreign = sum(asked.merged.get(a, a) == asked.merged.get(b, b) and a != b for a, b in links)
    inner = sum(1 for _, b in links if b.startswith("?."))
    same_name = sum(a.partition(".")[2] == b.partition(".")[2] for a, b in links)
    found["joins"] = float(joined)
    found["joins_unlinked"] = float(joined - (len(links) - inner))
    found["links_by_key"] = foreign / len(links) if links else 1.0
    found["links_odd"] = float(len(links) - max(foreign, same_name))
    found["outer_joins"] = float(sum(block.outer_joins for block in facts.blocks))
    return found


# ---------------------------------------------------------------- the values


def _of_values(asked: AskedQuestion, facts: Facts) -> dict[str, float]:
    comparisons = [c for b in facts.blocks for c in (*b.where, *b.having)]
    texts = [v.strip("%") for c in comparisons if c.is_text for v in c.values]
    numbers = [v for c in comparisons if not c.is_text for v in c.values]
    numbers += [v for v in texts if v.replace(".", "").isdigit()]
    limits = [str(b.limit) for b in facts.blocks if b.limit is not None]
    spoken = asked.question
    written = {_canonical(one) for one in numbers + limits}
    written |= {part for text in texts for part in text.split()}
    unused_numbers = [n for n in spoken.numbers if _canonical(n) not in written]
    unused_digits = [n for n in unused_numbers if n in spoken.words]
    known = {_canonical(n) for n in spoken.numbers}
    patterns = [v for c in comparisons if "like" in c.operator for v in c.values]
    found = {
        "texts": float(len(texts)),
        "texts_unsaid": float(sum(not said(v, (spoken.text,)) for v in texts)),
        "numbers": float(len(numbers)),
        "numbers_unsaid": float(sum(_canonical(n) not in known for n in numbers)),
        "numbers_unused": float(len(unused_numbers)),
        "digits_unused": float(len(unused_digits)),
        "limit_unsaid": float(sum(n != "1" and n not in known for n in limits)),
        "quoted_unused": float(sum(not _is_in(q, texts) for q in spoken.quoted)),
        "likes": float(sum("like" in c.operator for c in comparisons)),
        "likes_open": float(sum(p.startswith("%") != p.endswith("%") for p in patterns)),
    }
    return found | _of_known_values(asked, comparisons, texts)


def _of_known_values(
    asked: AskedQuestion, comparisons: list[ConditionFacts], texts: list[str]
) -> dict[str, float]:
    """Values of the database that the question contains: how many the query does not use, and how
    many it compares with another column."""
    if asked.values is None:
        return {"hits": -1.0, "hits_unused": -1.0, "hits_elsewhere": -1.0}
    stretches = {text for hits in asked.values.values() for text in hits}
    elsewhere = 0
    for one in comparisons:
        column = one.item.column
        hits = asked.values.get(column, ())
        others = {t for name, found in asked.values.items() if name != column for t in found}
        elsewhere += any(
            _is_in(v, others) and not _is_in(v, hits) for v in one.values if one.is_text
        )
    return {
        "hits": float(len(stretches)),
        "hits_unused": float(sum(not _is_in(one, texts) for one in stretches)),
        "hits_elsewhere": float(elsewhere),
    }


def _is_in(text: str, others: Iterable[str]) -> bool:
    return any(said(text, (other,)) or said(other, (text,)) for other in others)


def _canonical(number: str) -> str:
    try:
        return f"{float(number):g}"
    except ValueError:
        return number


# ---------------------------------------------------------------- the query alone


def _of_shape(asked: AskedQuestion, facts: Facts) -> dict[str, float]:
    top = facts.top
    plain = [item for item in top.items if not item.function]
    aggregates = [item for item in top.items if item.function not in ("", "other")]
    group = {asked.merged.get(item.column, item.column) for item in top.group}
    selected = {asked.merged.get(item.column, item.column) for item in plain}
    counted = [item for b in facts.blocks for item in b.items if item.function == "count"]
    keys = [item.column for item, _ in top.order]
    return {
        "blocks": float(len(facts.blocks)),
        "items": float(len(top.items)),
        "stars": float(sum(item.column == "*" and not item.function for item in top.items)),
        "conditions": float(sum(len(b.where) + len(b.having) for b in facts.blocks)),
        "ors": float(sum(b.ors for b in facts.blocks)),
        "distinct": float(top.distinct),
        "grouped": float(len(top.group)),
        "having": float(len(top.having)),
        "set_operation": float(("", "union", "intersect", "except").index(facts.set_operation)),
        "limit": float(-1 if top.limit is None else min(top.limit, 20)),
        "bare_beside_aggregate": float(bool(plain and aggregates and not top.group)),
        "group_not_selected": float(len(group - selected)) if group else 0.0,
        "selected_not_grouped": float(len(selected - group)) if group else 0.0,
        "aggregates": float(len(aggregates)),
        "counts_distinct": float(sum(item.distinct for item in counted)),
        "counts_column": float(sum(item.column != "*" for item in counted)),
        "computed": float(sum(item.function == "other" for item in top.items)),
        "order_selected": float(any(key in {i.column for i in top.items} for key in keys)),
        "distinct_of_group": float(top.distinct and bool(top.group)),
        "limit_without_order": float(top.limit is not None and not top.order),
        "twice_selected": float(len(top.items) - len(set(top.items))),
    }


# ---------------------------------------------------------------- the rows


def _of_rows(run: Execution | None) -> dict[str, float]:
    if run is None:
        return {"runs": -1.0, "rows": -1.0, "nulls": -1.0, "repeats": -1.0, "zero": -1.0}
    table = run.table
    if table is None:
        return {"runs": 0.0, "rows": -1.0, "nulls": -1.0, "repeats": -1.0, "zero": -1.0}
    rows = table.rows[:_MOST_ROWS]
    cells = [cell for row in rows for cell in row]
    try:
        distinct = len(set(rows))
    except TypeError:  # lists and dicts of other engines
        distinct = len(rows)
    return {
        "runs": 1.0,
        "rows": log(1 + len(table.rows)),
        "nulls": sum(cell is None for cell in cells) / len(cells) if cells else 0.0,
        "repeats": 1 - distinct / len(rows) if rows else 0.0,
        "zero": float(len(cells) == 1 and cells[0] in (0, None)),
    }


_MOST_ROWS = 2000


# ------------------------------------------------------------
# The parts of a query that are unlikely for its question, in words.

_FAR = 4.0
"""A part is reported if another one is more than this many times as likely."""
_SURE = 0.6
"""A missing column or table is reported if its probability is above this."""

_SAID = {
    "items": "gives",
    "distinct": "DISTINCT",
    "conditions": "conditions",
    "order": "ORDER BY and LIMIT",
    "nesting": "subqueries",
    "tables": "number of tables",
    "logic": "set operations and OR",
    "group": "GROUP BY and HAVING",
}


@dataclass(frozen=True, slots=True)
class Surprise:
    """One part of a query that is unlikely for its question.

    Args:
        what: a part of the query's shape, a role of columns, or ``table``.
        found: what the query has; empty if it lacks something.
        expected: what is likelier; empty if the query has something that it should not.
        chance: the probability of what was found, or of what is lacking.
    """

    what: str
    found: str
    expected: str
    chance: float

    @property
    def text(self) -> str:
        """The surprise as a phrase.

        >>> Surprise("gives", "count", "column", 0.02).text
        'gives count (2 %), column is likelier'
        """
        percent = f"{100 * self.chance:.0f} %"
        if not self.found:
            return f"{self.what} lacks {self.expected} ({percent})"
        likelier = f", {self.expected} is likelier" if self.expected else ""
        return f"{self.what} {self.found} ({percent}){likelier}"


def surprises(asked: AskedQuestion, facts: Facts) -> list[Surprise]:
    """The unlikely parts of a query, those of its shape first."""
    found = list(_unexpected_parts(asked, facts))
    for role, columns in roles_of(facts, asked.merged).items():
        found += _unexpected_names(role, columns, asked.roles[role])
    found += _unexpected_names("table", tables_used(facts), asked.tables)
    return found


def _unexpected_parts(asked: AskedQuestion, facts: Facts) -> Iterator[Surprise]:
    for part, word in sketch_of(facts).items():
        chances = asked.parts[part]
        best = max(chances, key=lambda one: (chances[one], one))
        chance = chances.get(word, 0.0)
        if chances[best] > _FAR * chance:
            yield Surprise(_SAID[part], word or "none", best or "none", chance)


def _unexpected_names(
    what: str, used: set[str], chances: Mapping[str, float]
) -> Iterator[Surprise]:
    for name in sorted(used & set(chances)):
        if chances[name] < (1 - _SURE) / _FAR:
            yield Surprise(what, name, "", chances[name])
    for name, chance in sorted(chances.items()):
        if chance > _SURE and name not in used:
            yield Surprise(what, "", name, chance)
