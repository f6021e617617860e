-- schema: plain

-- equal assuming: not empty
SELECT b FROM t ORDER BY b DESC NULLS LAST LIMIT 1;
SELECT MAX(b) FROM t;

-- equal assuming: not empty, not null
SELECT b FROM t ORDER BY b LIMIT 1;
SELECT MIN(b) FROM t;

-- In place of a value no row is NULL.
-- equal
-- dialect: duckdb
SELECT a FROM t WHERE b > (SELECT b FROM u WHERE c = 'a' ORDER BY b DESC NULLS LAST LIMIT 1);
SELECT a FROM t WHERE b > (SELECT MAX(b) FROM u WHERE c = 'a');

-- equal
SELECT a, (SELECT u.a FROM u WHERE u.b = t.b ORDER BY u.a NULLS LAST LIMIT 1) FROM t;
SELECT a, (SELECT MIN(u.a) FROM u WHERE u.b = t.b) FROM t;

-- Of no rows, MAX has one row.
-- different assuming: not null, no ties, types
SELECT b FROM t ORDER BY b DESC LIMIT 1;
SELECT MAX(b) FROM t;

-- A condition may leave no rows of a table that has some.
-- different
SELECT b FROM t WHERE c = 'a' ORDER BY b DESC LIMIT 1;
SELECT MAX(b) FROM t WHERE c = 'a';

-- NULL is SQLite's first value.
-- different assuming: not empty, no ties, types
-- dialect: sqlite
SELECT b FROM t ORDER BY b LIMIT 1;
SELECT MIN(b) FROM t;

-- different
SELECT b FROM t ORDER BY a DESC NULLS LAST LIMIT 1;
SELECT MAX(b) FROM t;

-- different
SELECT b FROM t ORDER BY b DESC NULLS LAST LIMIT 1 OFFSET 1;
SELECT MAX(b) FROM t;
