"""What judges that ask a chat model have in common: the model, prompts, a conversation."""

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

    Subclasses say in :meth:`once` what they ask; this class knows the model, and repeats.

    Args:
        model: ``PROVIDER:MODEL``, such as ``openai:o3-2025-04-16``.
        model_options: ``key=value`` pairs for the model, joined by ``;``: ``temperature=0;seed=7``.
        dated: the model's release as ``yymm``, where its name does not say it.
        repeats: how often the whole judgement is asked for; the majority decides.
    """

    reads_question: ClassVar[bool] = True
    """Whether a case without a question is ``unknown``."""
    title: ClassVar[str]
    """What the paper calls it, for ``TITLE_model-yymm``."""
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
        """The versioned name and the prompts, for the line under a score."""
        prompts = "+".join(prompt.fingerprint for prompt in self.prompts)
        return {"judge": self.reported_name, "prompts": f"{prompts}/{LAYOUT}"}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Ask once, or several times with the majority deciding."""
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
        """One judgement, in a conversation that is empty yet."""
        raise NotImplementedError


@dataclass(frozen=True)
class IntentJudge(ModelJudge):
    """A judge that shows a model the question, the database and the queries.

    Args:
        rows: how many rows of a result are shown; its true size always is.
        samples: how many values of each column are shown.
        criteria: acceptance criteria for all cases, beside those that a case carries.
    """

    rows: int = 20
    samples: int = 0
    criteria: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows < 0 or self.samples < 0:
            raise ValueError("rows and samples are counts")

    def dossier(self, conversation: Conversation) -> Dossier:
        """The case as far as this judge shows it."""
        case, evidence = conversation.case, conversation.evidence
        return Dossier(case, evidence, self.rows, self.samples, self.criteria)


@dataclass(frozen=True)
class ComparingJudge(IntentJudge):
    """A judge that compares the rows first, and shows a model what that found.

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
        """Judge, prompts, and how rows are compared."""
        return {**super().signature_fields(), "match": self.match}

    def compare(self, conversation: Conversation) -> tuple[bool, PromptSection]:
        """Whether the rows are a reference's, and what the model reads of it.

        With several references equal rows of one are enough.
        """
        found = self._execution.judge(conversation.case, conversation.evidence)
        equal = found.outcome is Outcome.CORRECT
        conversation.note(rows_equal=equal, **found.evidence)
        return equal, comparison(found)


class Conversation:
    """The questions put to a model about one case, and what came back.

    Args:
        sample: tells apart the repeats of a judgement.
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
        """The model's answer, or None where it cannot be had."""
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
        """Add to the evidence what was known before anybody was asked."""
        self._found.update(facts)

    def decided(
        self,
        answer: Mapping[str, Json] | None,
        by: str,
        reason: str = "reason",
        labels: Sequence[str] = (),
    ) -> Verdict:
        """The verdict that an answer's fields give; ``judge_unavailable`` without an answer."""
        if answer is None:
            return self.unavailable()
        return self.verdict(bool(answer[by]), str(answer[reason]), labels)

    def verdict(self, accepts: bool, reason: str, labels: Sequence[str] = ()) -> Verdict:
        """Score 1 or 0, with all that was asked and answered."""
        verdict = Verdict.correct if accepts else Verdict.incorrect
        return self._closed(verdict(reason, labels=tuple(labels)))

    def unavailable(self) -> Verdict:
        """No verdict: the model's last answer cannot be had."""
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
    """The verdict of the larger side, as its first member words it; a tie is ``unknown``.

    Only yes and no are votes: who could not be had does not count against the others. Labels
    stay that more than half of the votes carry. The measure ``agreement`` is the larger side's
    share of the votes.
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
    """One vote, as evidence."""
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
    """A model with the month of its release, so that scores of different versions stay apart.

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
