-- schema: plain

-- equal
SELECT a FROM t WHERE (SELECT COUNT(*) FROM u WHERE u.b = t.b) > 0;
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- equal
SELECT a FROM t WHERE 1 <= (SELECT COUNT(*) FROM u WHERE u.b = t.b);
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- equal
SELECT a FROM t WHERE (SELECT COUNT(*) FROM u WHERE u.b = t.b) = 0;
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- equal
SELECT a, (SELECT COUNT(*) FROM u WHERE u.b = t.b) <> 0 FROM t;
SELECT a, EXISTS (SELECT 1 FROM u WHERE u.b = t.b) FROM t;

-- equal
SELECT a FROM t WHERE (SELECT COUNT(u.c) FROM u WHERE u.b = t.b) >= 1;
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.c IS NOT NULL);

-- different assuming: nothing
-- witness: INSERT INTO t VALUES (1, 2, 'a', 0.5);
-- witness: INSERT INTO u VALUES (1, 2, NULL, 0.5);
SELECT a FROM t WHERE (SELECT COUNT(u.c) FROM u WHERE u.b = t.b) > 0;
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- different
SELECT a FROM t WHERE (SELECT COUNT(*) FROM u WHERE u.b = t.b) > 1;
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- Of no rows COUNT is 0, and with GROUP BY there is no COUNT.
-- different
SELECT a FROM t WHERE (SELECT COUNT(*) FROM u WHERE u.b = t.b GROUP BY u.b) = 0;
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- different
SELECT a FROM t WHERE (SELECT SUM(u.a) FROM u WHERE u.b = t.b) = 0;
SELECT a FROM t WHERE (SELECT COUNT(*) FROM u WHERE u.b = t.b) = 0;
