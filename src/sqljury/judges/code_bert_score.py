"""CodeBERTScore: the similarity of two queries' tokens by the vectors of an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.comparing import compared, graded
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[Any]


@register
@dataclass(frozen=True)
class CodeBERTScore(Judge):
    """F1 of the tokens' cosines: each token of a query with the most similar one of the other.

    Tokens without a letter or a digit are left out. With several references the best score counts.

    Args:
        model: the folder of an encoder for the library transformers, such as CodeBERT.
        layer: the index of the layer that gives the vectors; -1 is the last.
        threshold: the lowest score that is ``correct``.

    Source: Zhou et al. 2023 (CodeBERTScore, arXiv:2302.05527), without the question before the
    code; Zhang et al. 2020 (BERTScore).
    """

    name: ClassVar[str] = "code_bert_score"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE
    batch_size: ClassVar[int] = 64

    model: str = ""
    layer: int = -1
    threshold: float = 0.95

    def __post_init__(self) -> None:
        if not self.model:
            raise ValueError("model=FOLDER names an encoder")

    @property
    def runs_network(self) -> bool:
        """True: the encoder is a network."""
        return True

    @property
    def one_process(self) -> bool:
        """True: the encoder is loaded only once per machine."""
        return True

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the most similar reference."""
        return self.judge_many([(case, evidence)])[0]

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several cases; the encoder reads each distinct query once, in batches."""
        cases = [case for case, _ in asked]
        queries = {sql for one in cases for sql in (str(one.predicted_sql), *one.reference_sqls)}
        vectors = _vectors(sorted(queries, key=len), self.model, self.layer)
        return [compared(case, vectors.__getitem__, self._compare) for case in cases]

    def _compare(self, prediction: Vectors, reference: Vectors) -> Verdict:
        score = f1_of_cosines(prediction, reference)
        return graded(score, self.threshold, f"CodeBERTScore {score:.3f}")


def _vectors(queries: Sequence[str], model: str, layer: int) -> dict[str, Vectors]:
    """Per query, the unit vectors of its tokens that have a letter or a digit."""
    import numpy as np

    from sqljury.learning.representations import token_states

    found = {}
    states_of = token_states(queries, model=model, layer=layer)
    for sql, (words, states) in zip(queries, states_of, strict=True):
        kept = states[[any(map(str.isalnum, word)) for word in words]]
        found[sql] = np.asarray(kept / np.linalg.norm(kept, axis=1, keepdims=True).clip(1e-9))
    return found


def f1_of_cosines(prediction: Vectors, reference: Vectors) -> float:
    """F1 of precision and recall, the means of each token's highest cosine; 0 if a side is empty.

    >>> import numpy as np
    >>> f1_of_cosines(np.eye(2), np.eye(2)[:1])
    0.6666666666666666
    """
    if not len(prediction) or not len(reference):
        return 0.0
    alike = prediction @ reference.T
    precision, recall = (float(alike.max(axis=axis).mean()) for axis in (1, 0))
    total = precision + recall
    return min(1.0, max(0.0, 2 * precision * recall / total)) if total > 0 else 0.0
