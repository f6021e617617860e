"""What annotators mean by the reasons they wrote: free text to labels.

ROSE-VEC's experts tagged their reasons by convention, with spelling of their own: ``GOLD FALSE``
(also ``FLASE``, ``FASLE``), ``EVIDENCE FALSE``, ``AMBIGUOUS QUESTION``, ``AMBIGUOUS SCHEMA``,
``Note:``. A line without a tag says what is wrong with the prediction. The rules were checked by
hand against every reason of the shared half of ROSE-VEC's BIRD file, where they are right for
all; elsewhere they are a reading aid.
"""

from __future__ import annotations

import re

from sqljury.case import Case

PREDICTION_FAULT = "prediction_fault"
GOLD_FAULT = "gold_fault"
GOLD_REMARK = "gold_remark"
"""The reference could be better, its result is right."""
EVIDENCE_FAULT = "evidence_fault"
"""The hint that goes with the question is wrong."""
AMBIGUOUS_QUESTION = "ambiguous_question"
AMBIGUOUS_SCHEMA = "ambiguous_schema"
REMARK = "remark"
"""A note that decides nothing."""

REASON_LABELS = (
    PREDICTION_FAULT,
    GOLD_FAULT,
    GOLD_REMARK,
    EVIDENCE_FAULT,
    AMBIGUOUS_QUESTION,
    AMBIGUOUS_SCHEMA,
    REMARK,
)

_TAGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (label, re.compile(pattern, re.IGNORECASE))
    for label, pattern in (
        # "GOLD FALSE", or in words: "Gold SQL uses X. Y should be used."
        (GOLD_FAULT, r"\bgold\s+(?:sql\s+)?f(?:als|las|asl)e|^gold sql uses\b.*\bshould be\b"),
        (GOLD_REMARK, r"^(?:note:|although the result is right\b).*\bgold sql\b"),
        (
            EVIDENCE_FAULT,
            r"\bevidence\s+(?:false|is against)|\bwrong evidence|\bevi\w+ is also wrong",
        ),
        (
            AMBIGUOUS_QUESTION,
            r"\bambiguous\s+(?:question|output|column returned)|\bdidn't specify the output",
        ),
        (AMBIGUOUS_SCHEMA, r"\bambiguous\s+(?:schema|column\))"),
        # Both queries are described, neither is called wrong.
        (REMARK, r"^note:|^pred calculates .* and gold calculates"),
    )
)  # fmt: skip
# Said of the prediction on a line that has a tag.
_ALSO_THE_PREDICTION = re.compile(
    r"\bpredicted\s+false|\bboth (?:the )?predicted|\bwhile predicted sql", re.IGNORECASE
)


def reason_labels(reason: str) -> tuple[str, ...]:
    """The labels that an annotator's reason stands for, in the order of :data:`REASON_LABELS`.

    >>> reason_labels("GOLD FLASE. It looks at one month only.")
    ('gold_fault',)
    >>> reason_labels("Wrong filter condition\\nAMBIGUOUS SCHEMA")
    ('prediction_fault', 'ambiguous_schema')
    >>> reason_labels("")
    ()
    """
    found = {label for line in reason.splitlines() if line.strip() for label in _line(line.strip())}
    return tuple(label for label in REASON_LABELS if label in found)


def _line(line: str) -> set[str]:
    found = {label for label, pattern in _TAGS if pattern.search(line)}
    if found & {GOLD_FAULT, GOLD_REMARK, AMBIGUOUS_QUESTION, EVIDENCE_FAULT}:
        found.discard(REMARK)
    if not found or _ALSO_THE_PREDICTION.search(line):
        found.add(PREDICTION_FAULT)
    return found


def annotated(case: Case) -> tuple[tuple[str, ...], ...] | None:
    """The labels of each annotator of a case (``reason_1``, ``reason_2``, …).

    An empty tuple is an annotator who wrote nothing; None is a case that nobody annotated.
    """
    reasons = [value for key, value in sorted(case.extra.items()) if _IS_REASON.fullmatch(key)]
    if not reasons:
        return None
    return tuple(reason_labels(text if isinstance(text, str) else "") for text in reasons)


_IS_REASON = re.compile(r"reason_\d+")
