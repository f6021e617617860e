"""A language model as a verifier: P(Yes) that a query answers its question.

Used by the judge ``verifier`` where its model is a folder or ``PROVIDER:MODEL``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence, cost_of
from sqljury.judges.asking import option_pairs
from sqljury.judges.base import Needs
from sqljury.judges.verifier_prompt import VerifierPrompt
from sqljury.llm import Message, Model, Request, known_providers, parse_model
from sqljury.verdict import Cost, Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.learning.language_model.prefix_scoring import Score
    from sqljury.learning.outcome_reward.verifier import RewardModel

_ALTERNATIVES = 20
"""Of the answer's first token, as many as endpoints report."""
_NO_QUESTION = Verdict(outcome=Outcome.UNKNOWN, reason="the case has no question")


def is_language_model(model: str) -> bool:
    """Whether a model is a language model: a folder, or ``PROVIDER:MODEL``."""
    return Path(model).is_dir() or model.partition(":")[0] in known_providers()


@dataclass(frozen=True)
class LanguageModelVerifier:
    """Asks a language model for Yes or No, and takes the probability of Yes as the score.

    Args:
        model: a folder that ``sqljury train verifier`` wrote, the folder of any causal language
            model, or ``PROVIDER:MODEL`` of an endpoint that reports log-probabilities.
        model_options: for an endpoint, ``key=value`` joined by ``;``.
        prompt: a variant of the prompt; empty: the one that the model was trained with, else sql.
        threshold: the score from which on the verdict is yes.

    Raises:
        InputError: SJ020, SJ022, SJ030, SJ036, SJ901: there is no such model;
            SJ304: no such prompt.

    Source: GradeSQL (Tritto et al. 2026), section 3.3.
    """

    model: str
    model_options: str = ""
    prompt: str = ""
    threshold: float = 0.5

    def __post_init__(self) -> None:
        _ = self.text

    @property
    def needs(self) -> Needs:
        """A schema; a query that runs where rows are shown; a chat model where one is asked."""
        found = Needs.SCHEMA
        if self.text.shows_rows:
            found |= Needs.PREDICTION_ROWS
        return found | (Needs.LLM if self.endpoint is not None else Needs.NOTHING)

    @cached_property
    def endpoint(self) -> Model | None:
        """The model of an endpoint; None for a folder."""
        if Path(self.model).is_dir() or self.model.partition(":")[0] not in known_providers():
            return None
        # Nothing but the first token is looked at.
        return parse_model(self.model, {"max_tokens": "1", **option_pairs(self.model_options)})

    @cached_property
    def text(self) -> VerifierPrompt:
        """The prompt."""
        if self.endpoint is not None:
            return VerifierPrompt(self.prompt or "sql")
        stated = trained_prompt(self.model)
        found = VerifierPrompt(self.prompt or str(stated.get("variant", "sql")))
        if stated and stated != {"variant": found.variant, "fingerprint": found.fingerprint}:
            raise InputError(
                "SJ036",
                f"it was trained with the prompt {stated.get('variant')}, in the version "
                f"{stated.get('fingerprint')}; this is {found.variant}, {found.fingerprint}.",
                where=self.model,
            )
        return found

    def signature_fields(self) -> dict[str, Json]:
        """The model and the prompt, for the line under a score."""
        model = str(self.endpoint) if self.endpoint is not None else _name(self.model)
        return {"verifier": model, "prompt": f"{self.text.variant}/{self.text.fingerprint}"}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict on one candidate."""
        if self.endpoint is not None:
            if not case.question:
                return _NO_QUESTION
            return self._asked(self.endpoint, case, evidence)
        return self.judge_many([(case, evidence)])[0]

    # ------------------------------------------------------------ a model that runs here

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several candidates by a model of a folder, those of a question together.

        What prompts begin with alike is computed once, and each distinct query in one pass.

        Args:
            asked: cases with predictions, with what is known of each.

        Raises:
            InputError: SJ020, SJ022, SJ023, SJ030, SJ031: the folder cannot be used.
            InfrastructureError: SJ024: memory does not suffice for a single prompt.
            MissingExtraError: SJ001: the packages are not installed.
        """
        verifier = _loaded(self.model)
        groups: dict[str, list[int]] = {}
        for place, (case, evidence) in enumerate(asked):
            if case.question:
                groups.setdefault(self.text.shared(case, evidence), []).append(place)
        found = [_NO_QUESTION] * len(asked)
        for shared, places in groups.items():
            owns = [self.text.own(*asked[place]) for place in places]
            for place, score in zip(places, verifier.scores(shared, owns), strict=True):
                found[place] = _verdict(self, verifier, score)
        return found

    def of_probability(self, yes: float, mass: float | None, cost: Cost | None = None) -> Verdict:
        """The verdict that a probability of Yes means."""
        reason = f"P(Yes) {yes:.3f}"
        verdict = Verdict.correct if yes >= self.threshold else Verdict.incorrect
        measures = {} if mass is None else {"answer_mass": mass}
        return verdict(reason, measures=measures, cost=cost or Cost()).with_score(yes)

    # ------------------------------------------------------------ an endpoint

    def _asked(self, endpoint: Model, case: Case, evidence: Evidence) -> Verdict:
        prompt = self.text.shared(case, evidence) + self.text.own(case, evidence)
        messages = (Message("user", prompt),)
        answer = evidence.ask(Request(endpoint, messages, logprobs=_ALTERNATIVES))
        cost = cost_of(answer, "verifier")
        if answer.value is None:
            return _unavailable(f"no answer: {answer.problem}", cost)
        if not answer.logprobs:
            return _unavailable("the endpoint reported no log-probabilities", cost)
        found = answer_probabilities(cast("list[TokenLogprob]", answer.logprobs))
        if found is None:
            reason = f"neither Yes nor No is among the {_ALTERNATIVES} likeliest tokens"
            return Verdict(outcome=Outcome.UNKNOWN, reason=reason, cost=cost)
        yes, no = found
        return self.of_probability(yes / (yes + no), yes + no, cost)


def _verdict(judge: LanguageModelVerifier, verifier: RewardModel, score: Score | None) -> Verdict:
    if score is None:
        longest = verifier.scorer.language_model.longest
        reason = f"the prompt is longer than the {longest:,} tokens that the model reads"
        return Verdict(outcome=Outcome.UNKNOWN, reason=reason)
    return judge.of_probability(verifier.probability(score), score.mass)


@lru_cache(maxsize=1)
def _loaded(folder: str) -> RewardModel:
    from sqljury.learning.outcome_reward.verifier import load_verifier

    return load_verifier(folder)


def trained_prompt(folder: str) -> Mapping[str, Json]:
    """The prompt that a folder's verifier was trained with; empty where it was not trained."""
    from sqljury.learning.outcome_reward.folder import read_facts

    if not Path(folder).is_dir():
        raise InputError("SJ020", "no such folder.", where=folder)
    facts = read_facts(folder) or {}
    return dict(facts.get("prompt", {}))


class TokenLogprob(TypedDict):
    """A token of an answer, as OpenAI's format reports it."""

    token: str
    logprob: float
    top_logprobs: NotRequired[list[TokenLogprob]]


def answer_probabilities(logprobs: Sequence[TokenLogprob]) -> tuple[float, float] | None:
    """P(Yes) and P(No) of an answer's first token, from what OpenAI's format reports of it.

    Tokens count by their letters: `` Yes``, ``yes`` and ``YES`` are one answer. None where neither
    word is among the alternatives.

    >>> first = {"token": "Yes", "logprob": -0.1, "top_logprobs": [
    ...     {"token": "Yes", "logprob": -0.5108}, {"token": " no", "logprob": -1.6094}]}
    >>> [round(one, 3) for one in answer_probabilities([first])]
    [0.6, 0.2]
    """
    sums = {"yes": 0.0, "no": 0.0}
    first = logprobs[0]
    for one in first.get("top_logprobs") or [first]:
        word = str(one["token"]).strip().lower()
        if word in sums:
            sums[word] += exp(float(one["logprob"]))
    return (sums["yes"], sums["no"]) if sums["yes"] + sums["no"] > 0 else None


def _unavailable(reason: str, cost: Cost) -> Verdict:
    return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason, cost=cost)


def _name(folder: str) -> str:
    """A folder's name, and a digest of what it says of itself."""
    import hashlib

    from sqljury.learning.outcome_reward.folder import FACTS

    facts = Path(folder) / FACTS
    digest = hashlib.sha256(facts.read_bytes()).hexdigest()[:8] if facts.is_file() else "untrained"
    return f"{Path(folder).resolve().name}/{digest}"
