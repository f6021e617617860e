"""Parses a statement with PostgreSQL's own grammar: it must be one SELECT; lists every name in it.

Only listed kinds of nodes are allowed, so what a later grammar adds is refused until it is added
here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqljury.databases.guard import (
    ForbiddenNames,
    OddNames,
    allowing,
    lowered,
    without_strings,
    words_of,
)
from sqljury.errors import MissingExtraError
from sqljury.execution import Execution, Status

try:
    import pgparse
except ImportError as error:
    raise MissingExtraError("pgparse", "postgresql", "A PostgreSQL database") from error

GRAMMAR = 17
"""The PostgreSQL version of the grammar."""

_NODES = frozenset(
    re.findall(
        r"\w+",
        """
        SelectStmt ResTarget ColumnRef A_Const A_Expr A_Star A_Indices A_Indirection A_ArrayExpr
        BoolExpr NullTest BooleanTest CaseExpr CaseWhen CoalesceExpr MinMaxExpr RowExpr SubLink
        FuncCall NamedArgExpr SQLValueFunction TypeCast TypeName CollateClause ParamRef
        String Integer Float Boolean BitString List
        RangeVar RangeSubselect RangeFunction RangeTableSample RangeTableFunc RangeTableFuncCol
        JoinExpr ColumnDef Alias SortBy WindowDef GroupingSet GroupingFunc
        WithClause CommonTableExpr CTESearchClause CTECycleClause
        XmlExpr XmlSerialize
        JsonObjectConstructor JsonArrayConstructor JsonArrayQueryConstructor JsonObjectAgg
        JsonArrayAgg JsonAggConstructor JsonKeyValue JsonValueExpr JsonFormat JsonReturning
        JsonOutput JsonIsPredicate JsonParseExpr JsonScalarExpr JsonSerializeExpr JsonFuncExpr
        JsonTable JsonTableColumn JsonTablePathSpec JsonTablePath JsonArgument JsonBehavior
        """,
    )
)
_REFUSED = {"intoClause": "INTO", "lockingClause": "FOR UPDATE or FOR SHARE"}

_PATH_TAKERS = frozenset({"xpath", "xpath_exists", "xmlexists"})
_QUICK_PATH = re.compile(r"(?!.*//.*//)(?:[^\[\]|:]|:(?!:)|\[[^\[\]/|]*\])*", re.DOTALL)
"""XPaths that take no longer than a few reads of the document. Nothing ends the search for any
other: libxml2 does not notice that it is cancelled, and the server's process works on for days."""

_MOST_TOKENS = 25_000
"""The parser is recursive: a chain of twice as many operators still fits on a stack of 8 MiB."""
_TOKEN = re.compile(r"[^\W\d]\w*|[^\s\w,'\".]")

_ROW_MAKERS = frozenset(
    f"{kind}_populate_{what}" for kind in ("json", "jsonb") for what in ("record", "recordset")
)
_ARRAY_MAKERS = frozenset({"array_agg", "array_fill"})


@dataclass(frozen=True)
class PostgreSQLNames:
    """The names in a statement, in lower case.

    Args:
        all: names of any kind, and operators.
        types: of casts, column definitions and functions (a function's name may be that of a type).
        tables: tables that are read, without aliases.
        makes_values: True if it can make a row, an array or a record out of a text without naming
            the type: by a whole row, an array, or a function that fills a record.
        has_texts: True if it has a quoted constant.
    """

    all: frozenset[str]
    types: frozenset[str]
    tables: frozenset[str]
    makes_values: bool
    has_texts: bool


def read_statement(sql: str, server_version: int) -> PostgreSQLNames | Execution:
    """The names in one SELECT, or the outcome of refusing the statement.

    Args:
        server_version: as libpq encodes it.
    """
    if len(sql) > _MOST_TOKENS and _tokens_in(sql) > _MOST_TOKENS:
        return Execution(Status.ERROR, None, "too many operators and names to be checked")
    try:
        trees = pgparse.parse(sql)
    except pgparse.PGQueryError as error:
        if server_version // 10000 > GRAMMAR:
            words = f"{error.message}; this statement is unknown to PostgreSQL {GRAMMAR}, whose"
            return Execution(Status.REFUSED, None, f"{words} grammar sqljury checks by")
        return Execution(Status.ERROR, None, str(error.message))
    except RecursionError:
        return Execution(Status.ERROR, None, "nested too deeply to be checked")
    if len(trees) != 1 or "SelectStmt" not in trees[0].get("stmt", {}):
        return Execution(Status.REFUSED, None, "not a single query")
    return _names_in(trees[0]["stmt"])


def _tokens_in(sql: str) -> int:
    """The number of words and operators outside texts; numbers and commas do not deepen the
    tree."""
    return len(_TOKEN.findall(without_strings(sql, "postgres")))


def _names_in(tree: dict[str, Any]) -> PostgreSQLNames | Execution:
    names: set[str] = set()
    types: set[str] = set()
    tables: set[str] = set()
    sources: set[str] = set()
    lone: set[str] = set()
    makes_arrays = has_texts = False
    left: list[Any] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, list):
            left += node
            continue
        for key, value in node.items() if isinstance(node, dict) else ():
            if key in _REFUSED or (key[0].isupper() and key not in _NODES):
                words = _REFUSED.get(key, key.removesuffix("Stmt").upper())
                return Execution(Status.REFUSED, None, f"not allowed: {words} in a query")
            if key == "A_Const":
                has_texts = has_texts or "sval" in value
                continue
            if key == "ParamRef":
                return Execution(Status.ERROR, None, f"there is no parameter ${value['number']}")
            if not all(map(_is_quick, _paths_of(key, value))):
                words = "an XPath with nested conditions, or one that is no constant"
                return Execution(Status.REFUSED, None, f"not allowed: {words}")
            if key in ("TypeName", "typeName"):
                types.add(_last(value.get("names", [])))
            elif key == "FuncCall":
                types.add(_last(value["funcname"]))
            elif key == "RangeVar":
                tables.add(value["relname"].lower())
            elif key == "ColumnRef" and len(value["fields"]) == 1:
                lone.add(_last(value["fields"]))
            elif key == "A_ArrayExpr" or value == "ARRAY_SUBLINK":
                makes_arrays = True
            if isinstance(value, str):
                names.add(value.lower())
                if key in ("relname", "aliasname", "ctename"):
                    sources.add(value.lower())
            else:
                left.append(value)
    makes_values = bool(makes_arrays or lone & sources or names & (_ROW_MAKERS | _ARRAY_MAKERS))
    return PostgreSQLNames(
        frozenset(names), frozenset(types), frozenset(tables), makes_values, has_texts
    )


def _paths_of(kind: str, node: Any) -> list[Any]:
    """The XPaths that a node of this kind evaluates."""
    if kind == "FuncCall" and _last(node["funcname"]) in _PATH_TAKERS:
        return list(node.get("args", [])[:1])
    name = {"RangeTableFunc": "rowexpr", "RangeTableFuncCol": "colexpr"}.get(kind, "")
    return [node[name]] if name and name in node else []


def _is_quick(path: dict[str, Any]) -> bool:
    text = path.get("A_Const", {}).get("sval", {}).get("sval")
    return text is not None and _QUICK_PATH.fullmatch(text) is not None


def _last(names: list[dict[str, Any]]) -> str:
    """The last part of a qualified name; empty for a star."""
    return str(names[-1].get("String", {}).get("sval", "")).lower() if names else ""


# ------------------------------------------------------------
# Names that a statement on PostgreSQL must not contain: a read-only transaction permits them.
#
# A read-only transaction stops writes to tables, sequences and catalogs, and its rollback undoes
# the rest. What remains: functions with effects outside it (other sessions, files, settings, locks,
# replication), functions that run a text as a query (which could build any name), and the server's
# own tables (passwords, other sessions' statements, statistics with values in them).
#
# This is a list of what is allowed: the server's own functions that it declares free of side
# effects, less a few; of functions named ``pg_…``, and of its own tables, those listed here.

Rows = Sequence[tuple[Any, ...]]

_FIRST_USER_OID = 16384

_VOLATILE_ALLOWED = allowing(
    """
    random random_normal normal_rand gen_random_uuid uuidv4 uuidv7 uuid_generate_v1
    uuid_generate_v1mc uuid_generate_v4 gen_random_bytes clock_timestamp timeofday
    pg_sleep pg_sleep_for pg_sleep_until
    """
)
"""They return another value at each call and change nothing."""

_PG_ALLOWED = allowing(
    """
    pg_typeof pg_collation_for pg_column_size pg_column_compression pg_size_bytes pg_size_pretty
    pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_database_size
    pg_basetype pg_sleep pg_sleep_for pg_sleep_until
    pg_backend_pid pg_client_encoding pg_char_to_encoding pg_encoding_to_char
    pg_encoding_max_length pg_get_keywords pg_lsn pg_timezone_abbrevs pg_timezone_names
    pg_collation_is_visible pg_conversion_is_visible pg_function_is_visible pg_opclass_is_visible
    pg_operator_is_visible pg_opfamily_is_visible pg_statistics_obj_is_visible
    pg_table_is_visible pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible
    pg_ts_template_is_visible pg_type_is_visible
    pg_describe_object pg_get_constraintdef pg_get_expr pg_get_function_arguments
    pg_get_function_identity_arguments pg_get_function_result pg_get_functiondef pg_get_indexdef
    pg_get_partkeydef pg_get_ruledef pg_get_serial_sequence pg_get_triggerdef pg_get_userbyid
    pg_get_viewdef pg_has_role pg_partition_ancestors pg_partition_root pg_partition_tree
    pg_relation_is_updatable pg_column_is_updatable
    """
)
"""Allowed functions named ``pg_…``, even if they are declared volatile."""

_TABLES_ALLOWED = allowing(
    """
    pg_aggregate pg_am pg_attrdef pg_attribute pg_cast pg_class pg_collation pg_constraint
    pg_conversion pg_database pg_depend pg_description pg_enum pg_extension pg_index pg_indexes
    pg_inherits pg_language pg_matviews pg_namespace pg_opclass pg_operator pg_partitioned_table
    pg_proc pg_range pg_sequence pg_sequences pg_tables pg_timezone_abbrevs pg_timezone_names
    pg_trigger pg_ts_config pg_ts_dict pg_type pg_views pg_aggregate
    """
)
"""The server's own tables that only describe the database."""

_NAMED = allowing(
    """
    query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml cursor_to_xmlschema
    table_to_xml table_to_xmlschema table_to_xml_and_xmlschema schema_to_xml schema_to_xmlschema
    schema_to_xml_and_xmlschema database_to_xml database_to_xmlschema
    database_to_xml_and_xmlschema ts_stat ts_rewrite
    crosstab crosstab2 crosstab3 crosstab4 crosstabn connectby dblink
    xpath_table xpath_string xpath_number xpath_bool xpath_list xpath_nodeset xslt_process
    current_setting txid_current txid_current_if_assigned txid_current_snapshot
    set_config setseed nextval setval currval lastval
    user_mapping_options foreign_server_options foreign_data_wrapper_options
    _pg_user_mappings _pg_foreign_servers _pg_foreign_data_wrappers isn_weak
    """
)
"""Always refused: they run texts or XPaths, reveal settings, or keep state."""

_IN_FUNCTIONS = allowing("copy load checkpoint")
"""Statements in a stored function whose effects no rollback undoes."""

_BEGINNINGS = (
    *(
        f"pg_{kind}_"
        for kind in ("toast", "temp", "stat", "advisory", "try_advisory", "ls", "read")
    ),
    *("pg_logical_", "pg_replication_", "pg_wal_", "pg_backup_", "pg_statio_", "dblink"),
)

# ---------------------------------------------------------------- what is there

_OWN_FUNCTIONS = f"""
SELECT p.oid::int8, p.proname::text
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE (p.oid < {_FIRST_USER_OID} OR l.lanname IN ('internal', 'c'))
  AND (p.provolatile = 'v'
       OR (p.oid < {_FIRST_USER_OID} AND p.proname LIKE 'pg\\_%')
       OR p.proname = ANY ('{{{{{{named}}}}}}'::text[])
       OR (p.pronargs > 1 AND p.proargtypes[0] = 'cstring'::regtype)
       OR (p.proacl IS NOT NULL
           AND NOT pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')
           AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')))
  AND pg_catalog.format_type(p.prorettype, NULL) !~ '(trigger|_handler|internal)$'
"""
"""Functions that may have side effects, reveal something about the server, need a privilege, or
read a text as a value of any type, which calls the CHECKs of domains."""

PRIVILEGED = """
SELECT p.proname::text
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE l.lanname IN ('internal', 'c') AND p.proacl IS NOT NULL
  AND NOT pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')
  AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
"""
"""Functions that this role may call although not everybody may; none for an ordinary role."""

_OWN_TABLES = r"""
SELECT c.relname::text FROM pg_catalog.pg_class AS c
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND c.relname LIKE 'pg\_%'
  AND (c.relnamespace = 'pg_catalog'::regnamespace OR EXISTS (
       SELECT FROM pg_catalog.pg_depend AS d WHERE d.classid = 'pg_class'::regclass
       AND d.objid = c.oid AND d.deptype = 'e'))
"""

_USER_FUNCTIONS = f"""
SELECT p.oid::int8, p.proname::text, l.lanname::text, p.prosecdef, p.provolatile::text, p.prosrc,
       {{body}}, p.prokind::text, p.proparallel = 's',
       ARRAY(SELECT unnest(p.proargtypes || p.prorettype || p.proallargtypes)::int8)
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE p.oid >= {_FIRST_USER_OID}
"""
_OLD_BODY = "NULL"
_BODY = "pg_catalog.pg_get_function_sqlbody(p.oid)"  # PostgreSQL 14: BEGIN ATOMIC

_BOUND = f"""
SELECT 'operator', o.oprname::text, ARRAY[o.oprcode::oid::int8]
FROM pg_catalog.pg_operator AS o WHERE o.oid >= {_FIRST_USER_OID}
UNION ALL
SELECT 'name', p.proname::text, ARRAY[a.aggtransfn::oid::int8, a.aggfinalfn::oid::int8,
       a.aggmtransfn::oid::int8, a.aggmfinalfn::oid::int8, a.aggminvtransfn::oid::int8,
       a.aggcombinefn::oid::int8]
FROM pg_catalog.pg_aggregate AS a JOIN pg_catalog.pg_proc AS p ON p.oid = a.aggfnoid
WHERE p.oid >= {_FIRST_USER_OID}
UNION ALL
SELECT 'name', t.typname::text, ARRAY[c.castfunc::int8]
FROM pg_catalog.pg_cast AS c JOIN pg_catalog.pg_type AS t ON t.oid IN (c.casttarget, c.castsource)
WHERE c.oid >= {_FIRST_USER_OID} AND c.castfunc <> 0 AND t.oid >= {_FIRST_USER_OID}
UNION ALL
SELECT 'name', c.relname::text, ARRAY[k.castfunc::int8]
FROM pg_catalog.pg_cast AS k JOIN pg_catalog.pg_attribute AS a ON a.atttypid = k.castsource
JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
WHERE k.oid >= {_FIRST_USER_OID} AND k.castcontext = 'i' AND k.castfunc <> 0
  AND a.attnum > 0 AND c.oid >= {_FIRST_USER_OID}
"""
"""What calls a function without naming it: operators, aggregates, casts, and tables with a column
that is cast implicitly if another type is expected."""

_CHECKED = """
SELECT k.contypid::int8, ARRAY(
       SELECT m[1]::int8 FROM regexp_matches(k.conbin::text, ':\\w*funcid (\\d+)', 'g') AS m)
FROM pg_catalog.pg_constraint AS k WHERE k.contypid <> 0
"""
"""Domains, and the functions that their CHECKs call."""

_MADE_OF = f"""
SELECT t.typbasetype::int8, t.oid::int8, t.typname::text, 'd' FROM pg_catalog.pg_type AS t
WHERE t.oid >= {_FIRST_USER_OID} AND t.typtype = 'd'
UNION ALL
SELECT t.typelem::int8, t.oid::int8, t.typname::text, '' FROM pg_catalog.pg_type AS t
WHERE t.oid >= {_FIRST_USER_OID} AND t.typelem <> 0
UNION ALL
SELECT r.rngsubtype::int8, t.oid::int8, t.typname::text, '' FROM pg_catalog.pg_range AS r
JOIN pg_catalog.pg_type AS t ON t.oid = r.rngtypid {{multirange}}
WHERE t.oid >= {_FIRST_USER_OID}
UNION ALL
SELECT a.atttypid::int8, c.reltype::int8, c.relname::text, c.relkind::text
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
WHERE c.oid >= {_FIRST_USER_OID} AND c.reltype <> 0 AND a.attnum > 0 AND NOT a.attisdropped
"""
"""Types built from other types: the inner type, the outer type, the outer type's name, and "d" for
a domain or the relation's kind."""

_OF_ANY_TYPE = """
SELECT DISTINCT p.proname::text FROM pg_catalog.pg_proc AS p
WHERE p.pronargs > 1 AND EXISTS (
      SELECT FROM unnest(p.proargtypes) AS a (type)
      WHERE pg_catalog.format_type(a.type, NULL) LIKE 'any%')
"""
"""Functions that parse a text as the type of another argument."""


@dataclass(frozen=True)
class _Function:
    """A function that a user created."""

    oid: int
    name: str
    language: str
    security_definer: bool
    volatility: str
    source: str
    body: str | None
    kind: str
    parallel_safe: bool
    types: list[int]

    def refused(self, forbidden: frozenset[str]) -> bool:
        """True if the function may do what a query must not.

        It runs with its owner's rights, is in a language that cannot be checked, changes
        something, or its body names a ``forbidden`` word.
        """
        if self.kind == "a":
            return False  # decided by its parts
        if self.security_definer:
            return True
        if self.language in ("internal", "c"):
            changing = self.volatility == "v" and self.name.lower() not in _VOLATILE_ALLOWED
            return changing or self.source.lower() in forbidden
        if self.language not in ("sql", "plpgsql"):
            return True
        words = words_of(f"{self.source} {self.body or ''}")
        dynamic = self.language == "plpgsql" and "execute" in words
        return dynamic or bool(words & (forbidden | _IN_FUNCTIONS))


@dataclass(frozen=True)
class _Checked:
    """Types whose values are checked by a refused function.

    Args:
        types: their names, by object id.
        tables: tables with a column of such a domain: a text is converted to the domain if an
            array, a row or a function of any type is made of the column.
        holding: tables with a column of an array, row or range of such a type: any text may be
            converted.
        any_type: functions that parse a text as the type of another argument.
    """

    types: Mapping[int, str] = field(default_factory=dict)
    tables: frozenset[str] = frozenset()
    holding: frozenset[str] = frozenset()
    any_type: frozenset[str] = frozenset()

    def found_in(self, names: PostgreSQLNames) -> str:
        """Returns why the statement is refused; empty if it is not."""
        why = "whose CHECK calls a function that may do more than its caller"
        if name := min(lowered(self.types.values()) & names.types, default=""):
            return f"the type {name}, {why}"
        reads = self.tables if names.makes_values or self.any_type & names.all else frozenset()
        reads |= self.holding if names.has_texts else frozenset()
        if name := min(reads & names.tables, default=""):
            return f"rows, arrays or texts beside {name}, which has a column of a type {why}"
        return ""


class PostgreSQLForbiddenWords:
    """Finds names in a statement that are refused, on one database for one role.

    Args:
        own: the server's refused functions and tables.
        functions: the users' refused functions, and what calls them without naming them.
        operators: operators that call one of these functions.
        checked: the types whose values are checked by one of those functions.
        native: functions in native code that may keep state in their session.
    """

    def __init__(
        self,
        own: Iterable[str],
        functions: Iterable[str] = (),
        operators: Iterable[str] = (),
        checked: _Checked | None = None,
        native: Iterable[str] = (),
    ) -> None:
        self._own = ForbiddenNames(_NAMED | lowered(own), beginnings=_BEGINNINGS)
        self._theirs = OddNames(lowered(functions))
        self._operators = frozenset(operators)
        self._checked = checked or _Checked()
        self._native = lowered(native)

    def found_in(self, sql: str, names: PostgreSQLNames) -> str:
        """Returns why the statement is refused; empty if it is not."""
        if 'u&"' in sql.lower():
            return "a name in Unicode escapes"
        if name := self._own.found_in(sql, words_of(sql) | names.all):
            return name
        if self._theirs.names or self._operators:
            bare = without_strings(sql, "postgres")
            found = min(self._theirs.names & names.all, default="")
            if name := found or self._theirs.found_in(bare):
                return f"{name}, which may do more than its caller"
            if found := min((o for o in self._operators if o in bare), default=""):
                return f"the operator {found}"
            if self._operators & _IMPLIED:
                return f"the operator {min(self._operators & _IMPLIED)}, which CASE and IN use"
        return self._checked.found_in(names)

    def stays(self, names: PostgreSQLNames) -> bool:
        """True if the statement may leave something behind after its transaction, in native
        code."""
        return bool(self._native & names.all)


_IMPLIED = frozenset({"=", "<>", "<", "<=", ">", ">="})
"""Operators that IN, BETWEEN, CASE, USING and DISTINCT call without naming them."""


def read_forbidden_words(run: Callable[[str], Rows], version: int) -> PostgreSQLForbiddenWords:
    """Reads from the server's catalogs which functions and tables a statement must not name.

    Args:
        run: returns the rows of a query.
        version: the server's version, as libpq encodes it.
    """
    functions = {
        oid: name
        for oid, name in run(_OWN_FUNCTIONS.format(named=",".join(sorted(_NAMED))))
        if name not in _VOLATILE_ALLOWED | _PG_ALLOWED
    }
    tables = {name for (name,) in run(_OWN_TABLES)}
    own = {*functions.values(), *(tables - _TABLES_ALLOWED)}
    body = _BODY if version >= 140000 else _OLD_BODY
    theirs = [_Function(*row) for row in run(_USER_FUNCTIONS.format(body=body))]
    forbidden = _NAMED | lowered(own)
    refused = _refused(theirs, forbidden)
    checked = None
    # A function that takes or returns a checked type calls the check, and others may call the
    # function; so repeat until no more are found.
    while checked := _checked(run, version, {*functions, *(f.oid for f in refused)}):
        named = lowered(checked.types.values()) - checked.tables - checked.holding
        more = [f for f in theirs if checked.types.keys() & f.types or words_of(f.source) & named]
        more = _refused(theirs, forbidden, [*refused, *more])
        if len(more) == len(refused):
            break
        refused = more
    known = {*functions, *(function.oid for function in refused)}
    bound = [(kind, name) for kind, name, oids in run(_BOUND) if known.intersection(oids)]
    names = [name for kind, name in bound if kind == "name"]
    native = [f.name for f in theirs if f.language in ("internal", "c") and not f.parallel_safe]
    return PostgreSQLForbiddenWords(
        own,
        [*names, *(function.name for function in refused)],
        [name for kind, name in bound if kind == "operator"],
        checked,
        native,
    )


def _checked(run: Callable[[str], Rows], version: int, functions: set[int]) -> _Checked | None:
    """The types whose values are checked by one of these functions; None if there are none."""
    domains = {oid for oid, called in run(_CHECKED) if functions.intersection(called)}
    if not domains:
        return None
    multirange = "OR t.oid = r.rngmultitypid" if version >= 140000 else ""
    made_of = run(_MADE_OF.format(multirange=multirange))
    domains = _with_outer(domains, [row for row in made_of if row[3] == "d"])
    found = _with_outer(domains, made_of)
    columns = [(inner, name) for inner, _, name, kind in made_of if kind not in ("", "c", "d")]
    return _Checked(
        {outer: name for _, outer, name, _ in made_of if outer in found},
        lowered(name for inner, name in columns if inner in domains),
        lowered(name for inner, name in columns if inner in found - domains),
        lowered(name for (name,) in run(_OF_ANY_TYPE)),
    )


def _with_outer(types: set[int], made_of: Rows) -> set[int]:
    """The types and all types built from them."""
    found = set(types)
    while more := {outer for inner, outer, *_ in made_of if inner in found} - found:
        found |= more
    return found


def _refused(
    functions: Sequence[_Function],
    forbidden: frozenset[str],
    already: Iterable[_Function] = (),
) -> list[_Function]:
    """The functions that must not be called, and those that call them."""
    found = list({function.oid: function for function in already}.values())
    forbidden |= lowered(function.name for function in found)
    left = [function for function in functions if function not in found]
    while True:
        more = [function for function in left if function.refused(forbidden)]
        if not more:
            return found
        found += more
        forbidden |= lowered(function.name for function in more)
        left = [function for function in left if function not in more]
