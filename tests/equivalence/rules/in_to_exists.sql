-- schema: shop

-- equal
-- schema: plain
SELECT a FROM t WHERE b IN (SELECT b FROM u);
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- equal
-- schema: plain
SELECT a FROM t WHERE b IN (SELECT b FROM u WHERE u.a > t.a);
SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE t.a < u.a AND t.b = u.b);

-- equal
-- schema: plain
-- dialect: duckdb
SELECT a FROM t WHERE b = ANY (SELECT b FROM u);
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- equal
-- schema: plain
-- dialect: duckdb
SELECT a FROM t WHERE b < ANY (SELECT b FROM u);
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b > t.b);

-- equal
-- schema: plain
SELECT a FROM t WHERE b = 1 OR b IN (SELECT b FROM u);
SELECT a FROM t WHERE b = 1 OR EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- equal
-- schema: plain
SELECT a FROM t WHERE (a, b) IN (SELECT a, b FROM u);
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.a = t.a);

-- As a value IN is NULL where EXISTS is false.
-- different assuming: primary key, foreign key, types
-- schema: plain
SELECT b IN (SELECT b FROM u) FROM t;
SELECT EXISTS (SELECT 1 FROM u WHERE u.b = t.b) FROM t;

-- different assuming: nothing
-- schema: plain
-- witness: INSERT INTO t VALUES (1, 2, 'a', 0.5);
-- witness: INSERT INTO u VALUES (1, NULL, 'a', 0.5);
SELECT a FROM t WHERE NOT b IN (SELECT b FROM u);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- An EXISTS over a join counts no partner twice.
-- different
-- schema: plain
SELECT t.a FROM t WHERE b IN (SELECT b FROM u);
SELECT t.a FROM t JOIN u ON t.b = u.b;
