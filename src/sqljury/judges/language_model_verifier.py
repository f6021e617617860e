"""A language model as a verifier: P(Yes) that a query answers its question, and the prompt.

Used by the judge ``verifier`` where its model is a folder or ``PROVIDER:MODEL``. The prompt begins
with what all candidates of a question share (task, schema, question) and ends with what is the
candidate's own (its SQL, its rows, the final question): the network computes the first part once.

Source: GradeSQL (Tritto et al. 2026), section 6 and Table 8, names the variants and does not print
them: SQL-Only shows the query, Data-Only the rows that it returned, Data + SQL both, Instruction
both under a list of duties. The texts are our own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from math import exp, inf, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence, cost_of
from sqljury.judges.base import Needs
from sqljury.judges.model_judge import option_pairs
from sqljury.judges.prompts.sections import LAYOUT, Dossier, PromptSection, message, schema_section
from sqljury.llm import FENCE_RULE, Message, Model, Request, known_providers, parse_model
from sqljury.verdict import Cost, Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.learning.language_model.prefix_scoring import Score
    from sqljury.learning.outcome_reward.verifier import RewardModel


# ------------------------------------------------------------ the prompt

VARIANTS = {
    "instruction": "verifier_instruction",
    "data": "verifier_data",
    "sql": "verifier_sql",
    "data+sql": "verifier_data_sql",
}
"""The variants of the prompt, and the file of each."""

ROWS = 10
"""How many rows of a result are shown; the total number is always shown."""


@dataclass(frozen=True, slots=True)
class VerifierPrompt:
    """The prompt in one of its variants.

    Raises:
        InputError: SJ304: there is no such variant.
    """

    variant: str = "sql"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise InputError(
                "SJ304",
                f"there is no prompt {self.variant!r} for verifiers.",
                hint=f"Prompts: {', '.join(VARIANTS)}.",
            )

    @property
    def shows_rows(self) -> bool:
        """True if the prompt shows rows, so that the query has to be executed."""
        return self.variant != "sql"

    @property
    def fingerprint(self) -> str:
        """Eight characters that change with any change of the text."""
        whole = f"{_text(self.variant)!r}{FENCE_RULE}{LAYOUT}/{ROWS}"
        return hashlib.sha256(whole.encode()).hexdigest()[:8]

    def shared(self, case: Case, evidence: Evidence) -> str:
        """The task, the schema with values of each column, the question and its hint."""
        sections = schema_section(evidence, "create") + Dossier(case, evidence).question()
        return f"{_text(self.variant)[0]}\n{FENCE_RULE}\n\n{message(sections)}\n\n"

    def own(self, case: Case, evidence: Evidence) -> str:
        """The candidate, without SQL comments, and the line with the final question."""
        found = Dossier(case, evidence, ROWS).prediction(with_rows=self.shows_rows)
        sections = found[1:] or [_failed()] if self.variant == "data" else found
        return f"{message(sections)}\n\n{_text(self.variant)[1]}\nAnswer:"


def _failed() -> PromptSection:
    return PromptSection("Rows of the predicted SQL", "", "The query failed: there are none.")


@cache
def _text(variant: str) -> tuple[str, str]:
    """The beginning and the final line of a variant's text."""
    text = (files("sqljury.judges.prompts") / f"{VARIANTS[variant]}.md").read_text("utf-8")
    begin, _, end = text.partition("\n---\n")
    return begin.strip(), end.strip()


# ------------------------------------------------------------ the verifier


_ALTERNATIVES = 20
"""How many alternatives of the answer's first token are requested: the most that endpoints
report."""
_NO_QUESTION = Verdict(outcome=Outcome.UNKNOWN, reason="the case has no question")


def is_language_model(model: str) -> bool:
    """True if a model is the folder of a language model or ``PROVIDER:MODEL``."""
    return Path(model).is_dir() or model.partition(":")[0] in known_providers()


@dataclass(frozen=True)
class LanguageModelVerifier:
    """Asks a language model for Yes or No, and takes the probability of Yes as the score.

    Args:
        model: a folder that ``sqljury train verifier`` wrote, the folder of any causal language
            model, or ``PROVIDER:MODEL`` of an endpoint that reports log-probabilities.
        model_options: ``key=value`` joined by ``;``: options of the endpoint, or how the model of
            a folder is loaded (``device_map=auto;four_bit=true``).
        prompt: a variant of the prompt; empty: the one that the model was trained with, else sql.
        threshold: the lowest score that counts as a yes.
        raw: the score is P(Yes) among all words, as in the paper, instead of the calibrated P(Yes)
            among Yes and No.
        served: ``PROVIDER:MODEL`` of an endpoint that serves the model of the folder; prompt and
            temperature are still those of the folder.

    Raises:
        InputError: SJ020, SJ022, SJ030, SJ036, SJ901: there is no such model;
            SJ304: no such prompt; SJ038: a model that cannot be served.

    Source: GradeSQL (Tritto et al. 2026), section 3.3.
    """

    model: str
    model_options: str = ""
    prompt: str = ""
    threshold: float = 0.5
    raw: bool = False
    served: str = ""

    def __post_init__(self) -> None:
        if self.served and (self.endpoint is None or not Path(self.model).is_dir()):
            raise ValueError("served= takes PROVIDER:MODEL, and model= the verifier's folder")
        _ = self.text
        if self.served and self._facts.get("objective") == "bce":
            raise InputError(
                "SJ038",
                "a verifier trained with objective=bce gives a number, not a word: a server "
                "cannot answer for it.",
                where=self.model,
                hint="Leave served= out: the verifier is loaded from its folder.",
            )

    @property
    def needs(self) -> Needs:
        """A schema; a query that runs, if rows are shown; a chat model, for an endpoint."""
        found = Needs.SCHEMA
        if self.text.shows_rows:
            found |= Needs.PREDICTION_ROWS
        return found | (Needs.LLM if self.endpoint is not None else Needs.NOTHING)

    @cached_property
    def endpoint(self) -> Model | None:
        """The model of an endpoint; None for a folder that is not served."""
        name = self.served or self.model
        if Path(name).is_dir() or name.partition(":")[0] not in known_providers():
            return None
        # The score needs the first token only.
        return parse_model(name, {"max_tokens": "1", **option_pairs(self.model_options)})

    @cached_property
    def _facts(self) -> Mapping[str, Any]:
        """The facts stored in the folder of a trained verifier; empty for any other model."""
        return trained_facts(self.model) if Path(self.model).is_dir() else {}

    @cached_property
    def text(self) -> VerifierPrompt:
        """The prompt.

        Raises:
            InputError: SJ036: the verifier was trained with another prompt.
        """
        if self.endpoint is not None and not self.served:
            return VerifierPrompt(self.prompt or "sql")
        stated = trained_facts(self.model).get("prompt", {})
        found = VerifierPrompt(self.prompt or str(stated.get("variant", "sql")))
        if stated and stated != {"variant": found.variant, "fingerprint": found.fingerprint}:
            raise InputError(
                "SJ036",
                f"trained with the prompt {stated.get('variant')} of version "
                f"{stated.get('fingerprint')}, asked with {found.variant} of {found.fingerprint}.",
                where=self.model,
            )
        return found

    def signature_fields(self) -> dict[str, Json]:
        """The model and the prompt, for the signature."""
        name = _name(self.model) if Path(self.model).is_dir() else ""
        model = "@".join(filter(None, (name, str(self.endpoint or ""))))
        found: dict[str, Json] = {
            "verifier": model,
            "prompt": f"{self.text.variant}/{self.text.fingerprint}",
        }
        return {**found, "score": "raw"} if self.raw else found

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict on one candidate."""
        if self.endpoint is not None:
            if not case.question:
                return _NO_QUESTION
            return self._asked(self.endpoint, case, evidence)
        return self.judge_many([(case, evidence)])[0]

    # ------------------------------------------------------------ a model that runs here

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several candidates by a model of a folder.

        The part of the prompt that candidates share is computed once, and each distinct query in
        one pass.

        Args:
            asked: cases with predictions, each with its evidence.

        Raises:
            InputError: SJ020, SJ022, SJ023, SJ030, SJ031: the folder cannot be used.
            InfrastructureError: SJ024: memory does not suffice for a single prompt.
            MissingExtraError: SJ001: the packages are not installed.
        """
        verifier = _loaded(self.model, self.model_options)
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

    def of_score(self, score: Score, cost: Cost | None = None) -> Verdict:
        """The verdict for the scores that a model gave to Yes and No."""
        if self.raw:
            yes, among = score.probability() * (1.0 if score.mass is None else score.mass), "all"
        else:
            yes, among = score.probability(self._facts.get("temperature", 1.0)), "Yes and No"
        reason = f"P(Yes) {yes:.3f} among {among}{' words' if self.raw else ''}"
        verdict = Verdict.correct if yes >= self.threshold else Verdict.incorrect
        measures = {} if score.mass is None else {"answer_mass": score.mass}
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
        found = answer_score(cast("list[TokenLogprob]", answer.logprobs))
        if found is None:
            reason = f"neither Yes nor No is among the {_ALTERNATIVES} likeliest tokens"
            return Verdict(outcome=Outcome.UNKNOWN, reason=reason, cost=cost)
        return self.of_score(found, cost)


def _verdict(judge: LanguageModelVerifier, verifier: RewardModel, score: Score | None) -> Verdict:
    if score is None:
        longest = verifier.scorer.language_model.longest
        reason = f"the prompt is longer than the {longest:,} tokens that the model reads"
        return Verdict(outcome=Outcome.UNKNOWN, reason=reason)
    return judge.of_score(score)


@lru_cache(maxsize=1)
def _loaded(folder: str, options: str) -> RewardModel:
    from sqljury.learning.language_model.loading import Placing
    from sqljury.learning.outcome_reward.verifier import load_verifier

    return load_verifier(folder, placing=Placing.of(option_pairs(options)))


def trained_facts(folder: str) -> dict[str, Any]:
    """The facts that training stored in a verifier's folder (prompt, temperature); empty for a
    model that was not trained as a verifier.

    Raises:
        InputError: SJ020: there is no such folder; SJ030, SJ031: the file of facts is invalid.
    """
    from sqljury.learning.outcome_reward.verifier import read_facts

    if not Path(folder).is_dir():
        raise InputError("SJ020", "no such folder.", where=folder)
    return read_facts(folder) or {}


class TokenLogprob(TypedDict):
    """A token of an answer in OpenAI's format."""

    token: str
    logprob: float
    top_logprobs: NotRequired[list[TokenLogprob]]


def answer_score(logprobs: Sequence[TokenLogprob]) -> Score | None:
    """The score of Yes against No from the first token of an answer and its alternatives.

    Case and white space do not count: `` Yes``, ``yes`` and ``YES`` are one answer. None if
    neither word is among the alternatives.

    >>> first = {"token": "Yes", "logprob": -0.1, "top_logprobs": [
    ...     {"token": "Yes", "logprob": -0.5108}, {"token": " no", "logprob": -1.6094}]}
    >>> found = answer_score([first])
    >>> round(found.probability(), 3), round(found.mass, 3)
    (0.75, 0.8)
    """
    from sqljury.learning.language_model.prefix_scoring import Score

    sums = {"yes": 0.0, "no": 0.0}
    first = logprobs[0]
    for one in first.get("top_logprobs") or [first]:
        word = str(one["token"]).strip().lower()
        if word in sums:
            sums[word] += exp(float(one["logprob"]))
    if not any(sums.values()):
        return None
    yes, no = (log(value) if value else -inf for value in sums.values())
    return Score(yes - no, min(1.0, sum(sums.values())))


def _unavailable(reason: str, cost: Cost) -> Verdict:
    return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason, cost=cost)


def _name(folder: str) -> str:
    """A folder's name, and a digest of its file of facts or ``untrained``."""
    import hashlib

    from sqljury.learning.outcome_reward.verifier import FACTS

    facts = Path(folder) / FACTS
    digest = hashlib.sha256(facts.read_bytes()).hexdigest()[:8] if facts.is_file() else "untrained"
    return f"{Path(folder).resolve().name}/{digest}"
