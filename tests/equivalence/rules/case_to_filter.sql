-- schema: plain

-- equal
-- rule: case_to_filter
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;
SELECT b, COUNT(*) FILTER (WHERE a > 1) FROM t GROUP BY b;

-- equal
SELECT b, COUNT(CASE WHEN a > 1 THEN NULL ELSE 'x' END) FROM t GROUP BY b;
SELECT b, COUNT(*) FILTER (WHERE (a > 1) IS NOT TRUE) FROM t GROUP BY b;

-- equal
SELECT b, MAX(CASE WHEN a > 1 THEN d END), AVG(CASE WHEN a > 1 THEN d END) FROM t GROUP BY b;
SELECT b, MAX(d) FILTER (WHERE a > 1), AVG(d) FILTER (WHERE a > 1) FROM t GROUP BY b;

-- equal
SELECT b, COUNT(DISTINCT CASE WHEN a > 1 THEN c END) FROM t GROUP BY b;
SELECT b, COUNT(DISTINCT c) FILTER (WHERE 1 < a) FROM t GROUP BY b;

-- equal assuming: not null
SELECT b, COUNT(CASE WHEN a > 1 THEN c END) FROM t GROUP BY b;
SELECT b, COUNT(*) FILTER (WHERE a > 1) FROM t GROUP BY b;

-- equal
-- dialect: sqlite
SELECT b, COUNT(c = 'a' OR NULL) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN c = 'a' THEN 1 END) FROM t GROUP BY b;

-- Nothing is grouped, so nothing is lost.
-- equal
-- rule: filter_of_all_calls
SELECT COUNT(CASE WHEN a > 1 THEN 1 END) FROM t;
SELECT COUNT(*) FROM t WHERE a > 1;

-- different assuming: primary key, foreign key, types, no ties
SELECT b, COUNT(CASE WHEN a > 1 THEN c END) FROM t GROUP BY b;
SELECT b, COUNT(*) FILTER (WHERE a > 1) FROM t GROUP BY b;

-- ELSE 0 counts, too.
-- different assuming: not null, types
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t GROUP BY b;
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;

-- Groups would be lost.
-- different assuming: not null, types
SELECT b, COUNT(CASE WHEN a > 1 THEN 1 END) FROM t GROUP BY b;
SELECT b, COUNT(*) FROM t WHERE a > 1 GROUP BY b;

-- different assuming: not null, types
SELECT COUNT(CASE WHEN a > 1 THEN 1 END), COUNT(*) FROM t;
SELECT COUNT(*), COUNT(*) FROM t WHERE a > 1;

-- different assuming: not null, types
SELECT b, SUM(CASE WHEN a > 1 THEN d ELSE 0 END) FROM t GROUP BY b;
SELECT b, SUM(CASE WHEN a > 1 THEN d END) FROM t GROUP BY b;
