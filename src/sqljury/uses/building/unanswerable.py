"""Makes questions that a database cannot answer, in the numbers wanted of each kind."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any, Final

from sqljury.schema import Schema
from sqljury.sql.names import singular
from sqljury.uses.building.names import (
    DATE,
    NUMBER,
    TEXT,
    Attribute,
    Entity,
    above,
    attributes,
    below,
    entities,
    is_telling,
    near_words,
    place,
    stems,
    vocabulary,
    with_article,
    word_set,
)

# ------------------------------------------------------------
# The five kinds of questions that a database cannot answer.
# Source: TrustSQL (Lee et al. 2024), section 3.3.

SURFACE: Final = "column-surface"
RELATED: Final = "column-related"
UNRELATED: Final = "column-unrelated"
NON_SQL: Final = "non-sql"
OUT_OF_DOMAIN: Final = "out-of-domain"
KINDS: Final = (SURFACE, RELATED, UNRELATED, NON_SQL, OUT_OF_DOMAIN)
"""The kinds of unanswerable questions, in the order in which a benchmark lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswerable:
    """A question that its database cannot answer, and how it was made."""

    kind: str
    db_id: str
    question: str
    template: str = ""
    """The template of the question; empty if a person or a model wrote it."""
    table: str = ""
    column: str = ""
    """The column, in words, that the question asks for and the table does not have."""
    borrowed_from: str = ""
    """The source of that column: ``table.column``, or ``database.table.column``."""
    written_by: str = ""
    """The model that wrote it, if one did."""


_TEMPLATES = (
    "Draw a pie chart of the {many} by {text}.",
    "Plot a histogram of the {number} of all {many}.",
    "Make a bar chart of the {number} of each {one}.",
    "Draw a box plot of the {number} of the {many}.",
    "Predict the {number} of a new {one}.",
    "Forecast how the number of {many} will develop over the coming years.",
    "How would the {number} of the {many} change if we had twice as many of them?",
    "Why do some {many} have a higher {number} than others?",
    "What causes the {number} of {a_one} to rise?",
    "Write a short article about the {many} for our newsletter.",
    "Translate the {text} of every {one} into French.",
    "E-mail me the list of {many}.",
    "Which {one} would you recommend to a friend of mine?",
    "Train a model that guesses the {text} of {a_one}.",
    "Check the spelling of the {text} of each {one}.",
    "Print the list of {many} on coloured paper.",
    "Back up the table of {many} every night.",
    "Call me as soon as a new {one} is added.",
    "Read the {text} of each {one} out to me.",
    "Explain to me what the {number} of {a_one} tells about it.",
    "Find out on the web whether the {text} of each {one} is still right.",
    "Summarise in your own words what is special about our {many}.",
    "Use a neural network to find {many} that look alike.",
    "Make a slide deck that presents the {many} by {text}.",
    "How should we change the {number} of our {many} to please everybody?",
    "Turn the {text} of each {one} into a rhyme.",
)


def non_sql(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Questions that no SQL can answer: each template with each entity that has its columns."""
    for entity in entities(schemas[db_id]):
        for template in _TEMPLATES:
            values = _values(entity, template, seed, db_id)
            if values is not None:
                yield Unanswerable(
                    kind=NON_SQL,
                    db_id=db_id,
                    question=template.format(**values),
                    template=template,
                    table=entity.table.name,
                )


def _values(entity: Entity, template: str, seed: int, db_id: str) -> dict[str, str] | None:
    """The values of a template's placeholders; None if the table has no column of a kind."""
    out = {"one": entity.one, "many": entity.many, "a_one": with_article(entity.one)}
    itself = stems((entity.one,))
    needed = {name for _, name, _, _ in Formatter().parse(template) if name}
    for name, kind in (("text", TEXT), ("number", NUMBER)):
        if name in needed:
            found = [
                one.phrase
                for one in attributes(entity.table)
                if one.kind == kind and not one.words <= itself
            ]
            if not found:
                return None
            key = (db_id, entity.one, template)
            out[name] = min(found, key=lambda phrase: place(seed, *key, phrase))
    return out


_WORD = re.compile("[^\\W\\d_]{3,}")


def out_of_domain(
    db_id: str, schemas: Mapping[str, Schema], questions: Sequence[str]
) -> Iterator[Unanswerable]:
    """The questions that have no word (of three letters or more) in common with the schema."""
    known = vocabulary(schemas[db_id])
    for question in questions:
        if known.isdisjoint(map(singular, _WORD.findall(question.lower()))):
            yield Unanswerable(kind=OUT_OF_DOMAIN, db_id=db_id, question=question)


def questions_in(text: str) -> tuple[str, ...]:
    """The questions of a text, one per line; empty lines and those starting with ``#`` are
    skipped."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))


@cache
def bundled_questions() -> tuple[str, ...]:
    """The out-of-domain questions bundled with sqljury, which were written for it."""
    path = files("sqljury.uses.building").joinpath("out_of_domain.txt")
    return questions_in(path.read_text("utf-8"))


# ------------------------------------------------------------
# Questions that ask for a column: of the same database, of another one, or of none.


_ANY = (
    "What is the {column} of each {one}?",
    "List the {column} of all {many}.",
    "Show all {many} together with their {column}.",
    "Sort the {many} by {column}.",
    "Which {many} have no {column} on record?",
    "Give me a table of the {many} and the {column} of each.",
    "I need the {column} for every {one}.",
)
_OF_KIND = {
    TEXT: (
        "Count the {many} for each {column}.",
        "Which {column} is the most common among the {many}?",
        "Which {many} share the same {column}?",
        "How many {many} are there per {column}?",
    ),
    NUMBER: (
        "What is the average {column} of the {many}?",
        "Which {one} has the highest {column}?",
        "Find the {one} with the lowest {column}.",
        "List the {many} whose {column} is above the average.",
        "What are the smallest and the largest {column} among the {many}?",
    ),
    DATE: (
        "Which {one} has the earliest {column}?",
        "List the {many} from the latest {column} to the earliest.",
        "Which {many} share the same {column}?",
    ),
}
_OWN = (
    "What is each {one}'s own {column}?",
    "List every {one} together with its own {column}.",
    "For each {one}, show the {one}'s own {column}.",
)
_OWN_OF_KIND = {
    TEXT: ("Which {many} share the same {column} of their own?",),
    NUMBER: ("What is the average of the {many}' own {column}?",),
    DATE: ("Sort the {many} by their own {column}, the latest first.",),
}


def _question_for(
    kind: str,
    db_id: str,
    entity: Entity,
    attribute: Attribute,
    key: Sequence[str],
    seed: int,
    *,
    own: bool = False,
    borrowed_from: str = "",
) -> Unanswerable:
    """A question for a column of an entity, by a template that the key chooses.

    Args:
        own: if True, the template says that the column is the entity's own.
    """
    general, of_kind = (_OWN, _OWN_OF_KIND) if own else (_ANY, _OF_KIND)
    templates = general + of_kind[attribute.kind]
    template = min(templates, key=lambda one: place(seed, db_id, entity.one, *key, one))
    return Unanswerable(
        kind=kind,
        db_id=db_id,
        question=template.format(column=attribute.phrase, one=entity.one, many=entity.many),
        template=template,
        table=entity.table.name,
        column=attribute.phrase,
        borrowed_from=borrowed_from,
    )


# ------------------------------------------------------------
# column-surface: columns that another table of the same database has.
# A question is made only if it cannot be understood as one about another table's rows. So
# neither the column's words nor similar ones may occur in the table or in tables to which its rows
# belong. Of tables that belong to its rows, only those of another class of things lend columns,
# and the question then asks for the row's own.

_THINGS = word_set("person animal building vehicle product work plant")
"""Classes whose attributes are not understood as those of what they belong to: a dog's weight is
not its owner's. But an order's date may be meant as its customer's."""
_SUMMED = word_set(
    "sale revenue profit attendance vote score earning point rank ranking result income expense "
    "count number quantity amount total cost price value goal win loss rating money payment salary"
)
"""Attributes that a whole has if its parts have them: an owner has the sales of the shops."""


def surface(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Questions that ask one table's entity for another table's column, if unambiguous."""
    schema = schemas[db_id]
    named = stems(table.name for table in schema.tables)
    lent = [
        one
        for table in schema.tables
        for one in attributes(table)
        # "Album title" is understood as an album's, also if the question names another entity.
        if is_telling(one) and not one.words & named
    ]
    for entity in entities(schema):
        reach = _Reach.of(schema, entity)
        for attribute in lent:
            if not reach.has(attribute):
                own = attribute.table in reach.below
                key = (attribute.table, attribute.column)
                origin = ".".join(key)
                yield _question_for(
                    SURFACE, db_id, entity, attribute, key, seed, own=own, borrowed_from=origin
                )


@dataclass(frozen=True, slots=True)
class _Reach:
    """The columns that a question about an entity could be understood to ask for."""

    words: frozenset[str]
    below: frozenset[str]
    closed: frozenset[str]
    """Tables below the entity's that lend no columns."""

    @classmethod
    def of(cls, schema: Schema, entity: Entity) -> _Reach:
        up, down = above(schema, entity.table), below(schema, entity.table)
        tables = [table for table in schema.tables if table.name in up]
        things = {
            other.table.name
            for other in entities(schema)
            if class_of(other) in _THINGS and class_of(entity) not in ("", class_of(other))
        }
        names = stems(column.name for table in tables for column in table.columns)
        return cls(names, down, down - things)

    def has(self, attribute: Attribute) -> bool:
        return (
            bool(near_words(attribute.words) & self.words)
            or attribute.table in self.closed
            or (attribute.table in self.below and bool(attribute.words & _SUMMED))
        )


_CONNECTING = word_set("of the on to number")


def related(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Questions for attributes that our list gives a table's class (person, building, …) and that
    no word of the schema names."""
    schema = schemas[db_id]
    known = vocabulary(schema)
    for entity in entities(schema):
        for phrase, kind, others in _data()["attributes"].get(class_of(entity), ()):
            # No question if any of the words occurs anywhere in the schema.
            if not (stems((phrase,)) - _CONNECTING | stems(others.split())) & known:
                column = Attribute("", phrase, phrase, kind)
                yield _question_for(RELATED, db_id, entity, column, (phrase,), seed)


def class_of(entity: Entity) -> str:
    """The class of an entity (person, building, …); empty if not in our list."""
    head = entity.one.removesuffix(" member").split()[-1]
    classes = _data()["classes"].items()
    return next((name for name, members in classes if head in members.split()), "")


@cache
def _data() -> Mapping[str, Mapping[str, Any]]:
    text = files("sqljury.uses.building").joinpath("related_columns.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return found


_PER_TABLE = 20
"""The most columns tried per table; the other databases may have thousands."""


def unrelated(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Questions for random columns of other databases, or of our list if there are none."""
    schema = schemas[db_id]
    known = vocabulary(schema)
    drawn = [
        (origin, one)
        for origin, one in (_lent(db_id, schemas) or _listed(schema))
        if not near_words(one.words) & known
    ]
    for entity in entities(schema):
        order = sorted(drawn, key=lambda pair: place(seed, db_id, entity.one, pair[0]))
        for origin, attribute in order[:_PER_TABLE]:
            yield _question_for(
                UNRELATED, db_id, entity, attribute, (origin,), seed, borrowed_from=origin
            )


def _lent(db_id: str, schemas: Mapping[str, Schema]) -> list[tuple[str, Attribute]]:
    """Specific columns of the other databases, each phrase once."""
    found: dict[str, tuple[str, Attribute]] = {}
    for other in sorted(schemas):
        if other == db_id:
            continue
        for table in schemas[other].tables:
            for one in filter(is_telling, attributes(table)):
                found.setdefault(one.phrase, (f"{other}.{one.table}.{one.column}", one))
    return list(found.values())


def _listed(schema: Schema) -> list[tuple[str, Attribute]]:
    classes = {class_of(entity) for entity in entities(schema)}
    return [
        (f"{name}.{phrase}", Attribute("", phrase, phrase, kind))
        for name, columns in _data()["attributes"].items()
        if name not in classes
        for phrase, kind, _ in columns
    ]


# ------------------------------------------------------------
# The wanted number of questions of each kind, spread over databases, templates and tables.


_Generate = Callable[[str, Mapping[str, Schema], int], Iterator[Unanswerable]]
_FROM_SCHEMA: Mapping[str, _Generate] = {
    SURFACE: surface,
    RELATED: related,
    UNRELATED: unrelated,
    NON_SQL: non_sql,
}


def unanswerable_questions(
    wanted: Mapping[str, int],
    db_ids: Iterable[str],
    schemas: Mapping[str, Schema],
    *,
    seed: int = 0,
    taken: Iterable[str] = (),
    questions: Sequence[str] | None = None,
) -> list[Unanswerable]:
    """Make questions that the databases cannot answer, in the order of the kinds in ``wanted``.

    Args:
        wanted: the number of each kind; there may be fewer if the schemas allow no more.
        db_ids: the databases of the questions, all in ``schemas``.
        schemas: of these and of other databases from which columns may be borrowed.
        taken: existing questions, which are not made again; compared by :func:`folded`.
        questions: the out-of-domain questions; by default those bundled with sqljury.
    """
    used = set(map(folded, taken))
    listed = sorted(db_ids)
    out: list[Unanswerable] = []
    for kind, count in wanted.items():
        offered = {db_id: _offered(kind, db_id, schemas, seed, questions) for db_id in listed}
        out += _spread(offered, count, used, seed)
    return out


def folded(question: str) -> str:
    """A question for comparison: without case, extra white space and final punctuation.

    >>> folded("How many  dogs are there ?") == folded("how many dogs are there")
    True
    """
    return " ".join(question.casefold().split()).rstrip(" .?!")


def _offered(
    kind: str,
    db_id: str,
    schemas: Mapping[str, Schema],
    seed: int,
    questions: Sequence[str] | None,
) -> list[Unanswerable]:
    if kind == OUT_OF_DOMAIN:
        asked = bundled_questions() if questions is None else questions
        found = list(out_of_domain(db_id, schemas, asked))
    else:
        found = list(_FROM_SCHEMA[kind](db_id, schemas, seed))
    return sorted(found, key=lambda one: place(seed, kind, db_id, one.question))


def _spread(
    offered: Mapping[str, list[Unanswerable]], count: int, used: set[str], seed: int
) -> list[Unanswerable]:
    """``count`` questions from all databases in turn, each the least similar to those chosen.

    Fewer if there are no more. Chosen questions are added to ``used``.
    """
    chosen: list[Unanswerable] = []
    seen: Counter[tuple[str, ...]] = Counter()
    turn = sorted(offered, key=lambda db_id: place(seed, db_id))
    while turn and len(chosen) < count:
        left = []
        for db_id in turn:
            open_ = [one for one in offered[db_id] if folded(one.question) not in used]
            if not open_ or len(chosen) == count:
                continue
            best = min(open_, key=lambda one: [seen[trait] for trait in _traits(one)])
            chosen.append(best)
            used.add(folded(best.question))
            seen.update(_traits(best))
            left.append(db_id)
        turn = left
    return chosen


def _traits(one: Unanswerable) -> list[tuple[str, ...]]:
    """Properties that two questions should not share, the most important first."""
    return [
        ("column", one.db_id, one.column),
        ("table", one.db_id, one.table),
        ("template", one.template),
        ("phrase", one.column),
    ]
