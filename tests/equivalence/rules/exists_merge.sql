-- schema: plain

-- equal
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.c = 'a')
  OR EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.c = 'b');
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.c IN ('a', 'b'));

-- equal
SELECT a FROM t WHERE b IN (SELECT a FROM u) OR b IN (SELECT b FROM u);
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.b OR u.b = t.b);

-- equal
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.b)
  AND NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.b OR u.b = t.b);

-- equal assuming: not null
SELECT a FROM t WHERE b NOT IN (SELECT a FROM u UNION SELECT b FROM u);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.b OR u.b = t.b);

-- One row for both, or one for each.
-- different
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.c = 'a')
  AND EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.a = 1);
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.c = 'a' AND u.a = 1);

-- different
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.c = 'a')
  OR NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND u.a = 1);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b AND (u.c = 'a' OR u.a = 1));
