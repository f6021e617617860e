-- schema: plain
-- rule: one_row_to_scalar

-- equal
SELECT t.a FROM t, (SELECT AVG(b) AS x FROM t) s WHERE t.b > s.x;
SELECT a FROM t WHERE b > (SELECT AVG(b) FROM t);

-- equal
WITH s AS (SELECT MAX(b) AS x, MIN(b) AS y FROM u) SELECT t.a FROM t JOIN s ON t.b = s.x OR t.b = s.y;
SELECT a FROM t WHERE b = (SELECT MAX(b) FROM u) OR b = (SELECT MIN(b) FROM u);

-- equal
SELECT t.a, s.n FROM t CROSS JOIN (SELECT COUNT(*) AS n FROM u) s;
SELECT a, (SELECT COUNT(*) FROM u) FROM t;

-- With GROUP BY there may be no row, or several.
-- different
SELECT t.a FROM t, (SELECT AVG(b) AS x FROM t GROUP BY c) s WHERE t.b > s.x;
SELECT a FROM t WHERE b > (SELECT AVG(b) FROM t);

-- different assuming: not null, no ties, types
SELECT t.a, s.a FROM t CROSS JOIN (SELECT a FROM u ORDER BY a, b LIMIT 1) s;
SELECT a, (SELECT a FROM u ORDER BY a, b LIMIT 1) FROM t;

-- different
SELECT t.a, s.n FROM t CROSS JOIN (SELECT COUNT(*) AS n FROM u HAVING COUNT(*) > 1) s;
SELECT a, (SELECT COUNT(*) FROM u HAVING COUNT(*) > 1) FROM t;
