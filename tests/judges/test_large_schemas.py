"""What a model is shown of a schema that is too large for a prompt."""

from __future__ import annotations

import time
from dataclasses import replace

from sqljury.case import Case
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.prompts.relevance import most_relevant
from sqljury.judges.prompts.sections import Dossier, message, schema_section
from sqljury.schema import Column, ForeignKey, Schema, Table

TOPICS = [
    "vessel",
    "harbour",
    "cargo",
    "crew",
    "route",
    "tide",
    "engine",
    "customs",
    "weather",
    "insurance",
]
DETAILS = [
    "name",
    "code",
    "length",
    "weight",
    "owner",
    "region",
    "phase",
    "signal",
    "reading",
    "status",
]


def warehouse(years=20):
    """2,000 columns: ten topics, a table a year, ten columns each, with descriptions."""
    tables = []
    for topic in TOPICS:
        for year in range(2000, 2000 + years):
            columns = tuple(
                Column(
                    name=f"{topic}_{detail}_{year % 7}",
                    type="VARCHAR(255)",
                    description="as reported " * 8,
                )
                for detail in DETAILS
            )
            tables.append(Table(name=f"{topic}_{year}", columns=columns))
    return Schema(dialect="snowflake", tables=tuple(tables))


def evidence(schema, question):
    case = Case(id="1", db_id="port", question=question, predicted_sql="SELECT 1")
    return DatabaseEvidence(case, None, ExecutionCache(), Limits(), schemas={"port": schema})


def test_a_prompt_has_what_the_question_is_about():
    schema = warehouse()
    known = evidence(schema, "Which owners of engines had the most signals in 2013?")
    before = time.process_time()
    for style in ("create", "columns"):
        (section,) = schema_section(known, style)
        assert len(message([section])) < 42_000
        assert "engine_owner_4" in section.text
        assert "engine_signal_4" in section.text
    assert time.process_time() - before < 2  # seconds of this thread, indexing included
    (section,) = schema_section(known, "create")
    assert "columns are shown: those that fit the question best" in section.note
    assert "-- other tables: " in section.text
    assert "tide_2001" in section.text  # at least by its name


def test_a_query_is_shown_with_what_it_names():
    columns = tuple(
        Column(name=f"c{i}", type="INTEGER", description="a number " * 4) for i in range(1990)
    )
    wide = Table(name="wide", columns=(*columns, Column(name="tonnage"), Column(name="harbour")))
    known = evidence(Schema(dialect="snowflake", tables=(wide,)), "What arrived?")
    (section,) = Dossier(known.case, known).schema(
        ["SELECT harbour, SUM(tonnage) FROM wide GROUP BY harbour"]
    )
    assert len(section.text) < 40_000
    assert "  tonnage" in section.text
    assert "  harbour" in section.text


def test_a_small_schema_is_shown_whole():
    schema = warehouse(years=1)
    (section,) = schema_section(evidence(schema, "engines"), "columns")
    assert section.note == "dialect: snowflake"
    assert all(table.name in section.text for table in schema.tables)


def cost(column):
    return len(column.name)


def test_keys_and_neighbours_come_along():
    def table(name, *columns, **keys):
        return Table(name=name, columns=tuple(Column(name=c) for c in columns), **keys)

    own = ForeignKey(columns=("ship_id",), target_table="ship", target_columns=("id",))
    schema = Schema(
        dialect="sqlite",
        tables=(
            table("aaa", *(f"a{i}" for i in range(50))),
            table("visit", "day", "ship_id", "remark", foreign_keys=(own,)),
            table("ship", "id", "tonnage", primary_key=("id",)),
        ),
    )
    found = most_relevant(schema, "tonnage of ships", 70, cost)
    assert [(t.name, [c.name for c in t.columns]) for t in found.tables] == [
        ("visit", ["day", "ship_id"]),
        ("ship", ["id", "tonnage"]),
    ]
    assert found.tables[0].foreign_keys == (own,)
    assert found.tables[1].primary_key == ("id",)
    twins = replace(schema, tables=tuple(table(f"t_{n}", "x") for n in (1, 2)))
    assert [t.name for t in most_relevant(twins, "t 2", 75, cost).tables] == ["t_2"]
