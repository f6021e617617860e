"""Checks on a tree whether SQLite returns the rows that another engine would return.

The constructs that work alike everywhere are listed; any other one is a reason for doubt.
"""

from __future__ import annotations

import re
from typing import Final

from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.chosen_texts import shows_chosen_text
from sqljury.trees.collations import BLANKED, CASELESS
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    Call,
    Cast,
    Distinct,
    Expression,
    Filter,
    Join,
    Limit,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
    Scan,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    Type,
    Values,
    Window,
)
from sqljury.trees.properties import properties
from sqljury.trees.types import Row, expression_collation, fields, has_one_row, type_of
from sqljury.trees.walk import expressions, inputs, operands, width

_OPERATORS: Final = (
    *(Scan, Values, Filter, Project, Join, Aggregate, Distinct, Window, Sort, Limit),
    SetOperation,
)
_COMPARISONS: Final = COMPARISONS | {"IS", "IN", "BETWEEN"}
_ORDERED: Final = frozenset(("<", "<=", ">", ">=", "BETWEEN"))
_LOGIC: Final = frozenset(("AND", "OR", "NOT", "XOR", "IS NULL", "CASE", "COALESCE", "IIF"))
_ARITHMETIC: Final = frozenset(("+", "-", "*", "NEG", "ABS"))
_AGGREGATES: Final = frozenset(("COUNT", "SUM", "AVG", "MIN", "MAX"))
_WINDOWS: Final = _AGGREGATES | {"ROW_NUMBER", "RANK", "DENSE_RANK"}
_NUMBERS: Final = frozenset((Type.INTEGER, Type.DECIMAL, Type.REAL, Type.SINGLE))
_PLAIN: Final = _NUMBERS | {Type.TEXT, Type.BOOLEAN, Type.DATE, Type.NULL}
_CHOSEN: Final = "one of several equal texts is shown"
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def translation_doubt(relation: Relation, context: Context) -> str:
    """The first construct of a query that may work differently in SQLite; empty if none does."""
    found = _Doubts(context).of(relation, ())
    if not found and shows_chosen_text(relation, range(width(relation)), context):
        return _CHOSEN
    return found


class _Doubts:
    def __init__(self, context: Context) -> None:
        self.context = context

    def of(self, relation: Relation, outer: tuple[Row, ...]) -> str:
        if not isinstance(relation, _OPERATORS):
            return f"a {type(relation).__name__}"
        for below in inputs(relation):
            if found := self.of(below, outer):
                return found
        row = tuple(f for below in inputs(relation) for f in fields(below, self.context, outer))
        return self._of_operator(relation, row, outer) or next(
            filter(None, (self._of(e, row, outer) for e in expressions(relation))), ""
        )

    def _of_operator(self, relation: Relation, row: Row, outer: tuple[Row, ...]) -> str:
        match relation:
            case Join(lateral=True):
                return "LATERAL"
            case Aggregate():
                return self._of_calls(relation, row, outer)
            case Window():
                names = {call.name for call in relation.calls} - _WINDOWS
                return f"{min(names)} as a window function" if names else ""
            case Limit(input=Sort() as sort):
                texts = [k for k in sort.keys if self._type(k.expression, row, outer) is Type.TEXT]
                return "texts are put in order" if texts else ""
            case SetOperation():
                one, *others = (fields(below, self.context, outer) for below in relation.inputs)
                kinds = {tuple(field.type for field in each) for each in (one, *others)}
                return "a set operation of several types" if len(kinds) > 1 else ""
            case Scan():
                return self._of_scan(relation)
            case _:
                return ""

    def _of_scan(self, scan: Scan) -> str:
        found = {field.collation for field in fields(scan, self.context)} - {""}
        if BLANKED in found:
            return "CHAR(n)"
        strange = sorted(name for name in found if not _ci(name) and not name.endswith("_bin"))
        return f"the collation {strange[0]}" if strange else ""

    def _of_calls(self, aggregate: Aggregate, row: Row, outer: tuple[Row, ...]) -> str:
        for call in aggregate.calls:
            if call.name not in _AGGREGATES:
                return "a bare column" if call.name == "BARE" else call.name
            types = {self._type(operand, row, outer) for operand in call.operands}
            if call.name in ("MIN", "MAX") and Type.TEXT in types:
                return "texts are put in order"
            if call.name in ("SUM", "AVG") and not types <= _NUMBERS:
                return f"{call.name} of what is no number"
        return ""

    def _type(self, expression: Expression, row: Row, outer: tuple[Row, ...]) -> Type:
        return type_of(expression, row, self.context, outer)

    def _of(self, expression: Expression, row: Row, outer: tuple[Row, ...]) -> str:
        for part in operands(expression):
            if found := self._of(part, row, outer):
                return found
        match expression:
            case Ref() | Outer() | Literal():
                known = self._type(expression, row, outer)
                return "" if known in _PLAIN else f"a value of the type {known}"
            case Cast():
                return "CAST"
            case Subquery():
                return self._of_subquery(expression, row, outer)
            case Call():
                return self._of_call(expression, row, outer)

    def _of_subquery(self, subquery: Subquery, row: Row, outer: tuple[Row, ...]) -> str:
        inner = subquery.relation
        if found := self.of(inner, (row, *outer)):
            return found
        one = has_one_row(inner) or properties(inner, self.context).unique(())
        if subquery.kind is SubqueryKind.SCALAR:
            if not one:
                return "a subquery that may give several rows for one value"
            if shows_chosen_text(inner, (0,), self.context, (row, *outer)):
                return _CHOSEN
        if subquery.kind in (SubqueryKind.IN, SubqueryKind.ANY, SubqueryKind.ALL):
            theirs = fields(inner, self.context, (row, *outer))
            for operand, field in zip(subquery.operands, theirs, strict=False):
                types = [self._type(operand, row, outer), field.type]
                if found := self._of_types(subquery.operator, types, (operand,)):
                    return found
        return ""

    def _of_call(self, call: Call, row: Row, outer: tuple[Row, ...]) -> str:
        types = [self._type(operand, row, outer) for operand in call.operands]
        if call.name in _COMPARISONS:
            folded = {expression_collation(o, row, self.context, outer) for o in call.operands}
            if folded - {"", *CASELESS} and not all(_ci(name) for name in folded):
                return f"the collation {max(folded)}"
            column = any(isinstance(o, Ref | Outer) for o in call.operands)
            if folded - {""} and not column:
                return "texts that are no column are compared"
            return self._of_types(call.name, types, call.operands)
        if call.name in _LOGIC:
            return ""
        if call.name in _ARITHMETIC:
            return "" if set(types) <= _NUMBERS | {Type.NULL} else f"{call.name} of other types"
        return call.name

    def _of_types(self, name: str, types: list[Type], parts: tuple[Expression, ...]) -> str:
        kinds = {type_ for type_ in types if type_ is not Type.NULL}
        if Type.DATE in kinds and kinds <= {Type.DATE, Type.TEXT}:
            texts = [p for p in parts if isinstance(p, Literal) and isinstance(p.value, str)]
            days = all(_DAY.fullmatch(str(text.value)) for text in texts)
            return "" if days and len(texts) >= types.count(Type.TEXT) else "a day as text"
        if Type.TEXT in kinds and name in _ORDERED:
            return "texts are put in order"
        texts = [p for p in parts if isinstance(p, Literal) and isinstance(p.value, str)]
        if any(str(t.value) != str(t.value).strip() or not str(t.value).isascii() for t in texts):
            return "a text with blanks or other letters"
        if len(kinds) > 1 and not kinds <= _NUMBERS:
            return "different types are compared"
        return ""


def _ci(name: str) -> bool:
    return name in ("", *CASELESS) or name.endswith("_ci")
