"""Each check finds its fault, and stays silent on the near miss beside it."""

from __future__ import annotations

import pytest

from sqljury.faults import all_checks

# code, question, hint, query with the fault, near miss without it
PAIRS = [
    (
        "AU101",
        "Which boats are sail boats?",
        "",
        "SELECT name FROM boat WHERE kind = 'sailboat'",
        "SELECT name FROM boat WHERE kind = 'Sail Boat'",
    ),
    (
        "AU102",
        "Which ports are in Norway?",
        "",
        "SELECT id FROM port WHERE name = 'Norway'",
        "SELECT id FROM port WHERE country = 'Norway'",
    ),
    (
        "AU103",
        "Which ports are in Chile?",
        "",
        "SELECT id FROM port WHERE country = 'Chile'",
        "SELECT id FROM port WHERE country = 'Portugal'",
    ),
    (
        "AU104",
        "Which names contain the letter n?",
        "",
        "SELECT id FROM boat WHERE name LIKE 'n'",
        "SELECT id FROM boat WHERE name LIKE '%n%'",
    ),
    (
        "AU105",
        "Which names start with A?",
        "",
        "SELECT id FROM boat WHERE name = 'A%'",
        "SELECT id FROM boat WHERE name LIKE 'A%'",
    ),
    (
        "AU106",
        "Which names start with An?",
        "",
        "SELECT id FROM boat WHERE name LIKE '%An'",
        "SELECT id FROM boat WHERE name LIKE 'An%'",
    ),
    (
        "AU107",
        "Which depth is not known?",
        "",
        "SELECT id FROM port WHERE depth = NULL",
        "SELECT id FROM port WHERE depth IS NULL",
    ),
    (
        "AU108",
        "Which depth is not known?",
        "",
        "SELECT id FROM port WHERE depth = 'null'",
        "SELECT id FROM port WHERE name = 'null'",
    ),
    (
        "AU109",
        "Which trips were in 2020?",
        "",
        "SELECT id FROM trip WHERE strftime('%Y', day) = 2020",
        "SELECT id FROM trip WHERE strftime('%Y', day) = '2020'",
    ),
    (
        "AU110",
        "Which boats are of the kind name?",
        "",
        'SELECT id FROM boat WHERE kind = "name"',
        'SELECT id FROM boat WHERE kind = "tug"',
    ),
    (
        "AU111",
        "Which are ferries or tugs?",
        "",
        "SELECT id FROM boat WHERE (kind = 'tug' || kind = 'ferry')",
        "SELECT kind || name FROM boat",
    ),
    (
        "AU112",
        "",
        "",
        "SELECT id FROM boat WHERE crew = 3 AND kind = 'tug' OR kind = 'ferry'",
        "SELECT id FROM boat WHERE crew = 3 AND (kind = 'tug' OR kind = 'ferry')",
    ),
    (
        "AU113",
        "",
        "",
        "SELECT fare / fare FROM trip",
        "SELECT fare / passengers FROM trip",
    ),
    ("AU201", "", "", "SELECT nothing FROM boat", "SELECT name FROM boat"),
    (
        "AU202",
        "",
        "",
        "SELECT name FROM boat WHERE crew > 100",
        "SELECT name FROM boat WHERE crew > 1",
    ),
    (
        "AU203",
        "",
        "",
        "SELECT MAX(length) FROM boat WHERE crew > 100",
        "SELECT MAX(length) FROM boat",
    ),
    (
        "AU204",
        "",
        "",
        "SELECT name FROM boat ORDER BY length LIMIT 1",
        "SELECT name FROM boat ORDER BY length DESC LIMIT 1",
    ),
    (
        "AU205",
        "",
        "",
        "SELECT name FROM boat ORDER BY max_speed LIMIT 1",
        "SELECT name FROM boat ORDER BY max_speed DESC LIMIT 1",
    ),
    (
        "AU206",
        "Which boats made a trip?",
        "",
        "SELECT name FROM boat JOIN trip ON boat.id = trip.boat_id",
        "SELECT DISTINCT name FROM boat JOIN trip ON boat.id = trip.boat_id",
    ),
    (
        "AU207",
        "Which different kinds of boats are there?",
        "",
        "SELECT kind FROM boat",
        "SELECT DISTINCT kind FROM boat",
    ),
    (
        "AU301",
        "",
        "",
        "SELECT name FROM port ORDER BY depth DESC LIMIT 1",
        "SELECT name FROM port ORDER BY CAST(depth AS INTEGER) DESC LIMIT 1",
    ),
    (
        "AU301",
        "",
        "",
        "SELECT MIN(opened) FROM port",
        "SELECT MIN(day) FROM trip",
    ),
    (
        "AU301",
        "",
        "",
        "SELECT name FROM port WHERE depth > 11 OR depth > 8",
        "SELECT name FROM port WHERE depth > 0",
    ),
    (
        "AU302",
        "",
        "",
        "SELECT SUM(fare) / COUNT(*) FROM trip",
        "SELECT SUM(fare) * 1.0 / COUNT(*) FROM trip",
    ),
    (
        "AU401",
        "How many boats made a trip?",
        "",
        "SELECT COUNT(boat.id) FROM boat JOIN trip ON boat.id = trip.boat_id",
        "SELECT COUNT(trip.id) FROM boat JOIN trip ON boat.id = trip.boat_id",
    ),
    (
        "AU402",
        "What is the length of boats on trips?",
        "",
        "SELECT SUM(length) FROM boat JOIN trip ON boat.id = trip.boat_id",
        "SELECT SUM(fare) FROM boat JOIN trip ON boat.id = trip.boat_id",
    ),
    (
        "AU403",
        "How many trips did the boats make?",
        "",
        "SELECT name, COUNT(*) FROM boat JOIN trip ON boat.id = trip.boat_id GROUP BY name",
        "SELECT name, COUNT(*) FROM boat JOIN trip ON boat.id = trip.boat_id GROUP BY boat.id",
    ),
    (
        "AU404",
        "",
        "",
        "SELECT kind, name, COUNT(*) FROM boat GROUP BY port_id",
        "SELECT id, name, COUNT(*) FROM boat GROUP BY id",
    ),
    (
        "AU405",
        "How many trips did each boat make?",
        "",
        "SELECT boat.id, COUNT(*) FROM boat JOIN trip ON boat.id = trip.boat_id GROUP BY boat.id",
        "SELECT boat.id, COUNT(trip.id) FROM boat LEFT JOIN trip ON boat.id = trip.boat_id "
        "GROUP BY boat.id",
    ),
    (
        "AU406",
        "",
        "",
        "SELECT * FROM boat JOIN trip ON boat.id = trip.id",
        "SELECT * FROM boat JOIN trip ON boat.id = trip.boat_id",
    ),
    (
        "AU407",
        "",
        "",
        "SELECT * FROM crew_member JOIN trip ON crew_member.id = trip.id",
        "SELECT * FROM crew_member JOIN boat ON crew_member.port_id = boat.port_id",
    ),
    (
        "AU408",
        "",
        "",
        "SELECT boat.name FROM boat, trip WHERE fare > 3",
        "SELECT boat.name FROM boat, trip WHERE fare > 3 AND boat.id = boat_id",
    ),
    (
        "AU409",
        "What is the length of ferries in Norway?",
        "",
        "SELECT length FROM boat JOIN port ON port.id = port_id JOIN trip ON boat.id = boat_id "
        "WHERE kind = 'ferry' AND country = 'Norway'",
        "SELECT length FROM boat JOIN port ON port.id = port_id JOIN trip ON boat.id = boat_id "
        "WHERE fare > 10 AND country = 'Norway'",
    ),
    (
        "AU410",
        "How many boats made a trip?",
        "",
        "SELECT COUNT(boat.id) FROM boat JOIN trip ON boat.id = trip.boat_id",
        "SELECT COUNT(DISTINCT boat.id) FROM boat JOIN trip ON boat.id = trip.boat_id",
    ),
    (
        "AU411",
        "What is the length of ferries?",
        "",
        "SELECT length FROM boat JOIN port ON port.id = port_id WHERE kind = 'ferry'",
        "SELECT length FROM boat JOIN port ON port.id = port_id WHERE country = 'Norway'",
    ),
    (
        "AU501",
        "Which is the longest boat?",
        "",
        "SELECT name FROM boat ORDER BY length LIMIT 1",
        "SELECT name FROM boat ORDER BY length DESC LIMIT 1",
    ),
    (
        "AU502",
        "Which are ferries?",
        "ferries refers to kind = 'ferry'",
        "SELECT name FROM boat WHERE kind = 'Ferries'",
        "SELECT name FROM boat WHERE kind = 'ferry'",
    ),
    (
        "AU503",
        "Which are large ferries?",
        "large refers to crew > 2",
        "SELECT name FROM boat WHERE kind = 'ferry'",
        "SELECT name FROM boat WHERE kind = 'ferry' AND crew > 2",
    ),
    (
        "AU504",
        "How fast is Anna?",
        "how fast refers to max_speed;",
        "SELECT length FROM boat WHERE name = 'Anna'",
        "SELECT max_speed FROM boat WHERE name = 'Anna'",
    ),
    (
        "AU505",
        "What share are tugs?",
        "DIVIDE(COUNT(kind = 'tug'), COUNT(id))",
        "SELECT COUNT(*) FROM boat WHERE kind = 'tug'",
        "SELECT SUM(kind = 'tug') * 1.0 / COUNT(id) FROM boat",
    ),
    (
        "AU506",
        "Which boats have a crew of 3?",
        "",
        "SELECT name FROM boat WHERE crew = 7",
        "SELECT name FROM boat WHERE crew = 3",
    ),
    (
        "AU507",
        "Which boats have a crew of 35?",
        "",
        "SELECT name FROM boat WHERE kind = 'ferry'",
        "SELECT name FROM boat WHERE crew > 34",
    ),
    (
        "AU508",
        "Which boats are ferries?",
        "",
        "SELECT name FROM boat WHERE name = 'Dora'",
        "SELECT name FROM boat WHERE kind = 'ferry'",
    ),
    (
        "AU509",
        "Which kind is the boat 'Dora'?",
        "",
        "SELECT kind FROM boat WHERE name = 'Anna'",
        "SELECT kind FROM boat WHERE name = 'Dora'",
    ),
    (
        "AU510",
        "Show the top 3 boats by length.",
        "",
        "SELECT name FROM boat ORDER BY length DESC LIMIT 1",
        "SELECT name FROM boat ORDER BY length DESC LIMIT 3",
    ),
    (
        "AU511",
        "Which boats have a crew of more than 2?",
        "",
        "SELECT name FROM boat WHERE crew >= 2",
        "SELECT name FROM boat WHERE crew > 2",
    ),
    (
        "AU512",
        "What is the average fare?",
        "",
        "SELECT fare FROM trip",
        "SELECT AVG(fare) FROM trip",
    ),
    (
        "AU513",
        "Which boats have never made a trip?",
        "",
        "SELECT name FROM boat JOIN trip ON boat.id = boat_id",
        "SELECT name FROM boat WHERE id NOT IN (SELECT boat_id FROM trip)",
    ),
    (
        "AU514",
        "Show the kind and length of all boats.",
        "",
        "SELECT kind FROM boat",
        "SELECT kind, length FROM boat",
    ),
    (
        "AU515",
        "How many boats are there?",
        "",
        "SELECT COUNT(*), kind FROM boat",
        "SELECT COUNT(*) FROM boat",
    ),
    (
        "AU516",
        "",
        "",
        "SELECT name FROM boat EXCEPT SELECT name FROM boat WHERE length > 11",
        "SELECT id FROM boat EXCEPT SELECT id FROM boat WHERE length > 11",
    ),
    (
        "AU517",
        "What is the sum?",
        "",
        "SELECT SUM(x) FROM (SELECT crew AS x FROM boat UNION SELECT fare FROM trip)",
        "SELECT SUM(x) FROM (SELECT crew AS x FROM boat UNION ALL SELECT fare FROM trip)",
    ),
    (
        "AU518",
        "Which boat is the fastest and longest?",
        "",
        "SELECT name FROM boat",
        "SELECT name FROM boat ORDER BY length DESC LIMIT 1",
    ),
    (
        "AU519",
        "Show the boats sorted by name.",
        "",
        "SELECT name FROM boat",
        "SELECT name FROM boat ORDER BY name",
    ),
    (
        "AU520",
        "What is the average fare for each boat?",
        "",
        "SELECT AVG(fare) FROM trip",
        "SELECT AVG(fare) FROM trip GROUP BY boat_id",
    ),
    (
        "AU521",
        "What percentage of boats are tugs?",
        "percentage = count of tugs / count of all * 100",
        "SELECT SUM(kind = 'tug') * 1.0 / COUNT(*) FROM boat",
        "SELECT SUM(kind = 'tug') * 100.0 / COUNT(*) FROM boat",
    ),
    (
        "AU523",
        "What is the max speed of Anna?",
        "",
        "SELECT length FROM boat WHERE name = 'Anna'",
        "SELECT max_speed FROM boat WHERE name = 'Anna'",
    ),
    (
        "AU524",
        "What does it cost?",
        "cost refers to trip.fare",
        "SELECT crew FROM boat",
        "SELECT fare FROM trip",
    ),
    (
        "AU525",
        "Which trips were in spring?",
        "spring refers to 202103",
        "SELECT id FROM trip WHERE day > '2020'",
        "SELECT id FROM trip WHERE day LIKE '2021-03%'",
    ),
    (
        "AU526",
        "Which ports are shallow?",
        "shallow refers to depth is null",
        "SELECT name FROM port WHERE country = 'Norway'",
        "SELECT name FROM port WHERE depth IS NULL",
    ),
]


WITHOUT_ROWS = {"AU410"}


@pytest.mark.parametrize(("code", "question", "hint", "faulty", "near"), PAIRS)
def test_fault_and_near_miss(find, code, question, hint, faulty, near) -> None:
    rows = code not in WITHOUT_ROWS
    assert find(code, faulty, question, hint, rows=rows), "the fault is not found"
    assert not find(code, near, question, hint, rows=rows), "the near miss is reported"


def test_every_check_has_a_pair() -> None:
    assert {check.code for check in all_checks()} == {code for code, *_ in PAIRS}


def test_hints_are_checks_that_were_right_in_fewer_than_half() -> None:
    weak = {check.code for check in all_checks() if check.weak}
    seldom = {check.code for check in all_checks() if check.read[0] * 2 < check.read[1]}
    # COUNT over a join that may repeat rows: nothing shows that it does.
    assert weak == seldom | {"AU410"}


def test_every_check_says_what_it_finds() -> None:
    titles = [check.title for check in all_checks()]
    assert all(title.endswith(".") for title in titles)
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("code", "sql", "proposal"),
    [
        (
            "AU101",
            "SELECT name FROM boat WHERE kind = 'sailboat' -- all",
            "SELECT name FROM boat WHERE kind = 'Sail Boat' -- all",
        ),
        (
            "AU205",
            "SELECT name FROM boat ORDER BY max_speed LIMIT 1",
            "SELECT name FROM boat WHERE NOT max_speed IS NULL ORDER BY max_speed LIMIT 1",
        ),
        (
            "AU302",
            "SELECT SUM(fare) / COUNT(*) FROM trip",
            "SELECT CAST(SUM(fare) AS REAL) / COUNT(*) FROM trip",
        ),
    ],
)
def test_proposals(find, code, sql, proposal) -> None:
    assert find(code, sql)[0].proposal == proposal


def test_division_that_leaves_nothing_over_is_no_fault(find) -> None:
    assert not find("AU302", "SELECT fare / 5 FROM trip")
    assert not find("AU302", "SELECT SUM(fare) / COUNT(crew) FROM trip, boat WHERE fare = 10")


def test_evidence_shows_the_rows(find) -> None:
    (found,) = find("AU204", "SELECT name FROM boat ORDER BY length LIMIT 1")
    assert [found.evidence["kept"], found.evidence["cut"]] == [[["Bela"]], [["Dora"]]]


def test_without_rows_only_checks_of_texts_look(find) -> None:
    assert not find("AU204", "SELECT name FROM boat ORDER BY length LIMIT 1", rows=False)
    assert find("AU107", "SELECT id FROM port WHERE depth = NULL", rows=False)
