-- schema: plain

-- equal
SELECT a FROM t WHERE b IN (SELECT b FROM u WHERE a IN (SELECT a FROM v));
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u JOIN v ON u.a = v.a WHERE u.b = t.b);

-- equal
SELECT a FROM t WHERE NOT EXISTS (
  SELECT 1 FROM u WHERE u.b = t.b AND EXISTS (SELECT 1 FROM v WHERE v.a = u.a AND v.c = t.c));
SELECT a FROM t WHERE NOT EXISTS (
  SELECT 1 FROM u, v WHERE u.b = t.b AND v.a = u.a AND v.c = t.c);

-- different
SELECT a FROM t WHERE EXISTS (
  SELECT 1 FROM u WHERE u.b = t.b AND NOT EXISTS (SELECT 1 FROM v WHERE v.a = u.a));
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u JOIN v ON u.a <> v.a WHERE u.b = t.b);

-- different
SELECT a FROM t WHERE EXISTS (
  SELECT 1 FROM u WHERE u.b = t.b AND EXISTS (SELECT 1 FROM v WHERE v.a = u.a));
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b)
  AND EXISTS (SELECT 1 FROM u JOIN v ON v.a = u.a);
