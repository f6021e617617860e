"""The results of `trust`: a document with risk-coverage curves, and a CSV file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from sqljury.decision import Decision, ReplyKind
from sqljury.reports import words
from sqljury.reports.document import (
    Block,
    CaseLine,
    CaseList,
    Plot,
    ReportDocument,
    ReportSection,
    ReportTable,
    ShownCase,
)
from sqljury.reports.plots import shape
from sqljury.reports.scatter import HEIGHT, Scale, across, down, grid, line_through
from sqljury.signature import signed
from sqljury.spreadsheet import SafeRows
from sqljury.uses.trust import Penalty, Trust, TrustFigures, reliability
from sqljury.writing import PathLike, new_file

MIX_NAMES = {"ans": "ANS", "ans_unans_25": "ANS + UnANS (25 %)", "ans_unans": "ANS + UnANS"}
BASELINE_NAMES = {
    "abstain_all": "ABSTAIN-ALL",
    "answer_all": "ANSWER-ALL",
    "oracle": "ORACLE",
}
_MOST_SLICES = 40


def tables_of(found: Trust) -> Iterator[ReportTable]:
    """All tables of one system that have rows, in the order of the report."""
    yield mixes(found)
    yield from filter(lambda table: table.rows, (_passages(found), _confidence(found)))
    yield from filter(lambda table: table.rows, (thresholds(found), *_slices(found)))


def score(value: float | None) -> str:
    """φ in percent, with commas at thousands: penalties can make it very large; a dash for None.

    >>> score(0.5239), score(-238.5), score(None)
    ('52.4', '-23,850.0', '–')
    """
    if value is None:
        return words.UNDEFINED
    text = f"{100 * value:,.1f}"
    return "0.0" if text == "-0.0" else text


def sentences(found: Trust) -> list[str]:
    """Sentences with the counts of answers, abstentions and missing replies."""
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
    """One line that says how the figures were computed."""
    return signed(
        "trust",
        ("n", found.n),
        ("answerable", found.n_answerable),
        ("left_out", found.n_left_out),
        *(("gate", f"{passage.name}>={passage.threshold:g}") for passage in found.passages),
        ("seed", found.seed),
        ("bootstrap", found.resamples),
        ("confidence", f"{found.confidence:g}"),
    )


def mixes(found: Trust) -> ReportTable:
    """A table of φ by penalty, with a row per mix and per baseline."""
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
        yield score(value) + (f"\n{score(ends[0])} to {score(ends[1])}" if ends else "")


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
    """The name of a threshold's rule in words.

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
    """A table of the thresholds chosen on the validation decisions, with the figures they give."""
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
    """A table with φ, coverage, risk and AURC, a row per system."""
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
    """A table per penalty with φ of all systems, as TrustSQL's tables 2 and 3.

    A column is a mix of answerable and unanswerable questions. A system called ``NAME@DATASET``
    is in the row NAME and in the columns of DATASET.
    """
    placed = {found.name.partition("@")[::2]: found for found in systems}
    names = list(dict.fromkeys(name for name, _ in placed))
    data = list(dict.fromkeys(dataset for _, dataset in placed))
    columns = [(mix, dataset) for mix in MIX_NAMES for dataset in data]
    heads = ["", *("\n".join(filter(None, (MIX_NAMES[mix], name))) for mix, name in columns)]
    one_of = {dataset: found for (_, dataset), found in placed.items()}
    mixed = [one_of[dataset].mixes[mix] for mix, dataset in columns]
    # φ of abstaining from everything does not depend on the penalty.
    abstaining = [
        score(m.n_unanswerable / m.n) if m.n_unanswerable else words.UNDEFINED for m in mixed
    ]
    for penalty in systems[0].phi:
        rows = [[BASELINE_NAMES["abstain_all"], *abstaining]]
        for name in names:
            found = [(placed.get((name, dataset)), mix) for mix, dataset in columns]
            phi = ("" if one is None else score(one.mixes[mix].phi[penalty]) for one, mix in found)
            rows.append([words.visible(name), *phi])
        yield ReportTable(caption=f"φ{penalty}, in percent", heads=heads, rows=rows)


_FIELDS = ("system", "benchmark", "id", "answerable", "reply", "correct", "outcome", "confidence")


def write_trust_csv(
    path: PathLike,
    systems: Iterable[Trust],
    penalties: Sequence[Penalty],
) -> None:
    """Write a row per question with the reply and its scores, empty if it is left out.

    Raises:
        InputError: the file cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write([*_FIELDS, *(f"phi_{penalty.name}" for penalty in penalties)])
        for found in systems:
            for decision in found.decisions:
                scores = [
                    "" if decision.left_out else reliability(decision, penalty.of(found.n))
                    for penalty in penalties
                ]
                rows.write([found.name, *_cells(decision), *scores])


def _cells(decision: Decision) -> list[object]:
    correct = "" if decision.correct is None else str(decision.correct).lower()
    return [
        decision.benchmark,
        decision.id,
        str(decision.answerable).lower(),
        str(decision.reply),
        correct,
        decision.outcome or "",
        "" if decision.confidence is None else decision.confidence,
    ]


def risk_curves(systems: Sequence[tuple[int, Trust]]) -> Markup:
    """The SVG of risk at coverage, with a line per system.

    Marks on a line show its end, where every answer with a confidence is given, and the thresholds
    that were chosen on validation decisions.
    Args:
        systems: with the number of the series, which selects colour and mark.
    """
    x = Scale.percent("coverage, %", (0.0, 1.0))
    risks = [point.risk for _, found in systems for point in found.curve]
    risks += [row.risk for _, found in systems for row in found.thresholds if row.risk is not None]
    y = Scale.percent("risk, %", (0.0, *risks))
    said = "; ".join(
        f"{found.name} {y.said(found.curve[0].risk)} at {x.said(found.curve[0].coverage)}, "
        f"{y.said(found.curve[-1].risk)} at {x.said(found.curve[-1].coverage)}"
        for _, found in systems
    )
    lines = [_curve(series, found, x, y) for series, found in systems]
    return Markup(
        '<svg class="plot curves" height="{}" role="img" aria-label="Risk at coverage: {}">{}</svg>'
    ).format(HEIGHT, said, Markup("").join([*grid(x, y), *lines]))


def _curve(series: int, found: Trust, x: Scale, y: Scale) -> Markup:
    last = found.curve[-1]
    marked = [(rule_name(row.rule), row.coverage, row.risk) for row in found.thresholds]
    parts = [line_through((across(x, p.coverage), down(y, p.risk)) for p in found.curve)]
    for name, coverage, risk in [*marked, ("all that has a confidence", last.coverage, last.risk)]:
        if coverage and risk is not None:
            said = f"{found.name}, {name}: {x.said(coverage)} % answered, {y.said(risk)} % wrong"
            place = round(across(x, coverage), 3), round(down(y, risk), 2)
            mark = Markup('<svg x="{}%" y="{}"><title>{}</title>{}</svg>')
            parts.append(mark.format(*place, said, shape(series)))
    return Markup('<g class="s{}">{}</g>').format(series % 6, Markup("").join(parts))


_NOTES = (
    "φ rewards right answers and abstentions from what cannot be answered with 1, and charges c "
    "for each wrong answer; N is the number of questions. ABSTAIN-ALL never answers, ANSWER-ALL "
    "always does, ORACLE answers exactly where the SQL is right.",
    "Coverage: the share of questions that are answered. Risk: the share of answers that are "
    "wrong, answers to the unanswerable included.",
)


def trust_document(systems: Sequence[Trust]) -> ReportDocument:
    """The report of some systems: scores, baselines, thresholds, slices and curves."""
    names = ", ".join(words.visible(found.name) for found in systems)
    return ReportDocument(
        title=f"Trust: {names}",
        lead="Answers and abstentions scored together, in percent.",
        sections=list(_sections(systems)),
        notes=_NOTES,
        signature=" ".join(dict.fromkeys(map(trust_signature, systems))),
    )


def _sections(systems: Sequence[Trust]) -> Iterator[ReportSection]:
    if len(systems) > 1:
        blocks: list[Block] = [compared(systems), *side_by_side(systems), *_plot(systems)]
        yield ReportSection(title="All systems", blocks=blocks)
    for series, found in enumerate(systems):
        first, *rest = tables_of(found)
        own = _plot([found], series) if len(systems) == 1 else []
        yield ReportSection(
            title=words.visible(found.name),
            lines=sentences(found),
            blocks=[first, *own, *rest, *_costly(found)],
        )


def _plot(systems: Sequence[Trust], first: int = 0) -> list[Plot]:
    """The plot of the systems that have confidences; empty if none has."""
    curves = [(series, found) for series, found in enumerate(systems, first) if found.curve]
    if not curves:
        return []
    legend = [(series, words.visible(found.name)) for series, found in curves]
    caption = "Risk of answering only what is surest"
    if any(found.thresholds for _, found in curves):
        caption += "; marked: thresholds chosen on the validation decisions"
    return [Plot(caption=caption, plot=risk_curves(curves), legend=legend)]


# ---------------------------------------------------------------- the questions behind the scores


def _costly(found: Trust) -> Iterator[CaseList]:
    """Lists of the questions that lower φ: wrong answers, and answers that were not given."""
    kept = [one for one in found.decisions if not one.left_out]
    lists = {
        "Answers to unanswerable questions": [d for d in kept if d.is_wrong and not d.answerable],
        "Wrong answers": [d for d in kept if d.is_wrong and d.answerable],
        "Answerable, but not answered": [
            d for d in kept if d.answerable and d.reply is ReplyKind.ABSTAINED
        ],
    }
    for caption, decisions in lists.items():
        if decisions:
            # The most confident first: no threshold would withhold those.
            ordered = sorted(decisions, key=lambda one: -(one.confidence or 0.0))
            named = f"{caption} ({words.count(len(decisions))})"
            yield CaseList.of(named, list(map(_shown, ordered)))


def _shown(decision: Decision) -> ShownCase:
    sure = "" if decision.confidence is None else f"confidence {decision.confidence:.3g}"
    outcome = str(decision.outcome or "").replace("_", " ")
    note = ", ".join(filter(None, (decision.slices.get("type"), outcome, sure)))
    name = "withheld:" if decision.reply is ReplyKind.ABSTAINED else "answered:"
    queries = [CaseLine(name=name, sql=decision.sql)] if decision.sql else []
    return ShownCase(id=decision.id, question=decision.question, note=note, lines=queries)
