"""Questions that ask for a column of a thing."""

from __future__ import annotations

from sqljury.uses.building.entities import DATE, NUMBER, TEXT, Entity

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


def own_templates(kind: str) -> tuple[str, ...]:
    """Templates for a column of some kind that leave no doubt whose it is."""
    return _OWN + _OWN_OF_KIND[kind]


def column_templates(kind: str) -> tuple[str, ...]:
    """The templates for a column of some kind."""
    return _ANY + _OF_KIND[kind]


def asked(template: str, entity: Entity, column: str) -> str:
    """A template about a column of an entity."""
    return template.format(column=column, one=entity.one, many=entity.many)
