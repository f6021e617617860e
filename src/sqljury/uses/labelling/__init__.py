"""Label candidates by a judge's verdicts, to train verifiers on."""

from sqljury.uses.labelling.label import Labelled, LabelledPool, label_questions
from sqljury.uses.labelling.statistics import LabelStatistics

__all__ = ["LabelStatistics", "Labelled", "LabelledPool", "label_questions"]
