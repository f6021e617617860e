"""Labelled pairs of queries: training data for judges that compare queries."""

from sqljury.uses.building.pairs.card import PairsCard, pairs_card
from sqljury.uses.building.pairs.pair import (
    GIVEN,
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
    exclusion_of,
    propose,
    tables_of_schemas,
    tree_form,
)

__all__ = [
    "GIVEN",
    "Exclusion",
    "LabelledPair",
    "PairsCard",
    "Proposed",
    "QueryPair",
    "by_equivalence",
    "by_rows",
    "chosen",
    "decisions_of",
    "exclusion_of",
    "pairs_card",
    "propose",
    "splits",
    "tables_of_schemas",
    "tree_form",
    "with_people",
    "with_second",
]
