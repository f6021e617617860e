-- schema: plain

-- equal
-- rule: sum_to_count
SELECT b, SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;

-- equal
SELECT b, SUM(CASE WHEN a > 1 THEN 0 ELSE 1 END) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN NULL ELSE 1 END) FROM t GROUP BY b;

-- equal assuming: not null
-- dialect: sqlite
SELECT b, SUM(a > 1) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;

-- equal
-- dialect: sqlite
SELECT b, SUM(IIF(a > 1, 1, 0)) FROM t GROUP BY b;
SELECT b, COUNT(*) FILTER (WHERE a > 1) FROM t GROUP BY b;

-- equal
-- dialect: sqlite
-- rule: sum_to_count_in_fraction
SELECT CAST(SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*) FROM t;
SELECT CAST(COUNT(CASE WHEN a > 1 THEN 1 END) AS REAL) * 100 / COUNT(*) FROM t;

-- equal
-- dialect: sqlite
SELECT 1.0 * SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) / SUM(CASE WHEN a > 2 THEN 1 ELSE 0 END) FROM t;
SELECT 1.0 * COUNT(CASE WHEN a > 1 THEN 1 END) / COUNT(CASE WHEN a > 2 THEN 1 END) FROM t;

-- equal
-- dialect: sqlite
-- rule: average_to_share
SELECT b, AVG(CASE WHEN a > 1 THEN 1.0 ELSE 0 END) FROM t GROUP BY b;
SELECT b, CAST(SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) AS REAL) / COUNT(*) FROM t GROUP BY b;

-- equal assuming: types
-- dialect: sqlite
-- rule: average_to_share
SELECT AVG(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t;
SELECT COUNT(CASE WHEN a > 1 THEN 1 END) / CAST(COUNT(*) AS REAL) FROM t;

-- Of no rows one is NULL and the other 0.
-- different assuming: not null, types
SELECT SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t;
SELECT COUNT(CASE WHEN a > 1 THEN 1 END) FROM t;

-- different assuming: not null, types
-- dialect: sqlite
SELECT 1.0 * (SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) + 1) / (SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) + 2) FROM t;
SELECT 1.0 * (COUNT(CASE WHEN a > 1 THEN 1 END) + 1) / (COUNT(CASE WHEN a > 1 THEN 1 END) + 2) FROM t;

-- different assuming: not null, types
SELECT b, SUM(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;

-- A sum of nothing but NULLs.
-- different assuming: primary key, types
-- dialect: sqlite
SELECT b, SUM(a > 1) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;

-- different assuming: not null, types
SELECT b, SUM(CASE WHEN a > 1 THEN 2 ELSE 0 END) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;

-- COALESCE makes 0 of the NULL that a SUM of no rows is.
-- equal
-- rule: sum_or_zero_to_count
SELECT COALESCE(SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END), 0) FROM t;
SELECT COUNT(*) FROM t WHERE a > 1;

-- equal
-- dialect: sqlite
-- rule: sum_or_zero_to_count
SELECT COALESCE(SUM(a > 1), 0) FROM t;
SELECT COUNT(*) FROM t WHERE a > 1;

-- equal
-- rule: sum_or_zero_to_count
SELECT b, COALESCE(SUM(CASE WHEN a > 1 THEN 1 END), 0) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;

-- different
-- witness: INSERT INTO u VALUES (1, 1, 'a', 1);
SELECT SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t;
SELECT COUNT(*) FROM t WHERE a > 1;

-- different
-- witness: INSERT INTO u VALUES (1, 1, 'a', 1);
SELECT COALESCE(SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END), 1) FROM t;
SELECT COUNT(*) FROM t WHERE a > 1;

-- different
SELECT COALESCE(SUM(CASE WHEN a > 1 THEN 2 ELSE 0 END), 0) FROM t;
SELECT COUNT(*) FROM t WHERE a > 1;
