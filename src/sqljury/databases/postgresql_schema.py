"""Reads a PostgreSQL database's schema from its catalogs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqljury.schema import Column, ForeignKey, Schema, Table

Read = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs one of our queries and returns its rows."""

# Tables of an extension belong to it; a partition is part of a table that is listed.
_RELATIONS = """
SELECT c.oid, CASE WHEN pg_table_is_visible(c.oid) THEN c.relname::text
                   ELSE n.nspname || '.' || c.relname END,
       c.relkind::text, coalesce(obj_description(c.oid, 'pg_class'), ''), c.oid::regclass::text,
       CASE WHEN pg_table_is_visible(c.oid) THEN n.nspname::text ELSE '' END
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass
                  AND d.objid = c.oid AND d.deptype = 'e')
"""
_COLUMNS = """
SELECT attrelid, attname::text, format_type(atttypid, atttypmod), NOT attnotnull,
       coalesce(col_description(attrelid, attnum), ''),
       coalesce((SELECT c.collname::text FROM pg_collation AS c
                 WHERE c.oid = attcollation AND NOT c.collisdeterministic), ''),
       attgenerated <> ''
FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid = ANY ('{oids}')
ORDER BY attrelid, attnum
"""
_KEYS = """
SELECT i.indrelid, i.indisprimary, ARRAY(
  SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
  JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number
  WHERE k.place <= i.indnkeyatts ORDER BY k.place)
FROM pg_index AS i
WHERE i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indrelid = ANY ('{oids}')
ORDER BY i.indrelid, i.indkey::int2[]
"""
_CHECKS = """
SELECT conrelid, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype IN ('c', 'x') AND conrelid = ANY ('{oids}') ORDER BY conrelid, conname
"""
_FOREIGN_KEYS = """
SELECT c.conrelid, c.confrelid, f.sources, f.targets
FROM pg_constraint AS c CROSS JOIN LATERAL (
  SELECT array_agg(s.attname::text ORDER BY k.place), array_agg(t.attname::text ORDER BY k.place)
  FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (source, target, place)
  JOIN pg_attribute AS s ON s.attrelid = c.conrelid AND s.attnum = k.source
  JOIN pg_attribute AS t ON t.attrelid = c.confrelid AND t.attnum = k.target
) AS f (sources, targets)
WHERE c.contype = 'f' AND c.conparentid = 0 AND c.conrelid = ANY ('{oids}')
ORDER BY c.conrelid, c.conkey, c.conname
"""


class CatalogTable(NamedTuple):
    """A table or view, with its object id."""

    oid: int
    name: str
    kind: str
    description: str
    quoted: str
    """The name as a quoted identifier."""
    namespace: str
    """Its schema, unless the name already includes it."""


def read_relations(read: Read, namespace: str | None) -> list[CatalogTable]:
    """The tables and views, sorted by schema and name; of one schema (``namespace``) if given."""
    only = "" if namespace is None else f"AND n.nspname = {literal(namespace)} "
    order = 'ORDER BY n.nspname, c.relname COLLATE "C"'
    return [CatalogTable(*row) for row in read(f"{_RELATIONS} {only}{order}")]


def read_schema(read: Read, namespace: str | None) -> Schema:
    """The tables and views with their columns, keys and CHECKs; of one schema (``namespace``) if
    given. Those outside the search path are named ``schema.table``.
    """
    relations = read_relations(read, namespace)
    oids = f"{{{','.join(str(r.oid) for r in relations)}}}"
    names = {r.oid: r.name for r in relations}
    columns, keys, foreign, checks = (
        _grouped(read(query.replace("{oids}", oids)))
        for query in (_COLUMNS, _KEYS, _FOREIGN_KEYS, _CHECKS)
    )
    return Schema(
        dialect="postgres",
        tables=tuple(
            Table(
                name=r.name,
                columns=tuple(
                    Column(
                        name=name,
                        type=kind,
                        nullable=nullable,
                        collation=collation,
                        generated=generated,
                        description=description,
                    )
                    for name, kind, nullable, description, collation, generated in columns.get(
                        r.oid, ()
                    )
                ),
                primary_key=next((tuple(k) for first, k in keys.get(r.oid, ()) if first), ()),
                unique=tuple(tuple(k) for first, k in keys.get(r.oid, ()) if not first),
                foreign_keys=tuple(
                    ForeignKey(
                        columns=tuple(sources),
                        target_table=names[target],
                        target_columns=tuple(targets),
                    )
                    for target, sources, targets in foreign.get(r.oid, ())
                    if target in names
                ),
                is_view=r.kind in "vm",
                declaration=_declaration(r, columns.get(r.oid, ()), checks.get(r.oid, ())),
                description=r.description,
                namespace=r.namespace,
            )
            for r in relations
        ),
    )


def _declaration(
    relation: CatalogTable,
    columns: Sequence[tuple[Any, ...]],
    checks: Sequence[tuple[Any, ...]],
) -> tuple[str, ...]:
    """A CREATE TABLE statement with the constraints that can refuse rows; empty if there are
    none."""
    computed = any(generated for *_, generated in columns)
    if not checks and not computed:
        return ()
    parts = [*(f'"{name}" {kind}' for name, kind, *_ in columns), *(text for (text,) in checks)]
    # Expressions of generated columns are not read: rows of such a table stay in doubt.
    made = f"CREATE TABLE {relation.quoted} ({', '.join(parts)})"
    return (made, "computed columns") if computed else (made,)


def _grouped(rows: Sequence[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    """The rows grouped by their first value, which is removed from them."""
    found: dict[int, list[tuple[Any, ...]]] = {}
    for oid, *rest in rows:
        found.setdefault(oid, []).append(tuple(rest))
    return found


def literal(text: str) -> str:
    """The text as a SQL string that is also right if backslashes are escapes."""
    return " E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
