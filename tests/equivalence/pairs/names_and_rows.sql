-- Columns named true or false, which SQLite names anew around a derived table; rows as values.
-- sqlite
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, "false" TEXT);
SELECT "true" FROM (SELECT a AS "true" FROM t) === SELECT 'true' FROM t
SELECT "TRUE" FROM (SELECT a AS "TRUE" FROM t) =/= SELECT a FROM t
SELECT true FROM (SELECT a AS "true" FROM t) === SELECT 1 FROM t
SELECT column2 FROM (SELECT id, a AS "true" FROM t) === SELECT a FROM t
WITH q("true") AS (SELECT a FROM t) SELECT "true" FROM q =/= SELECT a FROM t
WITH q("true") AS (SELECT a FROM t) SELECT column1 FROM q === SELECT a FROM t
SELECT "false" FROM t === SELECT t."false" FROM t
SELECT "false" FROM (SELECT "false" FROM t) =/= SELECT "false" FROM t
SELECT "false" FROM (SELECT * FROM t) =/= SELECT "false" FROM t
SELECT a AS "true" FROM t ORDER BY "true" === SELECT a FROM t ORDER BY a
-- duckdb
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER);
SELECT "true" FROM (SELECT a AS "true" FROM t) === SELECT a FROM t
-- postgres
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
SELECT "true" FROM (SELECT a AS "true" FROM t) q === SELECT a FROM t
SELECT id FROM t WHERE ROW(a, b) IS NOT NULL =/= SELECT id FROM t WHERE NOT (ROW(a, b) IS NULL)
SELECT id FROM t WHERE ROW(a, b) = ROW(1, 2) === SELECT id FROM t WHERE a = 1 AND b = 2
SELECT id FROM t WHERE ROW(a, b) IS NULL === SELECT id FROM t WHERE a IS NULL AND b IS NULL
