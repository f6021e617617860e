"""Schema scripts that take back what they said: statements work in their order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.errors import InputError
from sqljury.schema import Table
from sqljury.uses.queries import compare_queries

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
    MADE + "UNIQUE KEY u (b(3))) ENGINE=InnoDB;",
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
    assert (boat.name, boat.primary_key, boat.unique) == ("boat", ("id",), ())
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


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ("ALTER TABLE t ADD COLUMN c INT NOT NULL AFTER id", ["id", "c", "a", "b"]),
        ("ALTER TABLE t ADD c INT FIRST, ADD COLUMN d INT AFTER c", ["c", "d", "id", "a", "b"]),
        ("ALTER TABLE t MODIFY COLUMN b BIGINT NOT NULL AFTER id", ["id", "b", "a"]),
        ("ALTER TABLE t MODIFY b INT FIRST", ["b", "id", "a"]),
        ("ALTER TABLE t CHANGE COLUMN b c INT AFTER id", ["id", "c", "a"]),
        ("ALTER TABLE t ADD COLUMN (c INT, d TEXT)", ["id", "a", "b", "c", "d"]),
        ("ALTER TABLE `t` ADD COLUMN `c` INT COMMENT 'AFTER all' AFTER `a`", ["id", "a", "c", "b"]),
    ],
)
def test_where_mysql_puts_a_column(script: str, names: list[str]) -> None:
    found = table(f"CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); {script};")
    assert [column.name for column in found.columns] == names


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), UNIQUE (a(2)))",
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), UNIQUE KEY k (a(2), id))",
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9)); CREATE UNIQUE INDEX k ON t (a(2))",
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9)); ALTER TABLE t ADD UNIQUE (a(2))",
    ],
)
def test_a_key_on_the_first_letters_is_no_key_but_forbids_rows(script: str) -> None:
    found = table(script)
    assert found.unique == ()
    assert found.declaration


COUNTED = [
    ("id SERIAL", "postgres"),
    ("id BIGSERIAL", "postgres"),
    ("id INT GENERATED ALWAYS AS IDENTITY", "postgres"),
    ("id INT GENERATED BY DEFAULT AS IDENTITY", "postgres"),
    ("id INT AUTO_INCREMENT, KEY (id)", "mysql"),
    ("id INT UNSIGNED AUTO_INCREMENT UNIQUE", "mysql"),
    ("id SERIAL", "mysql"),
    ("id INT IDENTITY(1, 1)", "tsql"),
]


@pytest.mark.parametrize(("column", "dialect"), COUNTED)
def test_what_counts_up_is_not_null(column: str, dialect: str) -> None:
    read = schema_from_ddl(f"CREATE TABLE t ({column})")
    found = replace(read, dialect=dialect).tables[0]
    assert not found.columns[0].nullable
    assert not any(word in found.columns[0].type for word in ("AUTO", "IDENTITY"))
    assert bool(found.unique) is ("UNIQUE" in column or column + dialect == "id SERIALmysql")


def test_a_type_called_serial_is_nothing_special_in_sqlite() -> None:
    assert table("CREATE TABLE t (id SERIAL)").columns[0].nullable


def test_keys_of_a_table_that_others_inherit_from() -> None:
    parent, child = "CREATE TABLE p (id INT PRIMARY KEY, a INT UNIQUE);", "CREATE TABLE c (x INT)"
    for script in (f"{child} INHERITS (p)", f"{child}; ALTER TABLE c INHERIT p"):
        found = schema_from_ddl(parent + script).table("p")
        assert found is not None
        assert (found.primary_key, found.unique, found.columns[0].nullable) == ((), (), False)
        assert "inherit" in found.unsure
    own = schema_from_ddl(f"{parent}{child} INHERITS (p)").table("c")
    assert own is not None
    assert [(c.name, c.nullable) for c in own.columns] == [("id", False), ("a", True), ("x", True)]
    assert not own.unsure


def test_types_that_a_script_makes() -> None:
    script = (
        "CREATE TYPE mood AS ENUM ('sad', 'it''s ok'); CREATE DOMAIN pos AS integer CHECK (VALUE > 0);"
        "CREATE DOMAIN plain AS varchar(5); CREATE TABLE t (id INT, m mood, p pos, q plain);"
    )
    read = schema_from_ddl(script)
    found = read.tables[0]
    assert [c.type for c in found.columns] == ["INT", "mood", "integer", "varchar(5)"]
    assert found.columns[1].members == ("sad", "it's ok")
    assert "forbids values" in found.unsure
    assert replace(read, dialect="duckdb").tables[0].columns[1].type == "ENUM('sad', 'it''s ok')"


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TRIGGER f BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.a = 1; END;",
        "CREATE DEFINER=`root`@`%` TRIGGER f AFTER INSERT ON `t` FOR EACH ROW DELETE FROM u;",
        "CREATE TRIGGER f AFTER UPDATE OF a ON t BEGIN UPDATE t SET a = 1; END;",
        "CREATE OR REPLACE TRIGGER f BEFORE INSERT ON public.t EXECUTE FUNCTION g();",
        "CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING;",
    ],
)
def test_what_changes_rows_makes_them_unsure(made: str) -> None:
    found = schema_from_ddl(f"CREATE TABLE t (id INT, a INT); CREATE TABLE u (id INT); {made}")
    assert [bool(t.unsure) for t in found.tables] == [True, False]
    left, right = "SELECT id FROM t WHERE a > 1", "SELECT id FROM t WHERE a >= 1"
    answer = compare_queries(left, right, schema=found)
    assert (answer.verdict, "triggers or rules" in answer.reason) == ("unknown", True)
