"""The shape of a query without its names: what a question alone lets one expect.

Each part is one word out of a few dozen; how likely each is for a question is learned from
questions and their reference queries alone, whatever wrong queries look like.
"""

from __future__ import annotations

from sqljury.judges.verifier_features.facts import (
    ConditionFacts,
    ExpressionFacts,
    Facts,
    SelectFacts,
)

PARTS = ("items", "distinct", "conditions", "order", "nesting", "tables", "logic", "group")


def sketch_of(facts: Facts) -> dict[str, str]:
    """Each of :data:`PARTS` of a query."""
    top = facts.top
    return {
        "items": " ".join(sorted(map(_item, top.items))),
        "distinct": _distinct(facts),
        "conditions": " ".join(sorted(_condition(c) for b in _level(facts) for c in b.where)),
        "order": _order(top),
        "nesting": _nesting(facts),
        "tables": str(min(len(top.tables), 5)),
        "logic": _logic(facts),
        "group": _group(top),
    }


def _level(facts: Facts) -> list[SelectFacts]:
    return [block for block in facts.blocks if block.place in ("top", "operand")]


def _item(item: ExpressionFacts) -> str:
    if not item.function:
        return "*" if item.column == "*" else "column"
    if item.function == "count" and not item.distinct:
        return "count"  # of what is counted, another part of the features knows more
    return f"{item.function}{'!' if item.distinct else ''}"


def _distinct(facts: Facts) -> str:
    return "distinct" if facts.top.distinct else ""


def _condition(comparison: ConditionFacts) -> str:
    kind = "query" if comparison.has_query else "text" if comparison.is_text else "number"
    return f"{comparison.operator}:{kind}"


def _logic(facts: Facts) -> str:
    either = "or" if any(block.ors for block in facts.blocks) else ""
    return f"{facts.set_operation} {either}".strip()


def _order(top: SelectFacts) -> str:
    keys = [f"{item.function}{' desc' if down else ''}" for item, down in top.order]
    limit = "" if top.limit is None else " one" if top.limit == 1 else " some"
    return ("order " + ", ".join(keys) if keys else "") + limit


def _nesting(facts: Facts) -> str:
    """The operators before subqueries and what these give, sorted."""
    asked = [c for b in facts.blocks for c in (*b.where, *b.having) if c.has_query]
    inner = [b for b in facts.blocks if b.place in ("where", "having")]
    gives = [b.items[0].function or "column" for b in inner if b.items]
    from_ = ["from"] if any(b.place == "from" for b in facts.blocks) else []
    return " ".join(sorted([c.operator for c in asked] + gives + from_))


def _group(top: SelectFacts) -> str:
    if not top.group:
        return ""
    having = sorted(f"{c.operator}{c.item.function}" for c in top.having)
    return " ".join(["group", str(min(len(top.group), 3)), *having])
