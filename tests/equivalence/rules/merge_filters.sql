-- schema: plain
-- rule: merge_filters

-- equal
SELECT * FROM (SELECT * FROM t WHERE a > 1) AS x WHERE b = 2;
SELECT * FROM t WHERE a > 1 AND b = 2;

-- equal
SELECT * FROM (SELECT * FROM t WHERE a > 1 OR b = 2) AS x WHERE a < 5;
SELECT * FROM t WHERE a < 5 AND (a > 1 OR b = 2);

-- different
SELECT * FROM (SELECT * FROM t WHERE a > 1) AS x WHERE b = 2;
SELECT * FROM t WHERE a > 1 OR b = 2;
