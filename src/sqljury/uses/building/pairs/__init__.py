"""Pairs of queries with labels: training data for judges that compare queries."""

from sqljury.uses.building.pairs.card import PairsCard, pairs_card
from sqljury.uses.building.pairs.pair import (
    GIVEN,
    HOW,
    LabelledPair,
    QueryPair,
    by_equivalence,
    by_rows,
    chosen,
    decisions_of,
    splits,
    with_people,
    with_second,
)
from sqljury.uses.building.pairs.proposals import (
    Exclusion,
    Proposed,
    canonical_form,
    exclusion_of,
    propose,
    tables_of_schemas,
    text_form,
    tree_form,
)

__all__ = [
    "GIVEN",
    "HOW",
    "Exclusion",
    "LabelledPair",
    "PairsCard",
    "Proposed",
    "QueryPair",
    "by_equivalence",
    "by_rows",
    "canonical_form",
    "chosen",
    "decisions_of",
    "exclusion_of",
    "pairs_card",
    "propose",
    "splits",
    "tables_of_schemas",
    "text_form",
    "tree_form",
    "with_people",
    "with_second",
]
