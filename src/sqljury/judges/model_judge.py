"""The common parts of judges that ask a chat model: the model, the prompts, the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence, cost_of
from sqljury.judges.base import Judge
from sqljury.judges.execution import ExecutionMatch
from sqljury.judges.prompts import Prompt
from sqljury.judges.prompts.sections import LAYOUT, Dossier, PromptSection, comparison, message
from sqljury.llm import Message, Model, Request, parse_model
from sqljury.verdict import Cost, Outcome, Verdict


@dataclass(frozen=True)
class ModelJudge(Judge):
    """A judge that asks a chat model.

    Subclasses ask their questions in :meth:`once`; this class has the model and its options, and
    repeats the judgement if told to.

    Args:
        model: ``PROVIDER:MODEL``, such as ``openai:o3-2025-04-16``.
        model_options: ``key=value`` pairs for the model, joined by ``;``: ``temperature=0;seed=7``.
        dated: the model's release as ``yymm``, if its name does not contain it.
        repeats: how often the whole judgement is made; the majority decides.
    """

    reads_question: ClassVar[bool] = True
    """True if a case without a question is ``unknown`` without asking the model."""
    title: ClassVar[str]
    """The paper's name of the judge, for ``TITLE_model-yymm``."""
    prompts: ClassVar[tuple[Prompt, ...]]

    model: str = ""
    model_options: str = ""
    dated: str = ""
    repeats: int = 1

    def __post_init__(self) -> None:
        _ = self.asked_model  # a bad option is an error when the judge is made
        if self.repeats < 1:
            raise ValueError("repeats must be at least 1")
        if self.dated and not _YYMM.fullmatch(self.dated):
            raise ValueError(f"dated={self.dated} is not yymm, such as 2504")

    @cached_property
    def asked_model(self) -> Model:
        """The model with its options."""
        if not self.model:
            raise InputError(
                "SJ350",
                f"the judge {self.name} needs a model.",
                hint=f"Write --judge {self.name},model=PROVIDER:MODEL, such as "
                "model=openai:o3-2025-04-16.",
            )
        return parse_model(self.model, option_pairs(self.model_options))

    @property
    def reported_name(self) -> str:
        """The name under which results are reported: ``ROSE_o3-2504``."""
        return f"{self.title}_{dated_name(self.asked_model.name, self.dated)}"

    def signature_fields(self) -> dict[str, Json]:
        """The versioned name and the fingerprints of the prompts, for the signature."""
        prompts = "+".join(prompt.fingerprint for prompt in self.prompts)
        return {"judge": self.reported_name, "prompts": f"{prompts}/{LAYOUT}"}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict from one conversation, or the majority's from ``repeats`` conversations."""
        if self.reads_question and not case.question:
            return Verdict(outcome=Outcome.UNKNOWN, reason="the case has no question to judge by")
        verdicts = [
            self.once(Conversation(self, case, evidence, sample)) for sample in range(self.repeats)
        ]
        if self.repeats == 1:
            return verdicts[0]
        found = majority(verdicts)
        return replace(found, evidence={**found.evidence, "repeats": [*map(as_json, verdicts)]})

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict from one conversation, which is new."""
        raise NotImplementedError


@dataclass(frozen=True)
class IntentJudge(ModelJudge):
    """A judge that shows a model the question, the database and the queries.

    Args:
        rows: how many rows of a result are shown; their total number is always shown.
        samples: how many values of each column are shown.
        criteria: acceptance criteria for all cases, added to those of the case.
    """

    rows: int = 20
    samples: int = 0
    criteria: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows < 0 or self.samples < 0:
            raise ValueError("rows and samples are counts")

    def dossier(self, conversation: Conversation) -> Dossier:
        """The parts of the case that this judge shows to the model."""
        case, evidence = conversation.case, conversation.evidence
        return Dossier(case, evidence, self.rows, self.samples, self.criteria)


@dataclass(frozen=True)
class ComparingJudge(IntentJudge):
    """A judge that compares the rows first, and shows the result to a model.

    Args:
        match: the policy by which rows are compared: ``rose``, ``bird``, ``strict``, ``intent``.
    """

    match: str = "rose"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._execution.rules.remove_distinct:
            raise ValueError(f"match={self.match} executes other queries than those to be judged")

    @cached_property
    def _execution(self) -> ExecutionMatch:
        return ExecutionMatch(policy=self.match)

    def signature_fields(self) -> dict[str, Json]:
        """The versioned name, the prompts, and the policy by which rows are compared."""
        return {**super().signature_fields(), "match": self.match}

    def compare(self, conversation: Conversation) -> tuple[bool, PromptSection]:
        """True if the rows equal a reference's, and a prompt section that compares them."""
        found = self._execution.judge(conversation.case, conversation.evidence)
        equal = found.outcome is Outcome.CORRECT
        conversation.note(rows_equal=equal, **found.evidence)
        return equal, comparison(found)


class Conversation:
    """The requests to a model about one case, with their answers, costs and prompts.

    Args:
        sample: the number of the repeat, from 0: equal requests of different repeats are sent
            separately.
    """

    def __init__(self, judge: ModelJudge, case: Case, evidence: Evidence, sample: int) -> None:
        self.case = case
        self.evidence = evidence
        self._judge = judge
        self._sample = sample
        self._cost = Cost()
        self._found: dict[str, Json] = {}
        self._prompts: dict[str, Json] = {}
        self._problem = ""

    def ask(
        self, stage: str, prompt: Prompt, sections: Sequence[PromptSection]
    ) -> dict[str, Json] | None:
        """The model's answer, or None if there is none or it cannot be parsed."""
        request = Request(
            model=self._judge.asked_model,
            messages=(Message("system", prompt.text), Message("user", message(sections))),
            schema=prompt.answer,
            attempt=self._sample,
        )
        answer = self.evidence.ask(request)
        self._cost += cost_of(answer, stage)
        self._prompts[stage] = prompt.fingerprint
        if answer.value is None:
            self._problem = f"the {stage} gave no answer: {answer.problem}"
            return None
        self._found[stage] = dict(answer.value)
        return dict(answer.value)

    def note(self, **facts: Json) -> None:
        """Adds facts to the evidence that do not come from a model."""
        self._found.update(facts)

    def decided(
        self,
        answer: Mapping[str, Json] | None,
        by: str,
        reason: str = "reason",
        labels: Sequence[str] = (),
    ) -> Verdict:
        """The verdict of an answer; ``judge_unavailable`` without an answer.

        Args:
            by: the answer's field that is true for a correct prediction.
            reason: the answer's field with the reason.
        """
        if answer is None:
            return self.unavailable()
        return self.verdict(bool(answer[by]), str(answer[reason]), labels)

    def verdict(self, accepts: bool, reason: str, labels: Sequence[str] = ()) -> Verdict:
        """The verdict ``correct`` or ``incorrect``, with all answers as evidence."""
        verdict = Verdict.correct if accepts else Verdict.incorrect
        return self._closed(verdict(reason, labels=tuple(labels)))

    def unavailable(self) -> Verdict:
        """The verdict ``judge_unavailable``: the model's last answer is missing."""
        return self._closed(Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=self._problem))

    def _closed(self, verdict: Verdict) -> Verdict:
        evidence = self._found | ({"prompts": self._prompts} if self._prompts else {})
        return replace(verdict, evidence=evidence, cost=self._cost)


def option_pairs(text: str) -> dict[str, str]:
    """The pairs of ``key=value;key=value``."""
    pairs = {}
    for part in filter(None, text.split(";")):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError("SJ351", f"{part!r} is not key=value.", where=f"model_options={text}")
        pairs[key.strip()] = value.strip()
    return pairs


# ---------------------------------------------------------------- several verdicts

_VOTES = (Outcome.CORRECT, Outcome.INCORRECT)


def majority(verdicts: Sequence[Verdict]) -> Verdict:
    """The first verdict of the majority; ``unknown`` for a tie.

    Only ``correct`` and ``incorrect`` are votes; all other outcomes are ignored. Labels are kept
    if more than half of the votes have them. The measure ``agreement`` is the majority's share of
    the votes.
    """
    cost = sum((verdict.cost for verdict in verdicts), Cost())
    votes = [verdict for verdict in verdicts if verdict.outcome in _VOTES]
    if not votes:
        return replace(verdicts[0], cost=cost)
    yes = [verdict for verdict in votes if verdict.outcome is Outcome.CORRECT]
    no = [verdict for verdict in votes if verdict.outcome is Outcome.INCORRECT]
    larger = max(yes, no, key=len)
    agreement = {"agreement": len(larger) / len(votes)}
    carried = [label for vote in votes for label in vote.labels]
    often = {label for label in carried if 2 * carried.count(label) > len(votes)}
    found = larger[0]
    if len(yes) == len(no):
        found = Verdict(outcome=Outcome.UNKNOWN, reason=f"{len(yes)} of {len(votes)} say yes")
    return replace(found, labels=tuple(sorted(often)), measures=agreement, cost=cost)


def as_json(verdict: Verdict) -> dict[str, Json]:
    """A verdict as a JSON object, for the evidence of another one."""
    return {
        "outcome": verdict.outcome.value,
        "score": verdict.score,
        "reason": verdict.reason,
        "labels": list(verdict.labels),
    }


# ---------------------------------------------------------------- names

_YYMM = re.compile(r"\d\d(?:0[1-9]|1[0-2])")
# The year 20yy with a month (and day), or yymm alone from 2022 on: 0613 is the 13th of June.
_FULL_DATE = re.compile(r"-?\b20(\d\d)-?(0[1-9]|1[0-2])(?:-?(?:0[1-9]|[12]\d|3[01]))?$")
_SHORT_DATE = re.compile(r"-(2[2-9]|3\d)(0[1-9]|1[0-2])$")


def dated_name(model: str, dated: str = "") -> str:
    """A model's name with the month of its release, so that versions have different names.

    >>> dated_name("o3-2025-04-16"), dated_name("Qwen/Qwen3-235B-A22B-2507")
    ('o3-2504', 'Qwen3-235B-A22B-2507')
    >>> dated_name("gemini-2.5-pro", "2506"), dated_name("gemini-2.5-pro")
    ('gemini-2.5-pro-2506', 'gemini-2.5-pro-undated')

    Source: ROSE (Pei et al. 2026) names its judges ``ROSE_<model>-<yymm>``.
    """
    name = model.rpartition("/")[2]
    for pattern in (_FULL_DATE, _SHORT_DATE):
        found = pattern.search(name)
        if found is not None:
            return f"{name[: found.start()]}-{dated or found[1] + found[2]}"
    return f"{name}-{dated or 'undated'}"
