"""What a model marks as correct, and how it abstains."""

import pytest

from sqljury.uses.generating import MODES

NO = {"sql": None, "mark": "incorrect", "withheld": "SELECT 1"}
YES = {"sql": "SELECT 1", "mark": "correct"}
MARKED = [
    ("```sql\nSELECT 1 # correct\n```", YES),
    ("```sql\nSELECT 1;\n# correct.\n```", YES),
    ("```sql\nSELECT 1 -- INCORRECT\n```", NO),
    ("```sql\nSELECT 1\n```\n# incorrect", NO),
    ("SELECT 1 # incorrect", NO),
    ("SELECT 1", {"sql": "SELECT 1"}),
    ("SELECT '# correct' FROM t", {"sql": "SELECT '# correct' FROM t"}),
    ("```sql\nnot_answerable\n```", {"sql": None, "abstained": "not_answerable"}),
    ("Answer: null", {"sql": None, "abstained": "null"}),
    ("It cannot be answered.", {"sql": None, "abstained": "in words"}),
    ("I cannot.", {"sql": ""}),
]


@pytest.mark.parametrize(("text", "candidate"), MARKED)
def test_a_mark_is_no_part_of_the_query(text: str, candidate: dict[str, str | None]) -> None:
    assert MODES["verbal"].read(text) == candidate
