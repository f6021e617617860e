"""The card of a file of pairs: its figures, and its text as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.reports import words
from sqljury.reports.document import ReportDocument, ReportSection, ReportTable
from sqljury.reports.markup import markdown_table
from sqljury.signature import signed
from sqljury.sql import parse
from sqljury.uses.building.pairs.pair import HOW, LabelledPair
from sqljury.uses.building.pairs.proposals import Proposed
from sqljury.version import __version__

if TYPE_CHECKING:
    from sqlglot import exp


KEYWORDS = (
    "Where",
    "Join",
    "Group By",
    "Order By",
    "Limit",
    "Subquery",
    "Union",
    "Aggregation",
    "Count",
    "Average",
    "MinMax",
    "Sum",
    "Distinct",
    "StrFunc",
    "Regex Filter",
    "Cast",
)


def keyword_shares(queries: Iterable[str], dialect: str = "sqlite") -> dict[str, float]:
    """The percentage of queries with each keyword; set operations count as Union."""
    counts = dict.fromkeys(KEYWORDS, 0)
    n = 0
    for sql in queries:
        n += 1
        tree = parse(sql, dialect)
        for name, is_there in _tests().items():
            counts[name] += tree is not None and is_there(tree)
    return {name: round(100 * count / max(n, 1), 2) for name, count in counts.items()}


def _tests() -> dict[str, Callable[[exp.Expr], bool]]:
    from sqlglot import exp

    def has(*types: type[exp.Expr]) -> Callable[[exp.Expr], bool]:
        return lambda tree: tree.find(*types) is not None

    return {
        "Where": has(exp.Where),
        "Join": has(exp.Join),
        "Group By": has(exp.Group),
        "Order By": has(exp.Order),
        "Limit": has(exp.Limit),
        "Subquery": has(exp.Subquery, exp.Exists, exp.CTE),
        "Union": has(exp.SetOperation),
        "Aggregation": has(exp.AggFunc),
        "Count": has(exp.Count),
        "Average": has(exp.Avg),
        "MinMax": has(exp.Min, exp.Max),
        "Sum": has(exp.Sum),
        "Distinct": has(exp.Distinct),
        "StrFunc": has(exp.Substring, exp.Upper, exp.Lower, exp.Trim, exp.DPipe, exp.Length),
        "Regex Filter": has(exp.Like, exp.RegexpLike, exp.Glob),
        "Cast": has(exp.Cast),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsCard:
    """The figures of a file of pairs: numbers of pairs, unless a field says otherwise.

    Args:
        references: the number of references with different canonical forms.
        excluded: the number of these that are left out, because models are evaluated on them.
        splits: by split, the numbers of pairs, equivalent pairs and databases.
        origins: by origin of the prediction, the numbers of equivalent and different pairs.
        how: by what decided the label, the number of pairs that are kept.
        kinds: by kind of change, the numbers of equivalent and different pairs.
        undecided: by reason, the number of pairs without a label.
        keywords: the percentage of references and of predictions with each keyword.
    """

    name: str
    seed: int
    sources: tuple[str, ...]
    excluded_sources: tuple[str, ...]
    references: int
    excluded: int
    proposed: int
    splits: Mapping[str, Mapping[str, int]]
    origins: Mapping[str, Mapping[str, int]]
    how: Mapping[str, int]
    kinds: Mapping[str, Mapping[str, int]]
    undecided: Mapping[str, int]
    keywords: Mapping[str, Mapping[str, float]]

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""

        return {"sqljury": __version__, **asdict(self)}


def pairs_card(
    proposed: Sequence[Proposed],
    labelled: Sequence[LabelledPair],
    kept: Sequence[LabelledPair],
    split_of: Mapping[str, str],
    *,
    name: str,
    seed: int,
    sources: Sequence[str],
    excluded_sources: Sequence[str],
) -> PairsCard:
    """The card with the figures of the pairs that were proposed, labelled and kept."""
    return PairsCard(
        name=name,
        seed=seed,
        sources=tuple(sources),
        excluded_sources=tuple(excluded_sources),
        references=sum(one.references for one in proposed),
        excluded=sum(one.excluded for one in proposed),
        proposed=len(labelled),
        splits=_splits(kept, split_of),
        origins=_by_label((one.pair.origin, one) for one in kept),
        how=dict(Counter(one.how for one in kept).most_common()),
        kinds=_by_label((kind, one) for one in kept for kind in dict.fromkeys(one.pair.kinds)),
        undecided=dict(Counter(one.how for one in labelled if one.label is None).most_common()),
        keywords={
            "reference": keyword_shares(one.pair.reference for one in kept),
            "prediction": keyword_shares(one.pair.prediction for one in kept),
        },
    )


def _splits(kept: Sequence[LabelledPair], split_of: Mapping[str, str]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name in sorted(set(split_of.values())):
        own = [one for one in kept if split_of[one.pair.db_id] == name]
        found[name] = {
            "pairs": len(own),
            "equivalent": sum(one.label is True for one in own),
            "databases": len({one.pair.db_id for one in own}),
        }
    return found


def _by_label(named: Iterable[tuple[str, LabelledPair]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name, one in named:
        counts = found.setdefault(name, {"equivalent": 0, "different": 0})
        counts["equivalent" if one.label else "different"] += 1
    return dict(sorted(found.items()))


def pairs_card_text(card: PairsCard) -> str:
    """The card as Markdown: sizes, what decided the labels, the queries' keywords."""
    return "\n".join(_pair_lines(card)) + "\n"


def _pair_lines(card: PairsCard) -> Iterator[str]:

    yield f"# {card.name}\n"
    yield "Pairs of SQL queries with labels: 1 where both return the same rows on every database,"
    yield f"0 where they do not. Built by sqljury {__version__} with seed {card.seed} from"
    yield f"{_files(card.sources)}: {words.count(card.references)} different references, of which"
    yield f"{words.count(card.excluded)} were left out, as queries with their canonical form are"
    yield f"evaluated on ({_files(card.excluded_sources) or 'nothing was excluded'}).\n"
    yield from markdown_table(
        ["split", "pairs", "equivalent", "databases"],
        ([name, *map(words.count, part.values())] for name, part in card.splits.items()),
    )
    yield "\nNo database is in two splits. What decided the labels:\n"
    yield from markdown_table(
        ["how", "pairs", ""], ([how, words.count(n), HOW[how]] for how, n in card.how.items())
    )
    yield f"\n{words.count(card.proposed)} pairs were looked at; without a label stayed:\n"
    yield from markdown_table(
        ["why", "pairs"], ([why, words.count(n)] for why, n in card.undecided.items())
    )
    yield "\nHow many percent of the queries use what (the rows of table 6 of FuncEvalGMN):\n"
    names = list(card.keywords)
    yield from markdown_table(
        ["keyword", *names],
        (
            [keyword, *(f"{card.keywords[name][keyword]:.2f}" for name in names)]
            for keyword in next(iter(card.keywords.values()))
        ),
    )
    yield "\nWhere the predictions come from, and by which changes (a pair may have several):\n"
    yield from markdown_table(
        ["change", "equivalent", "different"],
        (
            [name, *map(words.count, counts.values())]
            for part in (card.origins, card.kinds)
            for name, counts in part.items()
        ),
    )


def _files(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


_SIDES = ("references", "predictions")


def keywords_document(found: Mapping[str, Mapping[str, Any]]) -> ReportDocument:
    """The report of keywords: the percentage of each side's queries with each keyword.

    Args:
        found: by file, the number of cases ``n`` and the percentages of each side.
    """
    cases = (f"{words.visible(name)}: {words.count(one['n'])} cases" for name, one in found.items())
    tables = []
    for name, one in found.items():
        sides = [side for side in _SIDES if side in one]
        keywords = one[sides[0]] if sides else {}
        rows = [[word, *(f"{one[side][word]:.2f}" for side in sides)] for word in keywords]
        caption = words.visible(Path(name).name)
        tables.append(ReportTable(caption=caption, heads=["keyword", *sides], rows=rows))
    return ReportDocument(
        title="Keywords",
        lead="; ".join(cases) + ".",
        sections=[ReportSection(title="Queries with each keyword, in percent", blocks=tables)],
        signature=signed("keywords"),
    )
