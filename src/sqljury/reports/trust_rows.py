"""The tables of `trust`, for the terminal and for a page: reliability, gates, risk and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqljury.reports import words
from sqljury.reports.sections import ReportTable
from sqljury.uses.statistics import Interval
from sqljury.uses.trust import Trust, TrustFigures
from sqljury.version import __version__

MIX_NAMES = {"ans": "ANS", "ans_unans_25": "ANS + UnANS (25 %)", "ans_unans": "ANS + UnANS"}
BASELINE_NAMES = {
    "abstain_all": "ABSTAIN-ALL",
    "answer_all": "ANSWER-ALL",
    "oracle": "ORACLE",
}
_MOST_SLICES = 40


def tables_of(found: Trust) -> Iterator[ReportTable]:
    """All tables of one system, in the order in which they are read; none is empty."""
    yield mixes(found)
    yield from filter(lambda table: table.rows, (_passages(found), _confidence(found)))
    yield from filter(lambda table: table.rows, (thresholds(found), *_slices(found)))


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


def mixes(found: Trust) -> ReportTable:
    """φ by penalty of the mixes and of the baselines."""
    penalties = list(found.phi)
    rows = [
        [MIX_NAMES[name], words.count(figures.n), *_phis(figures)]
        for name, figures in found.mixes.items()
    ]
    rows += [
        [BASELINE_NAMES[name], words.count(found.n), *(score(phi[p]) for p in penalties)]
        for name, phi in found.baselines.items()
    ]
    heads = ["", "n", *(f"φ{name}" for name in penalties)]
    return ReportTable(caption="Reliability score, in percent", heads=heads, rows=rows)


def _phis(figures: TrustFigures) -> Iterator[str]:
    for name, value in figures.phi.items():
        ends = figures.intervals.get(name)
        yield score(value) + (f"\n{_between(ends)}" if ends else "")


def _between(ends: Interval) -> str:
    return f"{score(ends[0])} to {score(ends[1])}"


def _passages(found: Trust) -> ReportTable:
    rows = [
        [
            words.visible(gate.name),
            f"{gate.threshold:g}",
            *map(words.count, (gate.reached, gate.held_back, gate.silent)),
        ]
        for gate in found.passages
    ]
    heads = ["", "from", "reached", "held back", "said nothing"]
    return ReportTable(caption="Gates", heads=heads, rows=rows)


def _confidence(found: Trust) -> ReportTable:
    rows = [] if found.aurc is None else [["AURC", words.percent(found.aurc, 2)]]
    for title, values in (
        ("accuracy at coverage", found.accuracy_at),
        ("coverage at risk", found.coverage_at),
    ):
        if found.aurc is not None:
            rows += [
                [f"{title} {words.percent(float(at), 0)} %", words.percent(value)]
                for at, value in values.items()
            ]
    return ReportTable(caption="By confidence, in percent", heads=["", ""], rows=rows)


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


def thresholds(found: Trust) -> ReportTable:
    """What the thresholds do that were chosen on the validation decisions."""
    rows = []
    for row in found.thresholds:
        at = words.UNDEFINED if row.threshold is None else f"{row.threshold:.4g}"
        shares = map(words.percent, (row.coverage, row.risk, row.harm))
        rows.append([rule_name(row.rule), at, *map(score, row.phi.values()), *shares])
    heads = ["", "from", *(f"φ{name}" for name in found.phi), "answered", "risk", "harm"]
    title = "Thresholds chosen on the validation decisions, in percent"
    return ReportTable(caption=title, heads=heads, rows=rows)


def _slices(found: Trust) -> Iterator[ReportTable]:
    for dimension in dict.fromkeys(part.dimension for part in found.slices):
        parts = [part for part in found.slices if part.dimension == dimension]
        largest = sorted(parts, key=lambda part: -part.n)[:_MOST_SLICES]
        rows = [
            [
                words.visible(part.value),
                words.count(part.n),
                *(score(value) for value in part.phi.values()),
                *map(words.percent, (part.coverage, part.risk)),
            ]
            for part in parts
            if part in largest
        ]
        heads = ["", "n", *(f"φ{name}" for name in found.phi), "answered", "risk"]
        title = f"By {words.visible(dimension)}, in percent"
        yield ReportTable(caption=title, heads=heads, rows=rows)


def compared(systems: Sequence[Trust]) -> ReportTable:
    """All systems side by side."""
    penalties = list(systems[0].phi)
    rows = [
        [
            words.visible(found.name),
            words.count(found.n),
            *(score(found.phi[name]) for name in penalties),
            *map(words.percent, (found.coverage, found.risk, found.aurc)),
        ]
        for found in systems
    ]
    heads = ["", "n", *(f"φ{name}" for name in penalties), "answered", "risk", "AURC"]
    return ReportTable(caption="All questions, in percent", heads=heads, rows=rows)


def side_by_side(systems: Sequence[Trust]) -> Iterator[ReportTable]:
    """φ of all systems on all mixes, a table for each penalty: TrustSQL's tables 2 and 3.

    Of a system called ``NAME@DATASET`` the row is its name, and the column its data set.
    """
    placed = {_place(found): found for found in systems}
    names = list(dict.fromkeys(name for name, _ in placed))
    data = list(dict.fromkeys(dataset for _, dataset in placed))
    columns = [(mix, dataset) for mix in MIX_NAMES for dataset in data]
    heads = ["", *("\n".join(filter(None, (MIX_NAMES[mix], name))) for mix, name in columns)]
    one_of = {dataset: found for (_, dataset), found in placed.items()}
    abstaining = [_share_unanswerable(one_of[dataset].mixes[mix]) for mix, dataset in columns]
    for penalty in systems[0].phi:
        rows = [[BASELINE_NAMES["abstain_all"], *abstaining]]
        for name in names:
            found = [(placed.get((name, dataset)), mix) for mix, dataset in columns]
            phi = ("" if one is None else score(one.mixes[mix].phi[penalty]) for one, mix in found)
            rows.append([words.visible(name), *phi])
        yield ReportTable(caption=f"φ{penalty}, in percent", heads=heads, rows=rows)


def _place(found: Trust) -> tuple[str, str]:
    name, _, dataset = found.name.partition("@")
    return name, dataset


def _share_unanswerable(figures: TrustFigures) -> str:
    """What abstaining from everything earns, under every penalty."""
    if not figures.n_unanswerable:
        return words.UNDEFINED
    return score(figures.n_unanswerable / figures.n)
