"""The results of `evaluate` in sentences, the same in the terminal and on pages."""

from __future__ import annotations

import re

from sqljury.reports.words import count, counts, interval, percent, visible
from sqljury.uses.evaluate.summary import JudgeCost, JudgeSummary, StageCost, Summary
from sqljury.verdict import Billed, Outcome


def score_sentence(judge: JudgeSummary) -> str:
    """The share of correct predictions with its denominator and what was left out of it; for judges
    whose scores are not just 0 and 1 also the mean of the scores.

    With several systems, their number instead of a common score.
    """
    if judge.score is None:
        head = f"no score: none of {count(judge.total)} counts"
    elif judge.systems:
        head = f"{count(len(judge.systems))} systems, a score each"
    else:
        figure, ends = _figure(judge), interval(judge.low, judge.high)
        published = f"{figure[0]} {percent(figure[1])}; " if figure else ""
        spread = f" ({judge.interval} {ends})" if ends else ""
        score = f"{percent(judge.score)} % of {count(judge.n)}{spread}"
        mean = f"; {mean_sentence(judge)}" if judge.mean_score is not None else ""
        head = f"{_lacking(judge)}{published}{score}{mean}"
    if not judge.left_out:
        return head
    names = counts(judge.outcomes, (o for o in Outcome if o.left_out))
    return f"{head}; {count(judge.left_out)} left out: {names}"


_PROBABILITIES = ("jury", "verifier")
"""Judges whose score is the probability that the prediction is right."""


def mean_sentence(judge: JudgeSummary) -> str:
    """``mean probability 81.2 % (78.1–84.3)``: the mean of the scores, by the name it has."""
    kind = "probability" if re.split("[:,]", judge.name)[0] in _PROBABILITIES else "score"
    ends = interval(judge.mean_low, judge.mean_high)
    return f"mean {kind} {percent(judge.mean_score)} %{f' ({ends})' if ends else ''}"


def headline(judge: JudgeSummary) -> str:
    """The judge's main number, in percent: its published figure if it has one, else the score."""
    figure = _figure(judge)
    return percent(judge.score if figure is None else figure[1])


_FIGURES = {"r_ves": "R-VES"}
"""Judges whose paper reports another figure than the score; the judge's measure of that name."""


def _figure(judge: JudgeSummary) -> tuple[str, float] | None:
    """The name and mean of the figure that the judge's paper reports; None without one."""
    name = re.split("[:,]", judge.name)[0]
    return (
        (_FIGURES[name], judge.measures[name])
        if name in _FIGURES.keys() & judge.measures.keys()
        else None
    )


def _lacking(judge: JudgeSummary) -> str:
    """A warning that most cases have no prediction, which lowers the score; empty otherwise."""
    missing = judge.outcomes.get(Outcome.PREDICTION_MISSING, 0)
    if 2 * missing <= judge.n:
        return ""
    return f"NO PREDICTION for {count(missing)} of {count(judge.n)} cases, which count as wrong: "


def no_predictions_hint(judge: JudgeSummary) -> str:
    """What to do if most cases have no prediction; empty otherwise."""
    if not _lacking(judge):
        return ""
    return "--predictions FILE joins predictions, --map predicted_sql=KEY names the key of theirs"


WITHOUT_REFERENCE = (
    "jury:offline,reference=false",
    *("faults", "executable", "verifier", "prover", "rose_wogt"),
)
"""Judges that need no reference, those that call no chat model first."""


def no_reference_hint(judge: JudgeSummary) -> str:
    """Names judges for cases left out because they have no reference; empty if there are none."""
    lacking = judge.outcomes.get(Outcome.REFERENCE_MISSING, 0)
    if not lacking:
        return ""
    return (
        f"{count(lacking)} without a reference: judges that need none are "
        f"{', '.join(WITHOUT_REFERENCE)} (`sqljury list judges` says what each needs)"
    )


def missing_sentence(judge: JudgeSummary) -> str:
    """How many verdicts are missing, and why; empty if none is."""
    if not judge.missing:
        return ""
    said = "; ".join(f"{why} ({count(number)})" for why, number in judge.missing_reasons.items())
    return f"MISSING: {count(judge.missing)} verdicts, so this is no result yet: {said}"


def outcomes_sentence(judge: JudgeSummary) -> str:
    """The outcomes in the denominator with their counts; empty if there are none."""
    names = counts(judge.outcomes, (o for o in Outcome if not o.left_out))
    return f"outcomes: {names}" if names else ""


def measures_sentence(judge: JudgeSummary) -> str:
    """``mean precision 81.2 %``: means of the judge's measures other than the score."""
    return ", ".join(
        f"mean {name} {percent(value)} %"
        for name, value in sorted(judge.measures.items())
        if name not in _FIGURES
    )


def labels_sentence(judge: JudgeSummary) -> str:
    """``labels: limit_cuts_tie 3``: the labels with their counts; empty if there are none."""
    found = [f"{name} {count(number)}" for name, number in sorted(judge.labels.items())]
    return f"labels: {', '.join(found)}" if found else ""


def money(cost: JudgeCost | StageCost) -> str:
    """``$12.34``, four digits below a dollar, and how many calls have no known price."""
    if cost.unpriced == cost.calls:
        return "price not known"
    digits = 4 if 0 < cost.money < 1 else 2
    known = f"${cost.money:,.{digits}f}"
    return f"{known} and {count(cost.unpriced)} without a known price" if cost.unpriced else known


def cost_text(cost: JudgeCost | StageCost) -> str:
    """``1,234 calls, 567,890 tokens, $1.23, 4.5 s a case``.

    Only cases for which a model was called count. Seconds are missing for batches, which do not
    report how long an answer took.
    """
    calls = f"{count(cost.calls)} {'call' if cost.calls == 1 else 'calls'}"
    seconds = f", {cost.seconds / cost.verdicts:,.1f} s a case" if cost.seconds else ""
    return f"{calls}, {count(cost.tokens)} tokens, {money(cost)}{seconds}"


def billed_lines(billed: Billed | None) -> list[str]:
    """One line on what a warehouse billed; no line if nothing was billed."""
    return [] if billed is None else [f"billed: {billed_text(billed)}"]


def billed_text(billed: Billed) -> str:
    """``12 statements, 3.4 GiB, $0.0207``."""
    noun = "statement" if billed.statements == 1 else "statements"
    parts = [f"{count(billed.statements)} {noun}"]
    if billed.bytes:
        parts.append(size(billed.bytes))
    if billed.credits:
        parts.append(f"{billed.credits:,.4f} credits")
    if billed.unpriced < billed.statements:
        parts.append(f"${billed.money:,.4f}")
    if billed.unpriced:
        parts.append(f"{count(billed.unpriced)} without a known price")
    return ", ".join(parts)


def size(number: int) -> str:
    """A number of bytes in binary units: ``3.4 GiB``."""
    value, units = float(number), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{value:,.0f} bytes" if units[0] == "bytes" else f"{value:,.1f} {units[0]}"


def cost_lines(judge: JudgeSummary) -> list[str]:
    """What the model calls behind the verdicts cost, in all and by stage; empty without calls."""
    if judge.cost is None:
        return []
    whole = f"cost when asked: {cost_text(judge.cost)}"
    stages = [f"{stage.stage}: {cost_text(stage)}" for stage in judge.cost.stages]
    return [whole, *(stages if len(stages) > 1 else [])]


def details(judge: JudgeSummary) -> list[str]:
    """The lines shown between a score and its signature."""
    lines = (
        no_predictions_hint(judge),
        no_reference_hint(judge),
        missing_sentence(judge),
        outcomes_sentence(judge),
        script_sentence(judge),
        measures_sentence(judge),
        labels_sentence(judge),
    )
    return [*filter(None, lines), *billed_lines(judge.billed), *cost_lines(judge)]


def script_sentence(judge: JudgeSummary) -> str:
    """What the published script of Spider 2.0 prints; empty for other judges and several systems.

    It counts every question, also those without a usable reference.
    """
    if re.split("[,;]", judge.name)[0] != "execution:spider2" or judge.systems:
        return ""
    correct = judge.outcomes.get(Outcome.CORRECT, 0)
    predicted = judge.n - judge.outcomes.get(Outcome.PREDICTION_MISSING, 0)
    found = f"Real score {percent(correct / judge.total)} % ({correct} of {count(judge.total)})"
    if 0 < predicted < judge.total:
        found += f", Final score {percent(correct / predicted)} % ({correct} of {count(predicted)})"
    return f"as evaluate.py of Spider 2.0 counts: {found}"


def reading_notes(summary: Summary) -> list[str]:
    """Notes on where predictions are from: a system, prose, files joined by position."""
    taken, by_position = summary.taken_out_of_prose, summary.joined_by_position
    notes = [] if summary.answers is None else [visible(str(summary.answers))]
    if taken:
        noun = "prediction was" if taken == 1 else "predictions were"
        notes.append(
            f"{taken:,} {noun} taken out of prose or code fences; --keep-fences judges the text "
            "as it is."
        )
    if by_position:
        notes.append(f"Joined by position, not by id: {', '.join(by_position)}.")
    return notes
