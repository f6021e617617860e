"""What `trust` prints: reliability scores, baselines, gates, risk and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from sqljury.reports import words
from sqljury.reports.terminal import Out, numbers_table, plain
from sqljury.uses.statistics import Interval
from sqljury.uses.trust import Trust, TrustFigures

MIX_NAMES = {"ans": "ANS", "ans_unans_25": "ANS + UnANS (25 %)", "ans_unans": "ANS + UnANS"}
BASELINE_NAMES = {
    "abstain_all": "ABSTAIN-ALL",
    "answer_all": "ANSWER-ALL",
    "oracle": "ORACLE",
}
_NAME = 22
_MOST_SLICES = 40


def print_trust(systems: Sequence[Trust], console: Console) -> None:
    """Print each system: φ by penalty for each mix, baselines, slices, risk and coverage."""
    out = Out(console)
    for found in systems:
        out.text(words.visible(found.name), style="bold")
        for line in sentences(found):
            out.text(line)
        out.table(_mixes(found))
        out.table(_passages(found))
        out.table(_confidence(found))
        out.table(_thresholds(found))
        for table in _slices(found):
            out.table(table)
        out.text(trust_signature(found), style="dim")
        console.print()
    if len(systems) > 1:
        out.table(_compared(systems))


def score(value: float | None) -> str:
    """φ in percent, thousands set apart: a penalty may cost many times what all answers earn.

    >>> score(0.5239), score(-238.5), score(None)
    ('52.4', '-23,850.0', '–')
    """
    if value is None:
        return words.UNDEFINED
    text = f"{100 * value:,.1f}"
    return "0.0" if text == "-0.0" else text


def sentences(found: Trust) -> list[str]:
    """The counts in words: what was answered, abstained from, and missing."""
    counts = found.counts
    lines = [
        f"{words.count(found.n)} questions, {words.count(found.n_answerable)} answerable; "
        f"{words.percent(found.coverage)} % answered, {words.percent(found.risk)} % of the "
        "answers wrong",
        f"answers: {words.count(counts.right)} right, {words.count(counts.wrong)} wrong"
        f"{_of_them(counts.errors, counts.unknown)}, {words.count(counts.harmful)} to the "
        "unanswerable",
        f"abstentions: {words.count(counts.withheld)} from the answerable, "
        f"{words.count(counts.declined)} from the unanswerable",
    ]
    missing = counts.missing_answerable + counts.missing_unanswerable
    if missing:
        lines.append(f"missing: {words.count(missing)}, which earn and cost nothing")
    if found.n_left_out:
        lines.append(
            f"left out: {words.count(found.n_left_out)} (reference or database fails, no judge)"
        )
    return lines


def _of_them(errors: int, unknown: int) -> str:
    parts = [f"{words.count(errors)} do not run"] if errors else []
    parts += [f"of {words.count(unknown)} the judge cannot say"] if unknown else []
    return f" ({', '.join(parts)})" if parts else ""


def trust_signature(found: Trust) -> str:
    """How the figures were computed, on one line."""
    from sqljury import __version__

    return "|".join(
        (
            "trust",
            f"n:{found.n}",
            f"answerable:{found.n_answerable}",
            f"left_out:{found.n_left_out}",
            *(f"gate:{passage.name}>={passage.threshold:g}" for passage in found.passages),
            f"seed:{found.seed}",
            f"bootstrap:{found.resamples}",
            f"confidence:{found.confidence:g}",
            f"sqljury:{__version__}",
        )
    )


def _mixes(found: Trust) -> Table:
    penalties = list(found.phi)
    table = numbers_table(
        "Reliability score, in percent",
        "",
        "n",
        *(f"φ{name}" for name in penalties),
        min_width=_NAME,
    )
    for name, figures in found.mixes.items():
        table.add_row(plain(MIX_NAMES[name], "bold"), words.count(figures.n), *_phis(figures))
    for name, phi in found.baselines.items():
        cells = (score(phi[penalty]) for penalty in penalties)
        table.add_row(plain(BASELINE_NAMES[name]), words.count(found.n), *cells)
    return table


def _phis(figures: TrustFigures) -> Iterator[str]:
    for name, value in figures.phi.items():
        ends = figures.intervals.get(name)
        yield score(value) + (f"\n{_between(ends)}" if ends else "")


def _between(ends: Interval) -> str:
    return f"{score(ends[0])} to {score(ends[1])}"


def _passages(found: Trust) -> Table:
    table = numbers_table("Gates", "", "from", "reached", "held back", "said nothing")
    for gate in found.passages:
        numbers = map(words.count, (gate.reached, gate.held_back, gate.silent))
        table.add_row(plain(gate.name), f"{gate.threshold:g}", *numbers)
    return table


def _confidence(found: Trust) -> Table:
    table = numbers_table("By confidence, in percent", "", "", min_width=_NAME)
    if found.aurc is None:
        return table
    table.add_row("AURC", words.percent(found.aurc, 2))
    for title, values in (
        ("accuracy at coverage", found.accuracy_at),
        ("coverage at risk", found.coverage_at),
    ):
        for at, value in values.items():
            table.add_row(f"{title} {words.percent(float(at), 0)} %", words.percent(value))
    return table


def rule_name(rule: str) -> str:
    """A rule in words.

    >>> rule_name("phi_10"), rule_name("harm_0.05")
    ('best φ10', 'wrong answers ≤ 5 % of questions')
    """
    kind, _, value = rule.partition("_")
    if kind == "phi":
        return f"best φ{value}"
    if kind == "heuristic":
        return "heuristic (appendix F)"
    of = "questions" if kind == "harm" else "answers"
    return f"wrong answers ≤ {100 * float(value):g} % of {of}"


def _thresholds(found: Trust) -> Table:
    heads = ("from", *(f"φ{name}" for name in found.phi), "answered", "risk", "harm")
    title = "Thresholds chosen on the validation decisions, in percent"
    table = numbers_table(title, "", *heads, min_width=_NAME)
    for row in found.thresholds:
        at = words.UNDEFINED if row.threshold is None else f"{row.threshold:.4g}"
        shares = map(words.percent, (row.coverage, row.risk, row.harm))
        table.add_row(plain(rule_name(row.rule)), at, *map(score, row.phi.values()), *shares)
    return table


def _slices(found: Trust) -> Iterator[Table]:
    for dimension in dict.fromkeys(part.dimension for part in found.slices):
        parts = [part for part in found.slices if part.dimension == dimension]
        heads = ("n", *(f"φ{name}" for name in found.phi), "answered", "risk")
        title = f"By {words.visible(dimension)}, in percent"
        table = numbers_table(title, "", *heads, min_width=_NAME)
        largest = sorted(parts, key=lambda part: -part.n)[:_MOST_SLICES]
        for part in (part for part in parts if part in largest):
            numbers = [score(value) for value in part.phi.values()]
            shares = map(words.percent, (part.coverage, part.risk))
            table.add_row(plain(part.value), words.count(part.n), *numbers, *shares)
        yield table


def _compared(systems: Sequence[Trust]) -> Table:
    penalties = list(systems[0].phi)
    heads = (*(f"φ{name}" for name in penalties), "answered", "risk", "AURC")
    table = numbers_table("All questions, in percent", "", "n", *heads)
    for found in systems:
        figures: Mapping[str, float | None] = found.phi
        shares = map(words.percent, (found.coverage, found.risk, found.aurc))
        cells = (score(figures[name]) for name in penalties)
        table.add_row(plain(found.name), words.count(found.n), *cells, *shares)
    return table
