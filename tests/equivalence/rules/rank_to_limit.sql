-- schema: plain
-- rule: rank_to_limit

-- equal
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (ORDER BY b DESC, a) AS n FROM t) x WHERE n = 1;
SELECT a FROM t ORDER BY b DESC, a LIMIT 1;

-- equal assuming: no ties
SELECT a FROM (SELECT a, RANK() OVER (ORDER BY b) AS n FROM t) x WHERE n <= 1;
SELECT a FROM t ORDER BY b LIMIT 1;

-- equal assuming: no ties
SELECT a FROM (SELECT a, DENSE_RANK() OVER (ORDER BY b DESC) AS n FROM t WHERE c = 'a') x WHERE n < 2;
SELECT a FROM t WHERE c = 'a' ORDER BY b DESC LIMIT 1;

-- All rows of a tie are the first ones by RANK.
-- different assuming: primary key, not null, types
SELECT a FROM (SELECT a, RANK() OVER (ORDER BY b) AS n FROM t) x WHERE n = 1;
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (ORDER BY b, a) AS n FROM t) x WHERE n = 1;

-- different
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY c ORDER BY b, a) AS n FROM t) x WHERE n = 1;
SELECT a FROM t ORDER BY b, a LIMIT 1;

-- different
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (ORDER BY b, a) AS n FROM t) x WHERE n = 2;
SELECT a FROM t ORDER BY b, a LIMIT 1;

-- What is asked of the numbered rows is asked after numbering.
-- different
SELECT a FROM (SELECT a, c, ROW_NUMBER() OVER (ORDER BY b, a) AS n FROM t) x WHERE n = 1 AND c = 'a';
SELECT a FROM t WHERE c = 'a' ORDER BY b, a LIMIT 1;
