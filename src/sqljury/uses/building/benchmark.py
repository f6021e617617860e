"""Builds a benchmark of answerable and unanswerable questions from questions and schemas.

Source: TrustSQL (Lee et al. 2024), section 3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

from sqljury.case import MISSING, Case, Json
from sqljury.reports import words
from sqljury.reports.markup import markdown_table
from sqljury.schema import Schema
from sqljury.sql.tokens import parse
from sqljury.uses.building.cleaning import (
    CORRECTED,
    Cleaned,
    Corrections,
    LeftOut,
    Run,
    Usable,
    clean,
)
from sqljury.uses.building.corrections import template_of
from sqljury.uses.building.names import place, stems
from sqljury.uses.building.unanswerable import KINDS, Unanswerable, folded, unanswerable_questions
from sqljury.uses.trust.records import text_structure
from sqljury.version import __version__

TRAIN, VALIDATION, TEST = "train", "validation", "test"


@dataclass(frozen=True, slots=True)
class Splits:
    """The questions of each split, and the SQL structures kept out of validation and of test."""

    train: tuple[Usable, ...]
    validation: tuple[Usable, ...]
    test: tuple[Usable, ...]
    left_out: tuple[LeftOut, ...]
    """Questions whose structure is kept out of their split."""
    not_in_validation: frozenset[str]
    not_in_test: frozenset[str]

    @property
    def by_name(self) -> dict[str, tuple[Usable, ...]]:
        """The questions by split: train, validation, test."""
        return {TRAIN: self.train, VALIDATION: self.validation, TEST: self.test}


def split(usable: Sequence[Usable], seed: int = 0) -> Splits:
    """Split by question in the ratio 6:2:2, then keep some SQL structures out of each split.

    A fifth of the structures is removed from validation, another fifth from test, and both from
    training, so that validation and test have SQL that training does not. Equal questions are in
    the same split, also if they are on different databases.
    """
    home = _by_question(usable, seed)
    names = sorted({one.structure for one in usable}, key=lambda name: place(seed, "sql", name))
    fifth = len(names) // 5
    not_validation = frozenset(names[:fifth])
    not_test = frozenset(names[fifth : 2 * fifth])
    both = not_validation | not_test
    absent = {TRAIN: both, VALIDATION: not_validation, TEST: not_test}
    parts: dict[str, list[Usable]] = {name: [] for name in absent}
    left_out = []
    for one in usable:
        name = home[folded(one.case.question or "")]
        if one.structure in absent[name]:
            left_out.append(LeftOut(one.case, "structure_held_out", f"not in {name}"))
        else:
            parts[name].append(one)
    train, validation, test = (tuple(parts[name]) for name in absent)
    return Splits(train, validation, test, tuple(left_out), not_validation, not_test)


def halve(usable: Sequence[Usable], seed: int = 0) -> Splits:  # noqa: ARG001 - a way to split
    """Split by database: the first half is validation, the other test, as TrustSQL does Spider.

    The order is that of the input; of an odd number the middle database is in test.
    """
    databases = list(dict.fromkeys(one.case.db_id for one in usable))
    first = set(databases[: len(databases) // 2])
    validation = tuple(one for one in usable if one.case.db_id in first)
    test = tuple(one for one in usable if one.case.db_id not in first)
    return Splits((), validation, test, (), frozenset(), frozenset())


BY_QUESTION = "questions"
SPLITS: Mapping[str, Callable[[Sequence[Usable], int], Splits]] = {
    BY_QUESTION: split,
    "databases": halve,
}
"""The ways of splitting questions, by name."""


def _by_question(usable: Sequence[Usable], seed: int) -> dict[str, str]:
    texts = {folded(one.case.question or "") for one in usable}
    ordered = sorted(texts, key=lambda text: place(seed, "question", text))
    train, known = round(0.6 * len(ordered)), round(0.8 * len(ordered))
    return {
        text: TRAIN if i < train else VALIDATION if i < known else TEST
        for i, text in enumerate(ordered)
    }


ASKER_UNNAMED = "asker_unnamed"
ID_FOR_NAME = "id_for_name"
_OWN = re.compile(r"\b(?:my|our) (\w+)", re.IGNORECASE)
_SELF = re.compile(r"\b(?:I|me|myself|we|us)\b")
_NAMES = re.compile(
    r"\bnames\b|\bname of\b|\bthe name\b|^\W*who\b|\bwho (?:is|are|teaches|taught)\b", re.IGNORECASE
)
_ID = re.compile(r"(?:^|_)id$", re.IGNORECASE)
_NAME = re.compile(r"(?:^|_)(?:name|title)$", re.IGNORECASE)


def flags_of(case: Case, schema: Schema | None) -> tuple[str, ...]:
    """Flags of an answerable question that a person should look at.

    ``asker_unnamed``: it depends on who asks. ``id_for_name``: it asks for names and its SQL
    returns ids only.

    >>> case = Case(id="1", question="Who is my teacher?", reference_sqls="SELECT name FROM t")
    >>> flags_of(case, None)
    ('asker_unnamed',)
    """
    return tuple(_flags(case.question or "", case.reference_sqls[0], schema))


def _flags(question: str, sql: str, schema: Schema | None) -> Iterator[str]:
    fixed = _ids_compared(sql)
    unsaid = [value for value in fixed if not re.search(rf"\b{re.escape(value)}\b", question)]
    own = _OWN.findall(question)
    # "Give me all names" and "my options" do not depend on the asker unless the SQL fixes an id.
    if (unsaid and (own or _SELF.search(question))) or (not fixed and _are_kept(own, schema)):
        yield ASKER_UNNAMED
    if schema is not None and _NAMES.search(question) and _shows_ids_only(sql, schema):
        yield ID_FOR_NAME


def _are_kept(nouns: Sequence[str], schema: Schema | None) -> bool:
    """True if the schema has a table named after one of these nouns; without a schema, if any."""
    if schema is None:
        return bool(nouns)
    return bool(stems(nouns) & stems([table.name for table in schema.tables]))


def _ids_compared(sql: str) -> list[str]:
    """The constants with which the SQL compares id columns."""
    from sqlglot import exp

    tree = parse(sql, "sqlite")
    return [
        str(one.expression.name)
        for one in (tree.find_all(exp.EQ) if tree is not None else ())
        if isinstance(one.this, exp.Column)
        and _ID.search(one.this.name)
        and isinstance(one.expression, exp.Literal)
    ]


def _shows_ids_only(sql: str, schema: Schema) -> bool:
    """True if the SQL returns ids only, and reads a table with a column of names."""
    from sqlglot import exp

    tree = parse(sql, "sqlite")
    if not isinstance(tree, exp.Query):
        return False
    shown = [one.unalias() for one in tree.selects]
    if not shown or not all(isinstance(s, exp.Column) and _ID.search(s.name) for s in shown):
        return False
    tables = (schema.table(one.name) for one in tree.find_all(exp.Table))
    return any(
        _NAME.search(column.name)
        for table in tables
        if table is not None
        for column in table.columns
    )


# ------------------------------------------------------------
# Size and variety of a set of questions.
# Source: TrustSQL (Lee et al. 2024), table 4. Its lengths count NLTK's words: brackets, double
# quotes, signs of comparison, commas and percent signs are words of their own.

_WORD = re.compile(r"""[()"%<>!,']|[^\s()"%<>!,']+""")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionStatistics:
    """The figures of one data set in the paper's table 4."""

    tables: int
    columns: int
    questions: int
    """The number of questions that have SQL."""
    templates: int
    """The number of groups of questions if the file has groups, else of SQL structures."""
    per_template: float | None
    """The mean number of questions per template."""
    length: float | None
    """The mean number of words per query, or per template if there are placeholders."""


def statistics_of(cases: Sequence[Case], schemas: Iterable[Schema]) -> QuestionStatistics:
    """The statistics of some questions and of their databases' schemas."""
    asked = [case for case in cases if case.reference_sqls]
    known = list(schemas)
    groups = {_group(case): case for case in reversed(asked)}
    measured = [
        template.sql if (template := template_of(case)) else case.reference_sqls[0]
        for case in groups.values()
    ]
    if not any(template_of(case) for case in asked):
        measured = [case.reference_sqls[0] for case in asked]
    return QuestionStatistics(
        tables=sum(len(schema.tables) for schema in known),
        columns=sum(len(table.columns) for schema in known for table in schema.tables),
        questions=len(asked),
        templates=len(groups),
        per_template=len(asked) / len(groups) if groups else None,
        length=fmean(len(_WORD.findall(sql)) for sql in measured) if measured else None,
    )


def _group(case: Case) -> tuple[str, str]:
    group = case.extra.get("group")
    return case.benchmark, text_structure(case.reference_sqls[0]) if group is None else str(group)


# ------------------------------------------------------------
# The card of a built benchmark, with its figures.
# Source: TrustSQL (Lee et al. 2024), table 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The figures of a built benchmark: numbers of questions, unless a field says otherwise."""

    name: str
    seed: int
    sources: tuple[str, ...]
    """The names of the files of questions and databases."""
    n_read: int
    answerable: Mapping[str, int]
    """By split."""
    unanswerable: Mapping[str, int]
    """By kind; all are in test."""
    wanted: int
    """The intended number of unanswerable questions: as many as test has answerable ones."""
    n_reviewed: int
    """Unanswerable questions that a model wrote and a person accepted."""
    databases: Mapping[str, int]
    """The number of databases by split."""
    structures: Mapping[str, int]
    """The number of SQL structures by split."""
    unseen: Mapping[str, int]
    """Questions whose SQL structure training does not have, by split."""
    left_out: Mapping[str, int]
    """By reason."""
    corrected: Mapping[str, int]
    """By reason: questions of the splits that would have been left out without a correction."""
    n_merged: int
    n_unchecked: int
    flagged: Mapping[str, int]
    """By flag: questions of the splits that a person should look at."""
    splitting: str
    read: QuestionStatistics
    """The statistics of the input, before questions were left out."""

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""

        return {"sqljury": __version__, **asdict(self)}


def card_of(
    cleaned: Cleaned,
    splits: Splits,
    kinds: Sequence[str],
    *,
    name: str,
    seed: int,
    sources: Sequence[str],
    wanted: int,
    n_reviewed: int,
    order: Sequence[str],
    seen: Collection[str],
    flagged: Mapping[str, int],
    splitting: str,
    read: QuestionStatistics,
) -> Card:
    """The card with the figures of the built benchmark.

    Args:
        kinds: the kind of each unanswerable question.
        order: the kinds to make, which are listed even if there is no question of them.
        seen: the structures that training has.
    """
    left_out: list[LeftOut] = [*cleaned.left_out, *splits.left_out]
    parts = splits.by_name
    counted = Counter(kinds)
    corrected = (str(one.case.extra.get("corrected", "")) for f in parts.values() for one in f)
    corrections = [reason for said in corrected for reason in said.split(", ") if reason]
    return Card(
        name=name,
        seed=seed,
        sources=tuple(sources),
        n_read=len(cleaned.usable) + len(cleaned.unanswerable) + len(cleaned.left_out),
        answerable={part: len(found) for part, found in parts.items()},
        unanswerable={kind: counted[kind] for kind in dict.fromkeys([*order, *sorted(counted)])},
        wanted=wanted,
        n_reviewed=n_reviewed,
        databases={part: len({one.case.db_id for one in found}) for part, found in parts.items()},
        structures={part: len({one.structure for one in found}) for part, found in parts.items()},
        unseen={
            part: sum(one.structure not in seen for one in found) if part != TRAIN else 0
            for part, found in parts.items()
        },
        left_out=dict(sorted(Counter(one.reason for one in left_out).items())),
        corrected=dict(sorted(Counter(corrections).items())),
        n_merged=cleaned.n_merged,
        n_unchecked=cleaned.n_unchecked,
        flagged=dict(sorted(flagged.items())),
        splitting=splitting,
        read=read,
    )


GIVEN = "given"
"""The type of unanswerable questions of the input that have no type."""


@dataclass(frozen=True, slots=True)
class Built:
    """A built benchmark: the cases of each split, those that were left out, and the card."""

    splits: Mapping[str, tuple[Case, ...]]
    left_out: tuple[Case, ...]
    card: Card


def build_trust(
    cases: Iterable[Case],
    schemas: Mapping[str, Schema],
    run: Run,
    *,
    name: str,
    sources: Sequence[str] = (),
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    questions: Sequence[str] | None = None,
    reviewed: Sequence[Unanswerable] = (),
    corrections: Corrections | None = None,
    splitting: str = BY_QUESTION,
    training: Iterable[Case] = (),
) -> Built:
    """Build a benchmark of answerable and unanswerable questions.

    Questions are cleaned and split. Then unanswerable ones are added, until test has as many of
    them as answerable ones.

    Args:
        cases: questions with their reference SQL; predictions are dropped.
        schemas: of the databases, and of others from which columns may be borrowed.
        run: runs a reference, to find those without a result.
        name: the benchmark's name.
        sources: names of the files it was built from, for the card.
        kinds: the kinds of unanswerable questions, in equal shares.
        questions: the out-of-domain questions; by default those bundled with sqljury.
        reviewed: unanswerable questions that a person accepted; the others are made by rules.
        corrections: how to correct questions that would be left out; None leaves them out.
        splitting: how questions are split, one of :data:`SPLITS`.
        training: questions of a given training split; they are cleaned and kept in training.
    """
    ids: set[str] = set()
    listed = list(_with_own_ids(cases, ids))
    cleaned = clean(listed, schemas, run, corrections)
    splits = SPLITS[splitting](cleaned.usable, seed)
    # A given training split is on other databases, so its structures do not count as seen.
    seen = frozenset(one.structure for one in splits.train)
    given_training = clean(_with_own_ids(training, ids), schemas, run, corrections)
    splits = replace(splits, train=(*splits.train, *given_training.usable))
    wanted = max(0, len(splits.test) - len(cleaned.unanswerable))
    asked = [case.question or "" for case in listed]
    shares = {
        kind: wanted // len(kinds) + (i < wanted % len(kinds)) for i, kind in enumerate(kinds)
    }
    taken = _reviewed(reviewed, shares, asked, seed)
    found = Counter(one.kind for one in taken)
    made = unanswerable_questions(
        {kind: count - found[kind] for kind, count in shares.items()},
        sorted({case.db_id for case in listed} & set(schemas)),
        schemas,
        seed=seed,
        taken=[*asked, *(one.question for one in taken)],
        questions=questions,
    )
    made = sorted([*taken, *made], key=lambda one: kinds.index(one.kind))
    parts = {
        part: tuple(_answerable(one, name, seen, schemas.get(one.case.db_id)) for one in found)
        for part, found in splits.by_name.items()
    }
    given = [_given(case, name) for case in cleaned.unanswerable]
    new = list(_unanswerable(made, name, {case.id for case in listed}))
    parts[TEST] += (*given, *new)
    card = card_of(
        cleaned,
        splits,
        [str(case.extra["type"]) for case in (*given, *new)],
        name=name,
        seed=seed,
        sources=sources,
        wanted=wanted,
        n_reviewed=len(taken),
        order=kinds,
        seen=seen,
        splitting=splitting,
        flagged=Counter(
            str(flag)
            for found in parts.values()
            for one in found
            if isinstance(flags := one.extra.get("flags"), list)
            for flag in flags
        ),
        read=statistics_of(
            listed, [schemas[db_id] for db_id in sorted({c.db_id for c in listed} & set(schemas))]
        ),
    )
    left_out = (*cleaned.left_out, *given_training.left_out, *splits.left_out)
    cases_left_out = (
        replace(
            one.case,
            benchmark=name,
            extra={"left_out": one.reason} | ({"detail": one.detail} if one.detail else {}),
        )
        for one in left_out
    )
    return Built(parts, tuple(cases_left_out), card)


def _reviewed(
    reviewed: Sequence[Unanswerable], shares: Mapping[str, int], asked: Sequence[str], seed: int
) -> list[Unanswerable]:
    """The accepted questions that are used: at most each kind's share, without duplicates."""
    left = dict(shares)
    used = set(map(folded, asked))
    out = []
    for one in sorted(reviewed, key=lambda one: place(seed, one.db_id, one.question)):
        if left.get(one.kind, 0) and folded(one.question) not in used:
            left[one.kind] -= 1
            used.add(folded(one.question))
            out.append(one)
    return out


def _with_own_ids(cases: Iterable[Case], ids: set[str]) -> Iterator[Case]:
    """Each question once, without prediction, under a unique id, which is added to ``ids``."""
    known: set[tuple[str, str]] = set()
    for case in cases:
        if (case.benchmark, case.id) in known:
            continue
        known.add((case.benchmark, case.id))
        own = case.id if case.id not in ids else f"{case.benchmark}/{case.id}"
        while own in ids:
            own += "'"
        ids.add(own)
        yield replace(case, id=own, predicted_sql=MISSING, pool=(), source="", label=None)


def _answerable(one: Usable, name: str, seen: frozenset[str], schema: Schema | None) -> Case:
    extra: dict[str, Json] = {"structure": "seen" if one.structure in seen else "unseen"}
    extra |= {name: one.case.extra[name] for name in CORRECTED if name in one.case.extra}
    flags = flags_of(one.case, schema)
    extra |= {"flags": list(flags)} if flags else {}
    return replace(one.case, benchmark=name, answerable=True, extra=extra)


def _given(case: Case, name: str) -> Case:
    kind = case.extra.get("type") or case.extra.get("unanswerable_type") or GIVEN
    return replace(case, benchmark=name, reference_sqls=(), extra={"type": str(kind)})


def _unanswerable(made: Sequence[Unanswerable], name: str, taken: set[str]) -> Iterator[Case]:
    numbers: dict[str, int] = {}
    for one in made:
        own = ""
        while not own or own in taken:
            numbers[one.kind] = numbers.get(one.kind, 0) + 1
            own = f"{one.kind}-{numbers[one.kind]}"
        facts = {
            "table": one.table,
            "column": one.column,
            "borrowed_from": one.borrowed_from,
            "template": one.template,
            "written_by": one.written_by,
        }
        extra = {"type": one.kind, **{key: value for key, value in facts.items() if value}}
        yield Case(
            id=own,
            benchmark=name,
            db_id=one.db_id,
            question=one.question,
            answerable=False,
            extra=extra,
        )


REASONS = {
    "no_question": "there is no question",
    "no_reference": "there is no reference SQL",
    "relative_time": "question or SQL counts from the time of asking (`today`, `last month`)",
    "null_result": "the reference returns no row, or NULL only",
    "reference_error": "the reference does not run",
    "reference_timeout": "the reference takes too long",
    "reference_too_large": "the reference returns too much",
    "reference_out_of_memory": "the reference takes too much memory",
    "reference_refused": "the reference is no single query",
    "reference_unavailable": "the server failed",
    "duplicate_question": "the same question on the same database, with a longer query",
    "structure_held_out": "the split must not know the structure of its SQL",
}
_SPLITTING = {
    "questions": "A fifth of the structures was taken out of validation, another fifth out of "
    "test, both out of training.",
    "databases": "The first half of the databases is validation, the other test; all of their SQL "
    "counts as unseen.",
}


def card_text(card: Card) -> str:
    """The card as Markdown, with sizes as in tables 1 and 4 of TrustSQL."""
    return "\n".join(_lines(card)) + "\n"


def _lines(card: Card) -> Iterator[str]:

    parts = list(card.answerable)
    yield f"# {card.name}\n"
    yield "Questions that can and that cannot be answered by SQL, in the manner of TrustSQL"
    yield f"(Lee et al. 2024). Built by sqljury {__version__} with seed {card.seed} from"
    yield f"{', '.join(f'`{one}`' for one in card.sources) or 'cases'}.\n"
    yield from markdown_table(["questions", *parts], _sizes(card, parts))
    yield "\nUnanswerable questions are in test only. Unseen SQL: training has no question with its"
    yield "structure, which is the canonical SQL without literals."
    yield f"{_SPLITTING[card.splitting]}\n"
    yield f"{words.count(card.n_read)} questions were read, with queries of so many words:\n"
    heads = [
        "tables",
        "columns",
        "questions with SQL",
        "SQL templates",
        "questions to one",
        "words",
    ]
    counts = [card.read.tables, card.read.columns, card.read.questions, card.read.templates]
    means = [
        words.UNDEFINED if n is None else f"{n:.1f}"
        for n in (card.read.per_template, card.read.length)
    ]
    yield from markdown_table(heads, [[*map(words.count, counts), *means]])
    yield "\nLeft out (`left_out.jsonl`):\n"
    rows = [[REASONS.get(name, name), words.count(n)] for name, n in card.left_out.items()]
    yield from markdown_table(["why", "questions"], rows)
    yield ""
    yield f"Questions with a shorter query of the same canonical form: {card.n_merged:,}."
    yield f"References that were not run, as there is no database: {card.n_unchecked:,}."
    if card.corrected:
        listed = ", ".join(f"`{name}` {n:,}" for name, n in card.corrected.items())
        yield f"Corrected, with the texts before in `extra`: {listed}."
    if card.flagged:
        listed = ", ".join(f"`{name}` {n:,}" for name, n in card.flagged.items())
        yield f"To look at (`flags` in `extra`): {listed}."
    if card.n_reviewed:
        yield f"Unanswerable ones that a model wrote and a person accepted: {card.n_reviewed:,}."
    made = sum(card.unanswerable.values())
    if made < card.wanted:
        yield f"\nThe schemas gave {made} of {card.wanted} unanswerable questions that were wanted."


def _sizes(card: Card, parts: Sequence[str]) -> Iterator[list[str]]:
    yield ["ANS", *(words.count(card.answerable[part]) for part in parts)]
    yield ["– unseen SQL", *(words.count(card.unseen[part]) for part in parts)]
    empty = [""] * (len(parts) - 1)
    yield ["UnANS", *empty, words.count(sum(card.unanswerable.values()))]
    for kind, count in card.unanswerable.items():
        yield [f"– {kind}", *empty, words.count(count)]
    yield ["databases (ANS)", *(words.count(card.databases[part]) for part in parts)]
    yield ["SQL structures", *(words.count(card.structures[part]) for part in parts)]
