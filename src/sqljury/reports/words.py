"""Numbers and names as people read them, the same in the terminal, in HTML and in tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sqljury.case import MISSING, Case
from sqljury.uses.agree import Agreement, AgreementSlice, Figures, JudgeAgreement
from sqljury.uses.evaluate import JudgeCost, JudgeSummary, Slice, StageCost, Summary
from sqljury.verdict import Outcome
from sqljury.version import __version__

UNDEFINED = "–"
"""Stands where a statistic has no value."""

# What reorders, hides or commands: C0 and C1 controls, bidirectional overrides, lone surrogates.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def percent(fraction: float | None, digits: int = 1) -> str:
    """A fraction in percent, without the sign; nothing but 1 prints as 100.

    >>> percent(0.7921), percent(0.99999), percent(None)
    ('79.2', '>99.9', '–')
    """
    if fraction is None:
        return UNDEFINED
    text = f"{100 * fraction:.{digits}f}"
    if fraction < 1 and text == f"{100:.{digits}f}":
        return f">{100 - 10**-digits:.{digits}f}"
    # -0.0 is no number that people write.
    return text.removeprefix("-") if float(text) == 0 else text


def interval(low: float | None, high: float | None, digits: int = 1) -> str:
    """Both ends in percent; ends below zero are set apart from the dash.

    >>> interval(0.765, 0.8172), interval(-0.05, 0.1), interval(None, None)
    ('76.5–81.7', '-5.0 – 10.0', '')
    """
    if low is None or high is None:
        return ""
    dash = " – " if low < 0 or high < 0 else "–"
    return f"{percent(low, digits)}{dash}{percent(high, digits)}"


def count(number: int) -> str:
    """An integer with thousands set apart.

    >>> count(11708)
    '11,708'
    """
    return f"{number:,}"


def counts(outcomes: Mapping[str, int], chosen: Iterable[Outcome]) -> str:
    """``incorrect 150, unknown 4``: the chosen outcomes that occur, in the fixed order."""
    found = ((str(outcome), outcomes.get(outcome, 0)) for outcome in chosen)
    return ", ".join(f"{name} {count(number)}" for name, number in found if number)


def score_sentence(judge: JudgeSummary) -> str:
    """The score with its denominator and what is not in it; of several systems no common one."""
    if judge.score is None:
        head = f"no score: none of {count(judge.total)} counts"
    elif judge.systems:
        head = f"{count(len(judge.systems))} systems, a score each"
    else:
        head = f"{_lacking(judge)}{_published(judge)}{_spread(judge)}"
    if not judge.left_out:
        return head
    names = counts(judge.outcomes, (o for o in Outcome if o.left_out))
    return f"{head}; {count(judge.left_out)} left out: {names}"


def headline(judge: JudgeSummary) -> str:
    """The one number of a judge, in percent: the published figure where it has one."""
    figure = _figure(judge)
    return percent(judge.score if figure is None else figure[1])


def _published(judge: JudgeSummary) -> str:
    figure = _figure(judge)
    if figure is None:
        return ""
    return f"{figure[0]} {percent(figure[1])}; as a score "


_FIGURES = {"r_ves": "R-VES"}
"""Judges whose source reports another figure than a score in [0, 1]: a measure of their name."""


def _figure(judge: JudgeSummary) -> tuple[str, float] | None:
    """What the judge's source reports, and its mean."""
    name = re.split("[:,]", judge.name)[0]
    return (
        (_FIGURES[name], judge.measures[name])
        if name in _FIGURES.keys() & judge.measures.keys()
        else None
    )


def _spread(judge: JudgeSummary) -> str:
    ends = interval(judge.low, judge.high)
    return f"{percent(judge.score)} % of {count(judge.n)}" + (
        f" ({judge.interval} {ends})" if ends else ""
    )


def _lacking(judge: JudgeSummary) -> str:
    """Why a score is low where most cases have no prediction; empty elsewhere."""
    missing = judge.outcomes.get(Outcome.PREDICTION_MISSING, 0)
    if 2 * missing <= judge.n:
        return ""
    return f"NO PREDICTION for {count(missing)} of {count(judge.n)} cases, which count as wrong: "


def no_predictions_hint(judge: JudgeSummary) -> str:
    """What to do where most cases have no prediction; empty elsewhere."""
    if not _lacking(judge):
        return ""
    return "--predictions FILE joins predictions, --map predicted_sql=KEY names the key of theirs"


WITHOUT_REFERENCE = ("faults", "executable", "verifier", "prover", "rose_wogt")
"""Judges that compare with no reference, those that ask no model first."""


def no_reference_hint(judge: JudgeSummary) -> str:
    """Who could judge cases that were left out for want of a reference; empty elsewhere."""
    lacking = judge.outcomes.get(Outcome.REFERENCE_MISSING, 0)
    if not lacking:
        return ""
    return (
        f"{count(lacking)} without a reference: judges that need none are "
        f"{', '.join(WITHOUT_REFERENCE)} (`sqljury list judges` says what each needs)"
    )


def missing_sentence(judge: JudgeSummary) -> str:
    """How many verdicts nobody gave, and why; empty where all are there."""
    if not judge.missing:
        return ""
    said = "; ".join(f"{why} ({count(number)})" for why, number in judge.missing_reasons.items())
    return f"MISSING: {count(judge.missing)} verdicts, so this is no result yet: {said}"


def outcomes_sentence(judge: JudgeSummary) -> str:
    """What the denominator is made of."""
    names = counts(judge.outcomes, (o for o in Outcome if not o.left_out))
    return f"outcomes: {names}" if names else ""


def outcomes_found(judges: Iterable[JudgeSummary]) -> list[Outcome]:
    """The outcomes that occur with any of the judges, in the fixed order."""
    judges = tuple(judges)
    return [o for o in Outcome if any(judge.outcomes.get(o) for judge in judges)]


def visible(text: str) -> str:
    """Text from queries and databases, harmless to show: controls become ``\\x1b``.

    >>> visible("red \\x1b[31m, left \\u202e")
    'red \\\\x1b[31m, left \\\\u202e'
    """
    return _SURROGATE.sub("\ufffd", _INVISIBLE.sub(_escaped, text))


def _escaped(match: re.Match[str]) -> str:
    if match[0] == "\r":
        return "\\r"
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def shortened(text: str, most: int) -> str:
    """At most that many characters; what is cut is counted.

    >>> shortened("abcdefgh", 3)
    'abc… (5 more)'
    """
    rest = len(text) - most
    return text if rest <= 0 else f"{text[:most]}… ({count(rest)} more)"


def hidden_rows(hidden: int, differing: int) -> str:
    """``and 12 more rows, 3 of which differ``.

    >>> hidden_rows(1, 0), hidden_rows(12, 3)
    ('and 1 more row', 'and 12 more rows, 3 of which differ')
    """
    rows = "row" if hidden == 1 else "rows"
    verb = "differs" if differing == 1 else "differ"
    more = f", {count(differing)} of which {verb}" if differing else ""
    return f"and {count(hidden)} more {rows}{more}"


# ---------------------------------------------------------------- evaluate


def tone(outcome: Outcome) -> str:
    """How an outcome is coloured: ``good``, ``bad``, ``unsure``, ``out`` (of the score)."""
    if outcome is Outcome.CORRECT:
        return "good"
    if outcome.left_out:
        return "out"
    return "unsure" if outcome in (Outcome.UNKNOWN, Outcome.ABSTAINED) else "bad"


def measures_sentence(judge: JudgeSummary) -> str:
    """``mean precision 81.2 %``: means of what judges measure beside the score."""
    return ", ".join(
        f"mean {name} {percent(value)} %"
        for name, value in sorted(judge.measures.items())
        if name not in _FIGURES
    )


def labels_sentence(judge: JudgeSummary) -> str:
    """``labels: limit_cuts_tie 3``; empty where there are none."""
    found = [f"{name} {count(number)}" for name, number in sorted(judge.labels.items())]
    return f"labels: {', '.join(found)}" if found else ""


def money(cost: JudgeCost | StageCost) -> str:
    """``$12.34``, four digits below a dollar; and how far the prices were not known."""
    if cost.unpriced == cost.calls:
        return "price not known"
    digits = 4 if 0 < cost.money < 1 else 2
    known = f"${cost.money:,.{digits}f}"
    return f"{known} and {count(cost.unpriced)} without a known price" if cost.unpriced else known


def cost_text(cost: JudgeCost | StageCost) -> str:
    """``1,234 calls, 567,890 tokens, $1.23, 4.5 s a case``: a case that was asked about.

    Batches do not say how long an answer took.
    """
    calls = f"{count(cost.calls)} {'call' if cost.calls == 1 else 'calls'}"
    seconds = f", {cost.seconds / cost.verdicts:,.1f} s a case" if cost.seconds else ""
    return f"{calls}, {count(cost.tokens)} tokens, {money(cost)}{seconds}"


def cost_lines(judge: JudgeSummary) -> list[str]:
    """What the models behind the verdicts cost when they were asked, and by stage."""
    if judge.cost is None:
        return []
    whole = f"cost when asked: {cost_text(judge.cost)}"
    stages = [f"{stage.stage}: {cost_text(stage)}" for stage in judge.cost.stages]
    return [whole, *(stages if len(stages) > 1 else [])]


def details(judge: JudgeSummary) -> list[str]:
    """The lines between a score and its signature."""
    lines = (
        no_predictions_hint(judge),
        no_reference_hint(judge),
        missing_sentence(judge),
        outcomes_sentence(judge),
        measures_sentence(judge),
        labels_sentence(judge),
    )
    return [*filter(None, lines), *cost_lines(judge)]


Estimate = tuple[float | None, float | None, float | None]
"""A value and the ends of its interval."""


def estimate(part: Slice | Figures) -> Estimate:
    """What a slice is plotted by: its score, or the κ of an agreement."""
    if isinstance(part, Slice):
        return part.score, part.low, part.high
    return (part.kappa, *(part.intervals.get("kappa") or (None, None)))


def dimensions(judges: Iterable[JudgeSummary | JudgeAgreement]) -> list[str]:
    """What the slices are cut by, in the order of the summary.

    A dimension with a single slice says nothing that the whole does not, nor does one by source
    where the systems have a table of their own.
    """
    judges = tuple(judges)
    names = dict.fromkeys(part.dimension for judge in judges for part in judge.slices)
    if any(isinstance(judge, JudgeSummary) and judge.systems for judge in judges):
        names.pop("source", None)
    return [name for name in names if len(slices_of(name, judges)) > 1]


SYSTEM_HEADS = ("score", "95 %", "n", "only this\none right")
PAIR_HEADS = ("n", "only first\nright", "only second\nright", "difference", "95 %", "p", "Holm")
PAIRS_TITLE = "Systems compared by {} (McNemar's exact test, two-sided)"


def system_rows(judge: JudgeSummary) -> list[tuple[str, tuple[str, ...]]]:
    """The scoreboard of a judge: a name and its cells for each system, the best first."""
    return [
        (
            visible(one.name or "(none)"),
            (percent(one.score), interval(one.low, one.high), count(one.n), count(one.only)),
        )
        for one in judge.systems
    ]


def pair_rows(judge: JudgeSummary) -> list[tuple[str, str, tuple[str, ...]]]:
    """The paired tests of a judge: two systems and the cells."""
    return [
        (
            visible(pair.better or "(none)"),
            visible(pair.worse or "(none)"),
            (
                count(pair.n),
                count(pair.only_better),
                count(pair.only_worse),
                percent(pair.difference),
                interval(pair.low, pair.high),
                p_value(pair.p),
                p_value(pair.p_holm),
            ),
        )
        for pair in judge.system_pairs
    ]


def slices_of(
    dimension: str, judges: Iterable[JudgeSummary | JudgeAgreement]
) -> dict[str, dict[str, Slice | AgreementSlice]]:
    """The slices along a dimension: value -> judge -> slice, in the order of the summary."""
    found: dict[str, dict[str, Slice | AgreementSlice]] = {}
    for judge in judges:
        for part in judge.slices:
            if part.dimension == dimension:
                found.setdefault(part.value, {})[judge.name] = part
    return found


def auc_text(part: Slice | AgreementSlice | None) -> str:
    """``97.20 (96.41–98.02) of 248``: the AUC of those that have a score."""
    if not isinstance(part, AgreementSlice) or part.auc is None:
        return UNDEFINED
    low, high = part.intervals.get("auc") or (None, None)
    ends = interval(low, high, 2)
    return f"{percent(part.auc, 2)}{f' ({ends})' if ends else ''} of {count(part.n_scored)}"


def slice_text(part: Slice | AgreementSlice | None) -> str:
    """``79.2 (73.8–83.7) of 248``; a κ has two digits."""
    if part is None:
        return UNDEFINED
    value, low, high = estimate(part)
    if value is None:
        return UNDEFINED
    digits = 1 if isinstance(part, Slice) else 2
    ends = interval(low, high, digits)
    return f"{percent(value, digits)}{f' ({ends})' if ends else ''} of {count(part.n)}"


# ---------------------------------------------------------------- agree

AGREEMENT_TABLES: dict[str, tuple[str, ...]] = {
    "Agreement with the labels, in percent": (
        "n",
        "kappa",
        "interval",
        "accuracy",
        "mcc",
        "f1",
        "precision",
        "recall",
    ),
    "Scores and labels, in percent": (
        "n_scored",
        "auc",
        "kendall_tau",
        "spearman_rho",
        "pearson_r",
        "auc_thresholded",
        "kendall_tau_thresholded",
        "spearman_rho_thresholded",
        "pearson_r_thresholded",
    ),
    "Cases": (
        "tp",
        "fp",
        "fn",
        "tn",
        "n_unknown",
        "n_left_out",
        "n_unlabelled",
        "coverage",
    ),
}
"""The tables in which agreement is shown, and their columns."""

_STATISTIC_NAMES = {
    "kappa": "κ",
    "accuracy": "accuracy",
    "mcc": "MCC",
    "f1": "F1",
    "precision": "precision",
    "recall": "recall",
    "auc": "AUC",
    "kendall_tau": "τ",
    "spearman_rho": "ρ",
    "pearson_r": "r",
    "n": "n",
    "n_scored": "n scored",
    "n_unknown": "unknown",
    "n_left_out": "left out",
    "n_unlabelled": "no label",
    "coverage": "coverage",
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
    "tn": "tn",
}


def statistic_name(name: str, confidence: float = 0.95) -> str:
    """The head of a column of figures."""
    if name == "interval":
        return f"κ, {100 * confidence:g} %"
    plain = name.removesuffix("_thresholded")
    return _STATISTIC_NAMES[plain] + ("\nyes/no" if plain != name else "")


def statistic(figures: Figures, name: str) -> str:
    """A figure as text: counts as they are, statistics in percent with two digits."""
    if name == "interval":
        ends = figures.intervals.get("kappa")
        return "" if ends is None else interval(*ends, digits=2)
    if name in ("tp", "fp", "fn", "tn"):
        return count(getattr(figures.confusion, name))
    value = getattr(figures, name)
    return count(value) if name == "n" or name.startswith("n_") else percent(value, 2)


def agreement_rows(judge: JudgeAgreement) -> list[tuple[str, Figures]]:
    """A row per benchmark always; all of them pooled where there are several."""
    rows: list[tuple[str, Figures]] = [
        (part.value or "all cases", part) for part in judge.by_benchmark
    ]
    return [*rows, ("pooled", judge)] if len(rows) > 1 else rows


def calibration_lines(agreement: Agreement) -> list[str]:
    """How far each judge's scores are from being probabilities; none for those of yes or no."""
    return [
        f"{visible(judge.name)}: calibration error (ECE) {found.ece:.3f}, Brier score "
        f"{found.brier:.3f} of {count(found.n)} scores"
        for judge in agreement.judges
        if (found := judge.calibration) is not None
    ]


def agreement_signature(agreement: Agreement) -> str:
    """How the figures were computed, on one line."""

    parts = [
        "agree",
        f"judges:{len(agreement.judges)}",
        f"unknown:{agreement.unknown}",
        f"bootstrap:{agreement.resamples}",
        f"seed:{agreement.seed}",
        f"confidence:{agreement.confidence:g}",
        f"sqljury:{__version__}",
    ]
    return "|".join(parts)


def p_value(p: float | None) -> str:
    """Four digits are enough to decide by.

    >>> p_value(0.04321), p_value(3e-9), p_value(None)
    ('0.0432', '<0.0001', '–')
    """
    if p is None:
        return UNDEFINED
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


# ---------------------------------------------------------------- cases


def case_facts(case: Case) -> list[tuple[str, str]]:
    """What is known about a case besides its queries, by name."""
    label = {None: "", True: "correct", False: "incorrect"}[case.label]
    answerable = {None: "", True: "", False: "no"}[case.answerable]
    facts = (
        ("question", case.question),
        ("hint", case.hint),
        ("criteria", case.criteria),
        ("database", case.db_id),
        ("difficulty", case.difficulty),
        ("label", label),
        ("answerable", answerable),
    )
    return [(name, value) for name, value in facts if value]


def no_prediction(case: Case) -> str:
    """Why there is no predicted SQL to show; empty where there is one."""
    if case.predicted_sql is MISSING:
        return "There is no prediction for this case."
    return "The system abstained." if case.predicted_sql is None else ""


def reading_notes(summary: Summary) -> list[str]:
    """How predictions were read, where that is not as the file has them."""
    taken, by_position = summary.taken_out_of_prose, summary.joined_by_position
    notes = []
    if taken:
        noun = "prediction was" if taken == 1 else "predictions were"
        notes.append(
            f"{taken:,} {noun} taken out of prose or code fences; --keep-fences judges the text "
            "as it is."
        )
    if by_position:
        notes.append(f"Joined by position, not by id: {', '.join(by_position)}.")
    return notes
