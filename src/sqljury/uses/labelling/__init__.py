"""Label candidates by a judge's verdicts, to train verifiers on."""

from sqljury.uses.labelling.label import LabelledPool, LabelledQuestion, label_questions
from sqljury.uses.labelling.statistics import LabelStatistics

__all__ = ["LabelStatistics", "LabelledPool", "LabelledQuestion", "label_questions"]
