-- schema: plain
-- rule: exists_in_set

-- equal
SELECT DISTINCT t.c FROM t WHERE t.b IN (SELECT b FROM u WHERE a > 1);
SELECT DISTINCT t.c FROM t JOIN u ON t.b = u.b WHERE u.a > 1;

-- equal
SELECT DISTINCT t.c FROM t WHERE t.b IN (SELECT u.b FROM u WHERE u.a IN (SELECT v.a FROM v));
SELECT DISTINCT t.c FROM t JOIN u ON t.b = u.b JOIN v ON u.a = v.a;

-- equal
SELECT MAX(t.c), COUNT(DISTINCT t.a) FROM t WHERE t.b IN (SELECT b FROM u);
SELECT MAX(t.c), COUNT(DISTINCT t.a) FROM t JOIN u ON t.b = u.b;

-- equal
SELECT c FROM t WHERE b IN (SELECT b FROM u) UNION SELECT c FROM v;
SELECT t.c FROM t JOIN u ON t.b = u.b UNION SELECT c FROM v;

-- equal
SELECT c FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b GROUP BY u.a) GROUP BY c;
SELECT DISTINCT t.c FROM t, u WHERE t.b = u.b;

-- different
SELECT t.c FROM t WHERE t.b IN (SELECT b FROM u WHERE a > 1);
SELECT t.c FROM t JOIN u ON t.b = u.b WHERE u.a > 1;

-- different
SELECT t.c, COUNT(*) FROM t WHERE t.b IN (SELECT b FROM u) GROUP BY t.c;
SELECT t.c, COUNT(*) FROM t JOIN u ON t.b = u.b GROUP BY t.c;

-- different
SELECT SUM(t.a) FROM t WHERE t.b IN (SELECT b FROM u);
SELECT SUM(t.a) FROM t JOIN u ON t.b = u.b;

-- different
SELECT c FROM t WHERE b IN (SELECT b FROM u) UNION ALL SELECT c FROM v;
SELECT t.c FROM t JOIN u ON t.b = u.b UNION ALL SELECT c FROM v;

-- different
SELECT DISTINCT t.c FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.b);
SELECT DISTINCT t.c FROM t JOIN u ON t.b <> u.b;
