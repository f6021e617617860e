-- schema: plain
-- rule: filter_into_union

-- equal
SELECT x FROM (SELECT a AS x, c FROM t UNION ALL SELECT b, c FROM u) z WHERE c = 'a';
SELECT a FROM t WHERE c = 'a' UNION ALL SELECT b FROM u WHERE c = 'a';

-- equal
SELECT x FROM (SELECT a AS x FROM t UNION SELECT b FROM u) z WHERE x > 1;
SELECT a FROM t WHERE a > 1 UNION SELECT b FROM u WHERE b > 1;

-- equal
SELECT c FROM (SELECT c FROM t UNION SELECT c FROM u) z WHERE c IN (SELECT c FROM v);
SELECT c FROM t WHERE c IN (SELECT c FROM v) UNION SELECT c FROM u WHERE c IN (SELECT c FROM v);

-- Duplicates go before the projection, or after it.
-- different
SELECT x FROM (SELECT a AS x, c FROM t UNION SELECT b, c FROM u) z WHERE c IN ('a', 'b');
SELECT a FROM t WHERE c IN ('a', 'b') UNION SELECT b FROM u WHERE c IN ('a', 'b');

-- different
SELECT x FROM (SELECT a AS x FROM t UNION ALL SELECT b FROM u) z WHERE x > 1;
SELECT a FROM t WHERE a > 1 UNION ALL SELECT b FROM u;
