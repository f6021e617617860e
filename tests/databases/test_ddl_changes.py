"""Schema scripts that take back what they said: statements work in their order."""

from __future__ import annotations

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.errors import InputError
from sqljury.schema import Table

MADE = "CREATE TABLE t (id INT NOT NULL, a INT NOT NULL, b VARCHAR(9), "
NOTHING_UNIQUE = [
    MADE + "CONSTRAINT u UNIQUE (a)); ALTER TABLE t DROP CONSTRAINT u;",
    MADE + "UNIQUE (a)); ALTER TABLE t DROP CONSTRAINT t_a_key;",
    MADE + "UNIQUE KEY u (a)); ALTER TABLE t DROP INDEX u;",
    MADE + "UNIQUE KEY (a)); ALTER TABLE t DROP KEY a;",
    MADE + "UNIQUE KEY u (a)); DROP INDEX u ON t;",
    MADE + "CHECK (a > 0)); CREATE UNIQUE INDEX u ON t (a); DROP INDEX u;",
    MADE + "KEY k (b)) ENGINE=InnoDB; CREATE UNIQUE INDEX u ON t (a); DROP INDEX u ON t;",
    MADE + "KEY k (b)) ENGINE=InnoDB; CREATE UNIQUE INDEX u ON t (a); DROP INDEX u;",
    MADE + "c INT); ALTER TABLE ONLY t ADD CONSTRAINT u UNIQUE (a); "
    "ALTER TABLE IF EXISTS t DROP CONSTRAINT IF EXISTS u CASCADE;",
    MADE + "c INT); CREATE UNIQUE INDEX u ON t (a) WHERE b IS NULL;",
    MADE + "c INT); CREATE UNIQUE INDEX u ON t (lower(b));",
    MADE + "UNIQUE (a)); DROP TABLE t; CREATE TABLE t (id INT, a INT NOT NULL, b TEXT);",
    MADE + "UNIQUE KEY u (a)); DROP TABLE IF EXISTS `t`; CREATE TABLE `t` (`a` INT NOT NULL);",
    MADE + "UNIQUE (a)); ALTER TABLE t DROP COLUMN a; ALTER TABLE t ADD COLUMN a INT NOT NULL;",
]


def table(script: str) -> Table:
    (found,) = schema_from_ddl(script).tables
    return found


@pytest.mark.parametrize("script", NOTHING_UNIQUE)
def test_a_key_that_is_taken_back_is_none(script: str) -> None:
    assert table(script).unique == ()
    assert table(script).primary_key == ()
    assert table(script).columns[-1].name != "u"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE t DROP PRIMARY KEY",
        "ALTER TABLE t DROP CONSTRAINT t_pkey",
        "ALTER TABLE t ADD COLUMN c INT, DROP PRIMARY KEY",
        "ALTER TABLE t DROP INDEX `PRIMARY`",
    ],
)
def test_a_primary_key_is_dropped(change: str) -> None:
    assert table(f"{MADE} PRIMARY KEY (id)); {change};").primary_key == ()


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE t ALTER COLUMN a DROP NOT NULL",
        "ALTER TABLE t ALTER a DROP NOT NULL",
        "ALTER TABLE t MODIFY a INT NULL",
        "ALTER TABLE t MODIFY COLUMN a BIGINT",
        "ALTER TABLE `t` CHANGE `a` `a` INT DEFAULT NULL COMMENT 'x, y'",
        "ALTER TABLE t ALTER COLUMN a INT NULL",
    ],
)
def test_not_null_is_taken_back(change: str) -> None:
    column = table(f"{MADE} PRIMARY KEY (id)); {change};").column("a")
    assert column is not None and column.nullable


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE t ALTER COLUMN b SET NOT NULL",
        "ALTER TABLE t MODIFY b VARCHAR(20) NOT NULL",
        "ALTER TABLE t CHANGE b b TEXT NOT NULL",
    ],
)
def test_not_null_is_added(change: str) -> None:
    column = table(f"{MADE} PRIMARY KEY (id)); {change};").column("b")
    assert column is not None and not column.nullable


def test_columns_and_tables_are_renamed_and_dropped_with_their_keys() -> None:
    script = MADE + "UNIQUE KEY u (a, b)) ENGINE=InnoDB; ALTER TABLE t RENAME COLUMN a TO x;"
    assert table(script).unique == (("x", "b"),)
    assert table(script + "ALTER TABLE t DROP COLUMN b;").unique == ()
    assert table(script + "RENAME TABLE t TO s;").name == "s"
    assert table(script + "ALTER TABLE t RENAME TO s;").name == "s"


def test_foreign_keys_are_dropped() -> None:
    script = MADE + "CONSTRAINT f FOREIGN KEY (a) REFERENCES o (id));"
    assert len(table(script).foreign_keys) == 1
    assert table(script + "ALTER TABLE t DROP FOREIGN KEY f;").foreign_keys == ()


def test_a_key_of_mysql_is_no_column() -> None:
    found = table("CREATE TABLE t (id INT NOT NULL, p INT NOT NULL, KEY u (p));")
    assert [c.name for c in found.columns] == ["id", "p"]
    assert found.unique == ()


@pytest.mark.parametrize(
    "change",
    ["ALTER TABLE t DROP CONSTRAINT who_knows", "ALTER TABLE t FROBNICATE a", "DROP INDEX nobody"],
)
def test_what_is_not_understood_is_refused(change: str) -> None:
    with pytest.raises(InputError) as refused:
        schema_from_ddl(f"{MADE} UNIQUE KEY u (a)); {change};")
    assert refused.value.code == "SJ207"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE public.t OWNER TO me",
        "ALTER TABLE ONLY public.t ALTER COLUMN id SET DEFAULT nextval('s'::regclass)",
        "ALTER TABLE t ENGINE=InnoDB",
        "ALTER TABLE `t` ADD INDEX `i` (`b`), MODIFY `id` int NOT NULL AUTO_INCREMENT",
        "ALTER TABLE t ADD FULLTEXT KEY ft (b)",
        "DROP INDEX IF EXISTS nobody",
        "ALTER TABLE other DROP COLUMN x",
    ],
)
def test_what_changes_no_column_or_key_is_passed_over(change: str) -> None:
    found = table(f"{MADE} UNIQUE KEY u (a)); {change};")
    assert found.unique == (("a",),) and not found.columns[0].nullable


def test_dumps_are_read_with_their_rows() -> None:
    (boat,) = schema_from_ddl(
        "/*!40101 SET NAMES utf8mb4 */;\n"
        "CREATE TABLE `boat` (`id` int NOT NULL, `p` int NOT NULL, `n` varchar(9) NOT NULL,\n"
        "  PRIMARY KEY (`id`), UNIQUE KEY `u` (`n`(3)), KEY `p` (`p`)) ENGINE=InnoDB;\n"
        "LOCK TABLES `boat` WRITE;\n"
        "INSERT INTO `boat` VALUES (1,2,'O\\'Hara; x'),(2,3,'CREATE TABLE x (y INT);');\n"
        "UNLOCK TABLES;\n"
    ).tables
    assert (boat.name, boat.primary_key, boat.unique) == ("boat", ("id",), (("n",),))
    (boat,) = schema_from_ddl(
        "CREATE TABLE public.boat (id integer NOT NULL, name text);\n"
        "COPY public.boat (id, name) FROM stdin;\n1\tit's; a \"boat\n2\t\\N\n\\.\n\n"
        "ALTER TABLE ONLY public.boat ADD CONSTRAINT boat_pkey PRIMARY KEY (id);\n"
    ).tables
    assert (boat.name, boat.primary_key, boat.namespace) == ("boat", ("id",), "public")


def test_what_columns_and_keys_do_not_say_is_kept() -> None:
    assert table("CREATE TABLE t (a INT, b INT)").declaration == ()
    assert table("CREATE TABLE t (a INT CHECK (a > 0))").declaration
    assert table("CREATE TABLE t (a INT) STRICT").declaration
    assert table(MADE + "UNIQUE KEY u (a), CHECK (a > 0))").declaration
    assert table(MADE + "KEY u (a)); ALTER TABLE t ADD CHECK (a > 0)").declaration
    found = table(
        "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1), c TEXT COLLATE NOCASE)"
    )
    assert [(c.generated, c.collation) for c in found.columns] == [
        (False, ""),
        (True, ""),
        (False, "NOCASE"),
    ]


@pytest.mark.parametrize(
    ("script", "held"),
    [
        ("CREATE TABLE t (id INTEGER PRIMARY KEY)", True),
        ("CREATE TABLE t (id INTEGER, PRIMARY KEY (id DESC))", True),
        ("CREATE TABLE t (id INTEGER PRIMARY KEY DESC)", False),
        ("CREATE TABLE t (id INT PRIMARY KEY)", False),
        ("CREATE TABLE t (id TEXT PRIMARY KEY)", False),
        ("CREATE TABLE t (id TEXT PRIMARY KEY) WITHOUT ROWID", True),
        ("CREATE TABLE t (id INTEGER, b INT, PRIMARY KEY (id, b))", False),
        ("CREATE TABLE t (id INTEGER, b INT, PRIMARY KEY (id, b)) WITHOUT ROWID", True),
        ("CREATE TABLE t (id INT PRIMARY KEY, rowid TEXT)", False),
    ],
)
def test_only_row_ids_and_keys_without_them_hold_no_null_in_sqlite(script: str, held: bool) -> None:
    assert table(script).columns[0].nullable is not held


def test_what_is_unique_in_its_first_letters_is_unique() -> None:
    assert table(MADE + "UNIQUE KEY u (b(3))) ENGINE=InnoDB;").unique == (("b",),)
    assert table(MADE + "UNIQUE (b(3)));").unique == (("b",),)


def test_mysql_puts_a_column_first_or_after_another() -> None:
    script = "CREATE TABLE o (a INT, b INT); ALTER TABLE o ADD COLUMN c INT FIRST;"
    assert [c.name for c in table(script).columns] == ["c", "a", "b"]
    script += " ALTER TABLE o ADD d INT NOT NULL AFTER a; ALTER TABLE o MODIFY COLUMN b INT FIRST;"
    assert [c.name for c in table(script).columns] == ["b", "c", "a", "d"]
    script += " ALTER TABLE o CHANGE COLUMN b e BIGINT AFTER `d`;"
    assert [(c.name, c.type) for c in table(script).columns][-1] == ("e", "BIGINT")


def test_keys_of_a_parent_do_not_hold_for_its_children() -> None:
    script = "CREATE TABLE p (id INT PRIMARY KEY, k INT); CREATE TABLE c (w INT) INHERITS (p);"
    parent, child = schema_from_ddl(script).tables
    assert (parent.primary_key, parent.unique) == ((), ())
    assert not parent.columns[0].nullable
    assert [column.name for column in child.columns] == ["id", "k", "w"]
