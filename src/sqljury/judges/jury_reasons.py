"""The jury's reasons as sentences: what speaks for and against a prediction, by subject.

The trees give each feature a weight. Features about the same subject (rows, output columns,
conditions, …) are added up. The sentence of a subject comes from the case: its queries, rows,
question and findings of checks. So it is true whatever the weights are; they only decide which
sentences are said, on which side, and in which order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from math import exp
from typing import Final

from sqljury.difference import Clause, Difference, DifferenceKind
from sqljury.evidence_shapes import FindingFields, ReasonFields, faults_of, mismatch_of
from sqljury.judges.jury_features import Pair
from sqljury.judges.jury_features.groups.question import ASKS
from sqljury.likeness.differences import (
    QueryBlock,
    Views,
    block_of,
    clearest,
    words,
)
from sqljury.likeness.matching.trees import with_columns
from sqljury.sql import hardness
from sqljury.tables import MismatchKind, shown_row
from sqljury.verdict import Outcome, Verdict

_MOST_SAID: Final = 3
"""The most reasons of each side."""
_SMALL: Final = 0.15
"""Reasons that change the log-odds by less (the probability by less than 4 points) are not said."""
_LARGE: Final = 0.5
"""A reason that changes the log-odds by as much is said even if no sentence of the case fits it."""
_LIKELY: Final = 0.5
_MUCH: Final = 2.0
"""The log of how often likelier a thing is that is much likelier: seven times."""
_LINKED: Final = {
    "regret_columns": "other columns",
    "tables_regret": "other tables",
    "regret_worst": "another shape of query",
}
"""Features of linking, with what the question's words may make likelier."""
_LONGEST: Final = 240
_LONGEST_PART: Final = 90

_INTENT: Final = "execution:intent"

_SUBJECTS: Final[Mapping[str, tuple[str, str]]] = {
    "nulls": ("NULL in the rows", r"tables_(nulls|kind_null)|differences_kind_empty"),
    "duplicates": (
        "repeated rows",
        r"differences_(distinct|kind_repeats)|execution_forgave_duplicates|"
        r"tables_(repeats|kind_duplicates)|difficulty_distinct|question_asks_distinct",
    ),
    "order": (
        "order, limit and ties",
        r"differences_(sort_key|limit|order|kind_(direction|ties|order))|"
        r"execution_limit_cuts_tie|tables_(of_tie|kind_(tie|row_order))|"
        r"difficulty_(limit|ordering)|question_asks_(order|limit)|asked_reversed",
    ),
    "columns": (
        "the output columns",
        r"differences_(output_column|column|kind_column)|execution_forgave_(column|extra)|"
        r"tables_(columns|kind_column)|linking_(named|missed|more_items)",
    ),
    "conditions": (
        "conditions and values",
        r"compared|differences_(filter|condition_on_groups|said|"
        r"kind_(never|negation|comparison|constant|literal_case))|"
        r"linking_(more_conditions|texts|numbers|quoted|missing_values|hits)|"
        r"question_(asks_negation|numbers|quoted)|difficulty_having",
    ),
    "tables": (
        "tables and joins",
        r"differences_(table|join)|linking_tables|difficulty_joins",
    ),
    "groups": (
        "groups and aggregates",
        r"differences_(grouping_key|aggregate|kind_aggregate)|difficulty_(grouping|aggregate)|"
        r"question_asks_(group|count|share)|asked_listed|tables_added_zeros",
    ),
    "rows": ("the returned rows", r"execution|tables"),
    "generated": ("the rows on other data", r"generated"),
    "faults": ("faults that checks find", r"faults"),
    "fit": ("how well the query fits the question by itself", r"verifier|linking"),
    "difficulty": ("how hard the question is", r"difficulty|question"),
    "queries": ("how alike the two queries are", r"differences|equivalence|likeness"),
    "other": ("other evidence", ""),
}
"""By subject, what it is about in words, and a pattern of its features' names. A feature belongs
to the first subject whose pattern matches the beginning of its name."""

_CHECKED: Final = {
    "nulls": ("AU107", "AU108", "AU203", "AU205", "AU526"),
    "duplicates": ("AU206", "AU207", "AU401", "AU402", "AU410", "AU516", "AU517"),
    "order": ("AU204", "AU301", "AU501", "AU510", "AU518", "AU519"),
    "columns": ("AU504", "AU514", "AU515", "AU523"),
    "conditions": (
        *("AU101", "AU102", "AU103", "AU104", "AU105", "AU106", "AU110", "AU502"),
        *("AU506", "AU507", "AU508", "AU509", "AU511", "AU513", "AU525"),
    ),
    "tables": ("AU406", "AU407", "AU408", "AU409", "AU411", "AU524"),
    "groups": ("AU403", "AU404", "AU405", "AU512", "AU520"),
}
"""By subject, the checks whose findings are about it; those of all others are ``faults``."""

_VERBS: Final = {
    Clause.TABLE: "reads",
    Clause.JOIN: "has a",
    Clause.JOIN_CONDITION: "joins on",
    Clause.FILTER: "requires",
    Clause.GROUP: "groups by",
    Clause.AGGREGATE: "computes",
    Clause.HAVING: "keeps groups with",
    Clause.COLUMN: "returns",
    Clause.DISTINCT: "removes repeated rows with",
    Clause.ORDER: "sorts by",
    Clause.LIMIT: "has",
    Clause.SET_OPERATION: "has the set operation",
    Clause.OTHER: "has the operator",
}
_NESTED: Final = (Clause.TABLE, Clause.JOIN_CONDITION, Clause.FILTER, Clause.HAVING)
"""Clauses whose parts may stand in a subquery as well."""
_OF: Final = {
    "columns": (Clause.COLUMN,),
    "conditions": (Clause.FILTER, Clause.HAVING),
    "tables": (Clause.TABLE, Clause.JOIN, Clause.JOIN_CONDITION),
    "groups": (Clause.GROUP, Clause.AGGREGATE),
    "order": (Clause.ORDER, Clause.LIMIT),
    "duplicates": (Clause.DISTINCT,),
}
_ASKED: Final = {
    Clause.ORDER: "order",
    Clause.LIMIT: "limit",
    Clause.DISTINCT: "distinct",
    Clause.GROUP: "group",
}
_FORGIVEN: Final = {
    "duplicates_differ": "how often a row is repeated",
    "extra_columns": "additional columns",
    "column_order": "the order of the columns",
    "tolerance": "rounding",
    "text_case": "capitals and spaces",
    "notation": "how values are written",
}
_ROW_KINDS: Final = frozenset(
    str(one)
    for one in (
        MismatchKind.ROW_COUNT,
        MismatchKind.EMPTY,
        MismatchKind.SUBSET,
        MismatchKind.SUPERSET,
        MismatchKind.VALUES,
        MismatchKind.TYPES,
        MismatchKind.ROUNDING,
        MismatchKind.TEXT_CASE,
        MismatchKind.NULL,
    )
)
_ORDER_KINDS: Final = frozenset((str(MismatchKind.TIE), str(MismatchKind.ROW_ORDER)))

Fact = tuple[int, str]
"""1 for what speaks for the prediction, -1 for what speaks against it; and the sentence."""


@cache
def subject_of(feature: str) -> str:
    """The subject that a feature is about, by its full name."""
    return next(name for name, (_, begins) in _SUBJECTS.items() if re.match(begins, feature))


def plain_sentence(subject: str, sign: int) -> str:
    """The sentence for a subject of which the case has no fact of that side."""
    side = "for" if sign > 0 else "against"
    return f"What is known of {_SUBJECTS[subject][0]} speaks {side} it on the whole"


def reasons(
    pair: Pair, weights: Mapping[str, float], values: Mapping[str, float], *, correct: bool
) -> list[ReasonFields]:
    """At most three reasons for and three against the prediction, those for it first.

    Args:
        weights: by feature, how much it changes the log-odds.
        values: the known values of the features.
        correct: the verdict: its side has a reason even if all of them are small.
    """
    summed: dict[str, float] = {}
    about: dict[str, list[str]] = {}
    for name, weight in sorted(weights.items(), key=lambda one: -abs(one[1])):
        if weight:
            subject = subject_of(name)
            summed[subject] = summed.get(subject, 0.0) + weight
            about.setdefault(subject, []).append(name)
    facts = _Facts(pair, values)
    order = sorted(summed, key=lambda one: -abs(summed[one]))
    found: list[ReasonFields] = []
    for sign in (1, -1):
        own = [one for one in order if summed[one] * sign > 0]
        told: list[tuple[str, str]] = []
        said: set[str] = set()
        for subject in own:
            large = abs(summed[subject]) >= _SMALL
            if len(told) == _MOST_SAID or not (large or (correct is (sign > 0) and not told)):
                break
            text = next((t for s, t in facts.about(subject) if s == sign and t not in said), "")
            if not text and abs(summed[subject]) >= _LARGE:
                text = plain_sentence(subject, sign)
            if text:
                said.add(text)
                told.append((subject, text))
        if not told and own and correct is (sign > 0):
            told.append((own[0], plain_sentence(own[0], sign)))
        found += [
            {
                "subject": subject,
                "text": _cut(text, _LONGEST),
                "weight": round(summed[subject], 4),
                "features": about[subject],
            }
            for subject, text in told
        ]
    return found


def _cut(text: str, most: int) -> str:
    """The text on one line, cut to ``most`` characters, without a full stop."""
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _part(text: str | None) -> str:
    return _cut(text or "", _LONGEST_PART)


class _Facts:
    """What is true of a case, in sentences by subject; the most telling first."""

    def __init__(self, pair: Pair, values: Mapping[str, float]) -> None:
        self.pair = pair
        self.values = values
        self._own: Mapping[str, Callable[[], Iterator[Fact]]] = {
            "rows": self._rows,
            "columns": self._columns,
            "conditions": self._conditions,
            "order": self._order,
            "groups": self._groups,
            "generated": self._generated,
            "duplicates": self._duplicates,
            "nulls": self._nulls,
            "faults": self._faults,
            "fit": self._fit,
            "difficulty": self._difficulty,
            "queries": self._queries,
        }

    def about(self, subject: str) -> Iterator[Fact]:
        """The facts about a subject."""
        if subject == "order" and self.values.get("asked_reversed_prediction"):
            yield -1, "The prediction sorts the other way round than the question asks"
        found = list(self._findings(subject))
        # That a column never holds a value says more than that the reference has another one.
        if subject == "conditions":
            yield from found
        for one in self._differences:
            if _subject_of(one) == subject:
                yield -1, self._with_question(one)
        yield from found
        yield from self._common(subject)
        if subject in self._own:
            yield from self._own[subject]()

    def _verdict(self, judge: str, *, of_reference: bool = False) -> Verdict | None:
        """A verdict that the features were found from; None if its group is not used."""
        used = any(name.startswith(judge.partition(":")[0]) for name in self.values)
        return self.pair.verdict(judge, of_reference=of_reference) if used else None

    # ------------------------------------------------------------ the queries

    @cached_property
    def _differences(self) -> Sequence[Difference]:
        trees, written = self.pair.trees, self.pair.written_trees
        # Without this feature the group failed, and would fail again.
        if trees is None or written is None or "differences_total" not in self.values:
            return ()
        return clearest(Views(written, lambda: trees, trees, self.pair.differences))

    @cached_property
    def _blocks(self) -> tuple[QueryBlock, QueryBlock] | None:
        written = self.pair.written_trees
        if written is None or "differences_total" not in self.values:
            return None
        prediction, reference = (block_of(*with_columns(tree)) for tree in written)
        return prediction, reference

    @cached_property
    def _own_block(self) -> QueryBlock | None:
        """The prediction's, also without a reference."""
        from sqljury.trees.nodes import Unreadable

        if self._blocks is not None:
            return self._blocks[0]
        if self.pair.reference is not None:
            return None
        tree = self.pair.evidence.tree(self.pair.prediction)
        return None if isinstance(tree, Unreadable) else block_of(*with_columns(tree))

    def _common(self, subject: str) -> Iterator[Fact]:
        """The parts of a clause that both queries have, as written."""
        if self._blocks is None or subject not in _OF:
            return
        said = []
        for clause in _OF[subject]:
            own, others = (_parts(block, clause) for block in self._blocks)
            common = [part for part in others if part in own]
            if common:
                shown = ", ".join(_part(part) for part in common[:3])
                more = f" and {len(common) - 3} more" if len(common) > 3 else ""
                verb, _, rest = _VERBS[clause].partition(" ")
                verb = "have" if verb == "has" else verb.removesuffix("s")
                said.append(f"{verb} {rest} {shown}{more}")
        if said:
            yield 1, f"Both queries {' and '.join(said)}"

    def _with_question(self, one: Difference) -> str:
        """A difference as a sentence, after what the question says about it."""
        said = _sentence(self._without_false(one))
        sides = (one.prediction, self.pair.reference), (one.reference, self.pair.prediction)
        part, other = sides[one.prediction is None]
        if one.clause in _NESTED and _may_have(other or "", part or ""):
            said = said.replace(" does not", " does not in the same place", 1)
        wording = self.pair.wording
        if wording is None:
            return said
        asked = _ASKED.get(one.clause)
        if asked and one.prediction is None:
            found = re.search(rf"\b(?:{ASKS[asked]})\b(?: \w+)?", wording.text, re.IGNORECASE)
            if found:
                return f"The question says '{found[0]}'. {said}"
        if one.clause is Clause.COLUMN and one.kind is not DifferenceKind.ORDER:
            question = "question or its hint" if self.pair.case.hint else "question"
            named, others = (self._named(text) for text in (one.reference, one.prediction))
            plain = re.fullmatch(r"\w+\.[\w ]+", one.reference or "")
            if plain and named and named[0] not in others:
                return f"The {question} names {named[0]}. {said}"
            if one.reference is None and not others:
                return f"{said}, and the {question} does not name it"
        return said

    def _without_false(self, one: Difference) -> Difference:
        """A difference without the note that a table is not read, if a subquery may read it."""
        lacks = self.pair.prediction if "missing: " in one.note else self.pair.reference or ""
        tables = one.note.rpartition(": ")[2]
        doubtful = "once more" in one.note or _may_have(lacks, tables)
        return replace(one, note="") if one.note.startswith("table ") and doubtful else one

    def _named(self, text: str | None) -> list[str]:
        """The columns of an expression that question or hint name."""
        wording = self.pair.wording
        names = re.findall(r"\b\w+\.(\w+)", text or "")
        return [name for name in names if wording is not None and wording.names(name)]

    def _columns(self) -> Iterator[Fact]:
        tables = self.pair.tables
        if tables is not None and tables[0].width != tables[1].width:
            widths = _count(tables[1].width, "column"), tables[0].width
            yield -1, f"The reference returns {widths[0]}, the prediction {widths[1]}"
        if self.values.get("linking_missed_anywhere_prediction", 0.0) > _LIKELY:
            yield -1, "By its words the question asks for a column that the prediction does not use"
        if self._own_block is not None and self.pair.wording is not None:
            own = self._own_block.of(Clause.COLUMN)
            named = list(dict.fromkeys(n for node in own for n in self._named(words(node))))
            if named:
                yield 1, f"The question names {', '.join(named[:4])}, which the prediction returns"

    def _conditions(self) -> Iterator[Fact]:
        if self._own_block is None or self.pair.wording is None:
            return
        said = " ".join(_parts(self._own_block, Clause.FILTER))
        if not said and self._blocks is not None and not _parts(self._blocks[1], Clause.FILTER):
            yield 1, "Neither query has a condition"
        texts = re.findall(r"'((?:[^']|'')*)'", said)
        known = [f"'{_part(one)}'" for one in texts if self.pair.wording.mentions_text(one)]
        if known:
            yield 1, f"The question says {known[0]}, which the prediction compares with"

    def _queries(self) -> Iterator[Fact]:
        trees = self.pair.trees
        if trees is not None and trees[0] == trees[1]:
            yield 1, "The two queries are equal once they are written in the same form"
        elif trees is not None and not self._differences:
            yield 1, "The two queries have the same parts, in another arrangement"
        for one in self._differences:
            yield -1, self._with_question(one)

    # ------------------------------------------------------------ the rows

    def _rows(self) -> Iterator[Fact]:
        tables = self.pair.tables
        if tables is None:
            return
        rows = tables[1].rows
        both = "Both queries return" if self.pair.reference else "Prediction and reference have"
        intent = self._verdict(_INTENT)
        if self.values.get("execution_strict") == 1:
            if not rows:
                yield 1, f"{both} no rows"
                yield -1, f"{both} no rows, which proves little"
            elif len(rows) == 1:
                row = shown_row(rows[0])
                what = f"value, {row[1:-1]}" if tables[1].width == 1 else f"row, {row}"
                yield 1, f"{both} the same {_part(what)}"
            else:
                yield 1, f"{both} the same {_count(len(rows), 'row')}"
        elif intent is not None and intent.outcome is Outcome.CORRECT:
            apart = [_FORGIVEN[one] for one in intent.labels if one in _FORGIVEN]
            but = " and ".join(apart) or "details of how values are written"
            yield 1, f"{both} the same {_count(len(rows), 'row')} but for {but}"
            yield -1, f"The rows are equal only if {but} may differ"
        elif intent is not None and intent.outcome is Outcome.INCORRECT:
            told = self._mismatches(_ROW_KINDS)
            if told:
                yield -1, " ".join(told[:2])
            elif self._mismatches(_ORDER_KINDS):
                yield 1, f"{both} the same {_count(len(rows), 'row')} but for their order"
            if "limit_cuts_tie" in intent.labels:
                yield 1, "The reference's LIMIT cuts a tie, so other rows may be right, too"
        for side, other in (("reference", "prediction"), ("prediction", "reference")):
            share = self.values.get(f"tables_values_of_{side}")
            if share is not None:
                told_ = f"{_percent(share)} of the {side}'s values occur in the {other}'s rows"
                yield (1 if share > 0.5 else -1), told_

    def _mismatches(self, kinds: frozenset[str]) -> list[str]:
        """The sentences on how the rows differ, of some kinds."""
        found = self._verdict(_INTENT)
        explanation = mismatch_of(found.evidence) if found is not None else None
        findings = explanation["findings"] if explanation else []
        return [one["text"] for one in findings if one["kind"] in kinds]

    def _generated(self) -> Iterator[Fact]:
        share = self.values.get("generated_differ")
        if share is None:
            return
        if share > 0:
            part = "most" if share > 0.5 else "some"
            yield -1, f"On {part} generated databases the two queries return different rows"
        else:
            yield 1, "On generated databases, too, both queries return the same rows"

    def _groups(self) -> Iterator[Fact]:
        if self.values.get("asked_listed_prediction"):
            yield -1, "The question asks for one number, and the prediction returns a row per group"
        if self.values.get("tables_added_zeros"):
            yield 1, "The prediction's further rows are those of things without partners"

    def _order(self) -> Iterator[Fact]:
        if self.values.get("tables_of_tie"):
            yield 1, "The prediction's LIMIT cuts a tie, and its rows are some of the reference's"
        for text in self._mismatches(_ORDER_KINDS):
            yield -1, text
        found = self._verdict(_INTENT)
        if found is not None and "limit_cuts_tie" in found.labels:
            yield 1, "The reference's LIMIT cuts a tie, so several answers are right"

    def _duplicates(self) -> Iterator[Fact]:
        for text in self._mismatches(frozenset((str(MismatchKind.DUPLICATES),))):
            yield -1, text
        own = self.values.get("tables_repeats_prediction")
        other = self.values.get("tables_repeats_reference")
        if own is not None and self.pair.reference is None and not self.pair.tables:
            yield (-1, "The result repeats rows") if own else (1, "The result repeats no row")
        if own is None or other is None:
            return
        if own == other == 0:
            yield 1, "Neither result repeats a row"
        elif own and other:
            yield 1, "Both results repeat rows"
        else:
            side = "prediction" if own else "reference"
            yield -1, f"Only the {side}'s result repeats rows"

    def _nulls(self) -> Iterator[Fact]:
        for text in self._mismatches(frozenset((str(MismatchKind.NULL),))):
            yield -1, text
        own = self.values.get("tables_nulls_prediction")
        other = self.values.get("tables_nulls_reference")
        if own is None or other is None:
            return
        if own == other == 0:
            yield 1, "Neither result has a NULL"
        elif bool(own) != bool(other):
            yield -1, f"Only the {'prediction' if own else 'reference'}'s result has NULL"

    # ------------------------------------------------------------ checks, verifier, difficulty

    def _faults_in(self, *, reference: bool) -> list[FindingFields]:
        """What checks find in one of the queries; surer findings first."""
        verdict = self._verdict("faults", of_reference=reference)
        found = [] if verdict is None else faults_of(verdict.evidence)["findings"]
        return sorted(found, key=lambda one: one["weak"])

    @cached_property
    def _found(self) -> tuple[FindingFields, ...]:
        """What checks find in the prediction and not in the reference."""
        shared = {one["code"] for one in self._faults_in(reference=True)}
        return tuple(one for one in self._faults_in(reference=False) if one["code"] not in shared)

    def _findings(self, subject: str) -> Iterator[Fact]:
        listed = {code for codes in _CHECKED.values() for code in codes}
        for one in self._found:
            is_about = one["code"] in _CHECKED.get(subject, ())
            if is_about or (subject == "faults" and one["code"] not in listed):
                yield -1, _checked(one)

    def _faults(self) -> Iterator[Fact]:
        for one in self._found:
            yield -1, _checked(one)
        if self.values.get("faults_inner_count_prediction"):
            yield (
                -1,
                "Each thing is asked for, and the inner join drops those with none to count",
            )
        own = {one["code"] for one in self._faults_in(reference=False)}
        has_rows = self.values.get("execution_intent") == 1
        for one in self._faults_in(reference=True):
            if one["code"] in own:
                yield -1, _checked(one, "both queries")
            elif has_rows:
                yield -1, _checked(one, "the reference, whose rows the prediction returns")
            else:
                yield 1, _checked(one, "the reference")
        verdict = self._verdict("faults")
        known = verdict is not None and verdict.outcome in (Outcome.CORRECT, Outcome.INCORRECT)
        if not known or verdict is None:
            return
        if not faults_of(verdict.evidence)["findings"]:
            yield 1, "No check finds a fault in the prediction"
        elif not self._found:
            yield 1, "No check finds a fault in the prediction that the reference lacks"
        elif all(one["weak"] for one in self._found):
            yield 1, "No check is sure of a fault in the prediction"

    def _fit(self) -> Iterator[Fact]:
        sides = [self.values.get(f"verifier_odds_{one}") for one in ("prediction", "reference")]
        own, other = (None if odds is None else 1 / (1 + exp(-odds)) for odds in sides)
        if own is None:
            yield from self._expected()
            return
        by = f"By the question alone, the verifier gives the prediction {_percent(own)}"
        if other is not None and _percent(own) != _percent(other):
            yield (1 if own > other else -1), f"{by} and the reference {_percent(other)}"
        yield (1 if own >= 0.5 else -1), by

    def _expected(self) -> Iterator[Fact]:
        """What the question's words make likelier than what the prediction has."""
        names = {f"linking_{name}_prediction": said for name, said in _LINKED.items()}
        known = [name for name in names if name in self.values]
        likelier = [names[name] for name in known if self.values[name] >= _MUCH]
        if likelier:
            yield -1, f"By the question's words {' and '.join(likelier)} would be much likelier"
        elif known:
            yield 1, "By the question's words no other query would be much likelier"

    def _difficulty(self) -> Iterator[Fact]:
        if "difficulty_question" not in self.values:
            wording = self.pair.wording
            text = "" if wording is None else wording.text
            found = (re.search(rf"\b(?:{one})\b", text, re.IGNORECASE) for one in ASKS.values())
            said = list(dict.fromkeys(f"'{one[0]}'" for one in found if one))
            kind = f"that say {' and '.join(said[:2])}" if said else "like this one"
            for sign, how in ((1, "right"), (-1, "wrong")):
                yield sign, f"Questions {kind} are often answered {how}"
            return
        stated = self.pair.case.difficulty
        if stated:
            easy = stated in ("simple", "easy")
            yield (1 if easy else -1), f"The benchmark calls the question {stated!r}"
        sql = self.pair.reference or self.pair.prediction
        level = hardness(sql, self.pair.evidence.dialect)
        if level is not None:
            whose = "reference" if self.pair.reference else "prediction"
            easy = level in ("easy", "medium")
            kind = "simple" if easy else "complex"
            text = f"The {whose} is a {kind} query: {level!r} on Spider's scale of hardness"
            yield (1 if easy else -1), text
        for sign, how in ((1, "right"), (-1, "wrong")):
            yield sign, f"Questions like this one are often answered {how}"


def _may_have(sql: str, part: str) -> bool:
    """True if a part that no clause of a query has may be in a subquery of it."""
    nested = len(re.findall(r"\bselect\b", sql, re.IGNORECASE)) > 1
    plain = re.sub(r"\b\w+\.(?=\w)", "", part)  # without the tables that qualify columns
    return nested and {*re.findall(r"\w+", plain.lower())} <= {*re.findall(r"\w+", sql.lower())}


def _parts(block: QueryBlock, clause: Clause) -> list[str]:
    """The parts of a clause as texts, also of the operands of set operations."""
    inner = [part for one in block.inner for part in _parts(one, clause)]
    return list(dict.fromkeys([*map(words, block.of(clause)), *inner]))


def _checked(one: FindingFields, where: str = "the prediction") -> str:
    if one["code"] in _TITLED:
        if where == "both queries":
            title = re.sub(r"\bthe query returns", "both queries return", one["title"], flags=re.I)
            return f"{title[0].upper()}{title[1:]}".replace(" its ", " their ")
        noun = where.split()[1].rstrip(",")
        return one["title"].replace("query", noun)
    verb = "A check suspects in" if one["weak"] else "A check of"
    return f"{verb} {where}: {one['reason']}"


_TITLED: Final = ("AU202", "AU203")
"""Checks whose title says more than the reason of a finding."""


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _percent(share: float) -> str:
    if 0 < share < 0.01 or 0.99 < share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    return f"{100 * share:.0f} %"


def _subject_of(one: Difference) -> str:
    if one.kind in (DifferenceKind.REPEATS, DifferenceKind.EMPTY):
        return "duplicates" if one.kind is DifferenceKind.REPEATS else "nulls"
    return next((name for name, clauses in _OF.items() if one.clause in clauses), "queries")


def _sentence(one: Difference) -> str:
    """A difference as a sentence about both queries."""
    text = _plain(one, _part(one.prediction), _part(one.reference))
    if one.inside:
        # Rewriting gives a subquery another operator, so its tables name it best.
        tables = re.search(r"\(query of ([^()]+)\)", one.inside)
        place = f"the query of {tables[1]}" if tables else _part(one.inside)
        return f"Inside {place}, {text[0].lower()}{text[1:]}"
    note = one.note
    for written, said in _NOTES.items():
        note = note.replace(written, said)
    return f"{text} ({_part(note)})" if note else text


_NOTES: Final = {
    "table missing: ": "the prediction does not read ",
    "table added: ": "the reference does not read ",
    "output column missing, too": "nor returns it",
    "output column added, too": "nor returns it",
}


def _plain(one: Difference, own: str, other: str) -> str:
    kind, verb = one.kind, _VERBS.get(one.clause, "has")
    if kind is DifferenceKind.NEVER:
        return "The prediction's conditions contradict each other, so it returns no rows"
    if kind is DifferenceKind.NEGATION:
        return f"The prediction {own}, the reference {other}"
    if kind is DifferenceKind.EMPTY:
        return f"Where no row is found, the prediction returns {own}, the reference {other}"
    if kind is DifferenceKind.TIES:
        return f"The prediction returns {own}, the reference {other}"
    if one.clause is Clause.DISTINCT:
        sides = ("reference", "prediction")
        has, lacks = sides[::-1] if one.reference is None else sides
        return f"The {has} removes repeated rows with DISTINCT, the {lacks} does not"
    if kind is DifferenceKind.REPEATS:
        return f"The prediction returns {(own or other).replace('one for', 'one row for', 1)}"
    if (own or other).endswith(" once more"):
        sides = (
            ("reference", "prediction") if one.prediction is None else ("prediction", "reference")
        )
        return f"The {sides[0]} {verb} {own or other} than the {sides[1]}"
    if one.prediction is None:
        return f"The reference {verb} {other}, the prediction does not"
    if one.reference is None:
        return f"The prediction {verb} {own}, the reference does not"
    if kind is DifferenceKind.ORDER and one.clause is Clause.COLUMN:
        return f"The output columns have another order: {own}, in the reference {other}"
    return f"The prediction {verb} {own}, the reference {other}"
