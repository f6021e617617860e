"""Schemas that generated data has to cope with."""

from __future__ import annotations

from sqljury.databases import schema_from_ddl
from sqljury.databases.generated import Material
from sqljury.schema import Schema
from sqljury.sql import merged_profiles, value_profile

SHOP = schema_from_ddl(
    """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT, since DATE);
    CREATE TABLE item (sku VARCHAR(9) PRIMARY KEY, price REAL, kind TEXT, UNIQUE (kind, price));
    CREATE TABLE sale (
      customer_id INT REFERENCES customer (id), sku TEXT REFERENCES item (sku), n INT,
      PRIMARY KEY (customer_id, sku)
    );
    """
)
ODD = schema_from_ddl(
    """
    CREATE TABLE "order" ("group" , "select" INT, "a b" TEXT, "it""s" BLOB, "Größe" REAL);
    CREATE TABLE node (id INTEGER PRIMARY KEY, parent INT REFERENCES node (id), label);
    CREATE TABLE egg (id INT PRIMARY KEY, hen INT REFERENCES hen (id));
    CREATE TABLE hen (id INT PRIMARY KEY, egg INT NOT NULL REFERENCES egg (id));
    CREATE TABLE two (x INT, y INT, z TEXT, PRIMARY KEY (x, y));
    CREATE TABLE to_two (a INT, b TEXT, FOREIGN KEY (a, b) REFERENCES two (x, y));
    """
)
QUERIES = {
    "filter": (SHOP, "SELECT name FROM customer WHERE town = 'Rye' AND since > '2014-05-01'"),
    "join": (
        SHOP,
        "SELECT c.name, sum(s.n) FROM customer c JOIN sale s ON s.customer_id = c.id "
        "JOIN item i ON i.sku = s.sku WHERE i.kind LIKE 'b%' GROUP BY c.id HAVING count(*) > 2",
    ),
    "all tables": (SHOP, "SELECT * FROM customer, item, sale LIMIT 12"),
    "odd names": (ODD, 'SELECT "a b", "it""s" FROM "order" WHERE "group" = 3 AND "Größe" > 1.5'),
    "to itself": (ODD, "SELECT a.label FROM node a JOIN node b ON a.parent = b.id"),
    "in a circle": (ODD, "SELECT * FROM egg JOIN hen ON egg.hen = hen.id"),
    "composite": (ODD, "SELECT * FROM to_two JOIN two ON a = x AND b = y WHERE z <> 'q'"),
}
"""Schema and query by what is special about them."""


def material(schema: Schema, *queries: str) -> Material:
    """The material for one query or two."""
    profiles = [value_profile(sql, schema) for sql in queries]
    assert all(profiles)
    merged = profiles[0]
    for other in profiles[1:]:
        merged = merged_profiles(merged, other)
    return Material(merged, schema)
