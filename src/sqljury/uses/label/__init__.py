"""Labels by several annotators: who labels which case, a file of votes, agreement, export.

Source: ROSE (ACL 2026), whose ROSE-VEC has two of five experts judge each case on their own, and
keeps the cases on which they agree.
"""

from sqljury.uses.label.exchange import export_labels, import_labels
from sqljury.uses.label.plan import LabelCase, LabelProject, cases_to_label
from sqljury.uses.label.progress import AnnotatorPair, JudgeOnLabels, LabelProgress, progress_of
from sqljury.uses.label.store import LabelStore, LabelVote

__all__ = [
    "AnnotatorPair",
    "JudgeOnLabels",
    "LabelCase",
    "LabelProgress",
    "LabelProject",
    "LabelStore",
    "LabelVote",
    "cases_to_label",
    "export_labels",
    "import_labels",
    "progress_of",
]
