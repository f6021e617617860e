-- Each line runs on SQLite; its tree, as text again, must give the same rows in the same order.
SELECT a, b FROM t ORDER BY b, a
SELECT t.a AS b, b AS c FROM t ORDER BY b, c
SELECT a AS x FROM t WHERE x > 1 ORDER BY x DESC
SELECT b AS a, count(*) FROM t GROUP BY a ORDER BY 1, 2
SELECT a + 1 AS n FROM t GROUP BY n HAVING n > 2 ORDER BY n
SELECT a + b AS s FROM t ORDER BY s + 0, a
SELECT a, a FROM t ORDER BY 2 DESC
SELECT DISTINCT b FROM t ORDER BY b DESC
SELECT count(*) FROM t ORDER BY count(*)
SELECT b, max(a) FROM t GROUP BY b HAVING max(a) > 1 ORDER BY max(a) DESC, b
SELECT max(a), c FROM t
SELECT c, min(a) FROM t GROUP BY b ORDER BY b
SELECT count(*) FROM t WHERE a > 100
SELECT sum(a) FROM t HAVING count(*) > 1
SELECT a FROM t WHERE b = (SELECT max(b) FROM t) ORDER BY a
SELECT a FROM t AS o WHERE EXISTS (SELECT 1 FROM u WHERE u.a = o.a AND d > o.b) ORDER BY a
SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a) AS n FROM t ORDER BY n, a
SELECT b, (SELECT max(t.a) FROM u) FROM t GROUP BY b ORDER BY b
SELECT b, (SELECT sum(u.d + t.b) FROM u) FROM t GROUP BY b ORDER BY b
SELECT b FROM t GROUP BY b HAVING (SELECT count(*) FROM u WHERE u.d >= max(t.a)) > 0 ORDER BY b
SELECT (SELECT b) FROM t ORDER BY 1
SELECT (SELECT t.a + u.d FROM u LIMIT 1) FROM t ORDER BY a
SELECT * FROM t JOIN u USING (a) ORDER BY 1, 2, 3, 4
SELECT a, d FROM t LEFT JOIN u USING (a) ORDER BY a, d
SELECT a, d, e FROM t JOIN u USING (a) LEFT JOIN v USING (b) ORDER BY 1, 2, 3
SELECT * FROM t NATURAL JOIN u ORDER BY 1, 2, 3, 4
SELECT u.a, t.a FROM t LEFT JOIN u USING (a) ORDER BY 1, 2
SELECT a FROM t RIGHT JOIN u USING (a) ORDER BY 1
SELECT a FROM t FULL JOIN u USING (a) ORDER BY 1
SELECT * FROM t FULL JOIN u USING (a) ORDER BY 1, 2, 3, 4
SELECT * FROM (t JOIN u ON t.a = u.a) JOIN v ON t.b = v.b ORDER BY 1, 2, 3, 4, 5, 6
SELECT t.a, v.e FROM t LEFT JOIN (u JOIN v ON u.d = v.e) ON t.a = u.a ORDER BY 1, 2
SELECT x.a FROM (SELECT a, b FROM t) x, (SELECT a FROM u) y WHERE x.a = y.a ORDER BY 1
SELECT a FROM (SELECT t.a, u.a FROM t JOIN u ON t.a = u.a) ORDER BY a
SELECT "count(*)" FROM (SELECT b, count(*) FROM t GROUP BY b) ORDER BY 1
SELECT "sum(a)" + 1 FROM (SELECT SUM(a) FROM t)
SELECT a FROM t UNION SELECT d FROM u ORDER BY a DESC
SELECT a FROM t UNION ALL SELECT d FROM u EXCEPT SELECT 1 INTERSECT SELECT a FROM t ORDER BY 1
SELECT a FROM t EXCEPT SELECT d FROM u UNION SELECT 7 ORDER BY 1
SELECT a AS x, b FROM t UNION SELECT d, a FROM u ORDER BY b, x
SELECT a + 1 FROM t UNION SELECT d FROM u ORDER BY a + 1
SELECT c FROM t UNION SELECT d FROM u ORDER BY d
SELECT a FROM t WHERE (a, b) IN (SELECT a, d FROM u) ORDER BY 1
SELECT a FROM t WHERE (a, b) = (1, 10) ORDER BY 1
SELECT a FROM t WHERE (a, b) IN (VALUES (1, 10), (2, 20)) ORDER BY 1
SELECT a FROM t WHERE a IN u2 ORDER BY 1
SELECT a FROM t WHERE a NOT IN (SELECT d FROM u) ORDER BY 1
SELECT a FROM t WHERE a IN () OR a NOT IN () ORDER BY 1
SELECT a FROM t WHERE a IN ((SELECT d FROM u)) ORDER BY 1
SELECT a FROM t WHERE c LIKE 'x%' OR c NOT LIKE '%!%' ESCAPE '!' ORDER BY a
SELECT a FROM t WHERE c GLOB 'x*' AND c NOT GLOB '*z' ORDER BY a
SELECT a FROM t WHERE c = "xa" ORDER BY a
SELECT a FROM t WHERE c = "b" ORDER BY a
SELECT a FROM t WHERE "c" = 'xa' AND `a` = 1 AND [b] IS NOT NULL
SELECT a FROM t WHERE a BETWEEN 1 AND 2 AND a NOT BETWEEN 2 AND 3 ORDER BY a
SELECT CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END FROM t ORDER BY a
SELECT CASE WHEN a > 1 THEN 'big' ELSE c END, IIF(a = 1, b, -b) FROM t ORDER BY a
SELECT -a, - -a, ~a, a & 1, a | 2, a << 1, a >> 1, a % 2, a / 2, 7 / 2, a * 1.5, a || c || b FROM t ORDER BY a
SELECT a IS b, a IS NOT b, a IS NULL, b IS NOT NULL, a ISNULL, a NOTNULL, NOT a = 1, a <> 1, a != 1, a == 1 FROM t ORDER BY a
SELECT CAST(b AS TEXT), CAST(c AS INTEGER), CAST(a AS DECIMAL(10, 2)), CAST('1.5' AS NUMERIC), CAST('7' AS SIGNED), CAST(a AS REAL), CAST('3x' AS STRING) FROM t ORDER BY a
SELECT length(c), upper(c), substr(c, 1, 1), substr(c, -1), replace(c, 'x', 'y'), instr(c, 'a'), abs(-a), round(a / 3.0, 1), coalesce(b, a), ifnull(b, 0), nullif(a, 1), typeof(b), max(a, b), min(a, 2) FROM t ORDER BY a
SELECT trim('  x '), ltrim('xxa', 'x'), rtrim('axx', 'x'), trim('xax', 'x'), printf('%03d', 5), hex('a'), quote('it''s'), char(65), unicode('A'), substring('abc', 2) 
SELECT strftime('%Y', '2020-02-03'), date('2020-02-03', '+1 day'), julianday('2020-01-02') - julianday('2020-01-01'), datetime('2020-01-01 10:00'), time('10:00'), strftime('%m-%d', '2020-02-03', '+1 month')
SELECT json_extract('{"a": [1, 2]}', '$.a[1]'), '{"a": {"b": 5}}' -> '$.a' ->> '$.b', json('{"x":1}') ->> 'x'
SELECT value FROM json_each('[3, 1, 2]') ORDER BY value
SELECT t.a, j.value FROM t, json_each('[' || t.a || ', 9]') AS j ORDER BY 1, 2
SELECT rowid, oid, _rowid_ FROM u ORDER BY rowid
SELECT t.rowid, u.rowid FROM t JOIN u ON t.a = u.a ORDER BY 1, 2
SELECT a FROM t WHERE rowid = (SELECT max(rowid) FROM t)
SELECT count(DISTINCT b), sum(DISTINCT b), count(b), count(*), count(), avg(b), total(b), group_concat(b) FROM t
SELECT group_concat(c, '-') FROM (SELECT c FROM t ORDER BY a)
SELECT count(*) FILTER (WHERE a > 1), sum(a) FILTER (WHERE b IS NULL) FROM t
SELECT a, row_number() OVER (ORDER BY a DESC), rank() OVER (PARTITION BY b ORDER BY a), sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t ORDER BY a
SELECT a, sum(a) OVER w, avg(a) OVER (w ORDER BY a) FROM t WINDOW w AS (PARTITION BY b) ORDER BY a
SELECT b, count(*), rank() OVER (ORDER BY count(*) DESC, b) FROM t GROUP BY b ORDER BY b
SELECT b, sum(sum(a)) OVER (ORDER BY b) FROM t GROUP BY b ORDER BY b
SELECT a FROM t ORDER BY row_number() OVER (ORDER BY a DESC)
SELECT a, lag(a, 1, 0) OVER (ORDER BY a), lead(a) OVER (ORDER BY a), first_value(c) OVER (ORDER BY a), ntile(2) OVER (ORDER BY a) FROM t ORDER BY a
SELECT (SELECT max(x) FROM (SELECT a AS x FROM u WHERE u.a <= t.a)) FROM t ORDER BY a
WITH x AS (SELECT a, b FROM t WHERE a > 1), y(p) AS (SELECT a FROM x) SELECT x.a, p FROM x JOIN y ON x.a = p ORDER BY 1
WITH x AS (SELECT a FROM t) SELECT a FROM x WHERE a IN (SELECT max(a) FROM x)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i), count(*) FROM n
WITH RECURSIVE n(i) AS (VALUES (1), (3) UNION SELECT i * 2 FROM n WHERE i < 20) SELECT i FROM n ORDER BY i
SELECT a FROM t WHERE a IN (WITH z AS (SELECT d FROM u) SELECT d FROM z) ORDER BY a
SELECT t.a, (WITH z AS (SELECT d FROM u WHERE u.a = t.a) SELECT max(d) FROM z) FROM t ORDER BY 1
VALUES (1, 'a'), (2, 'b')
SELECT column1 + 1 FROM (VALUES (1), (2)) ORDER BY 1
SELECT * FROM (SELECT * FROM t ORDER BY a DESC LIMIT 2) ORDER BY a
SELECT a FROM t ORDER BY a LIMIT 1 OFFSET 1
SELECT a FROM t ORDER BY a LIMIT 1, 2
SELECT a FROM t ORDER BY a LIMIT -1 OFFSET 1
SELECT a FROM t ORDER BY b DESC NULLS LAST, a
SELECT a FROM t ORDER BY b NULLS LAST, a
SELECT a FROM t ORDER BY c COLLATE NOCASE DESC, a
SELECT c FROM t WHERE c = 'XA' COLLATE NOCASE
SELECT a FROM main.t ORDER BY main.t.a
SELECT T.A FROM T AS T ORDER BY t.a
SELECT t.* FROM t, u WHERE t.a = u.a ORDER BY 1, 2, 3
SELECT *, a FROM t ORDER BY a
SELECT u.*, t.* FROM t JOIN u ON t.a = u.a ORDER BY 1, 2, 3
SELECT t.a FROM t JOIN u ON t.a = v.b / 10 JOIN v ORDER BY 1
SELECT a FROM t WHERE a > 1 AND (b > 5 AND (c LIKE 'x%' OR a = 2)) ORDER BY a
SELECT 1 WHERE 0
SELECT 1 UNION SELECT 2
SELECT count(*) FROM (SELECT 1 UNION ALL SELECT 1)
SELECT b, c FROM t GROUP BY 1, 2 ORDER BY 1, 2
SELECT substr(c, 1, 1), count(*) FROM t GROUP BY substr(c, 1, 1) ORDER BY 1
SELECT substr(c, 1, 1) AS k, count(*) FROM t GROUP BY k ORDER BY k
SELECT a % 2 + 1, count(*) FROM t GROUP BY a % 2 ORDER BY 1
SELECT DISTINCT b FROM t ORDER BY a LIMIT 1
SELECT 9223372036854775807, -9223372036854775808, 9223372036854775808, 0x1F, 1e3, .5, 1., x'00ff', 'a''b', NULL, TRUE, FALSE
SELECT likely(a), unlikely(a) FROM t ORDER BY a
SELECT like('x%', c), glob('x*', c) FROM t ORDER BY a
SELECT max(x) FROM (SELECT a AS x FROM t UNION SELECT d FROM u)
SELECT min(a) FROM t WHERE b IN (SELECT b FROM t GROUP BY b HAVING count(*) > 1)
SELECT a FROM t t1 WHERE (SELECT count(*) FROM t t2 WHERE t2.a > t1.a) < 2 ORDER BY a
SELECT a, b FROM t WHERE (a, b) > (1, 10) ORDER BY a
SELECT a FROM t GROUP BY a HAVING a > 1 ORDER BY a
SELECT avg(b) FROM t GROUP BY a % 2 HAVING avg(b) > (SELECT min(b) FROM t) ORDER BY 1
SELECT t.a AS a FROM t JOIN u ON t.a = u.a ORDER BY a
SELECT a AS "my col" FROM t ORDER BY "my col" DESC
SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name
SELECT a = '1', b = '10', c = 5, '1' = 1 FROM t ORDER BY a
SELECT i.name FROM pragma_table_info('t') AS i ORDER BY 1
SELECT coalesce(max(a), 0) + 1 FROM t WHERE a > 100
SELECT not a, not not a, not (a > 1) or b is null FROM t ORDER BY a
SELECT a FROM t CROSS JOIN (SELECT 1 AS one) WHERE one = 1 ORDER BY a
SELECT a FROM t, (SELECT max(d) AS m FROM u) WHERE a < m ORDER BY a
SELECT DISTINCT count(*) FROM t GROUP BY b ORDER BY 1
SELECT b FROM t GROUP BY b ORDER BY sum(a) DESC, b LIMIT 2
SELECT max(c) FROM t GROUP BY b ORDER BY b DESC
SELECT a, b FROM t AS x WHERE b = (SELECT max(y.b) FROM t AS y WHERE y.a % 2 = x.a % 2) ORDER BY a
SELECT * FROM t LEFT JOIN u ON t.a = u.a AND u.d > 5 WHERE u.a IS NULL ORDER BY 1
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a, v WHERE v.b = t.b ORDER BY 1
SELECT count(*) FROM t a JOIN t b ON a.a < b.a
SELECT b.a FROM t a JOIN u b ON a.a = b.a ORDER BY b.a
SELECT * FROM (WITH y(k0) AS (SELECT x.k0 FROM (WITH y(k0) AS (SELECT a FROM u) SELECT * FROM y) AS x) SELECT * FROM y) AS z
WITH y AS (SELECT a FROM t) SELECT * FROM (WITH y AS (SELECT d FROM u) SELECT * FROM y) x, y
SELECT CASE WHEN a > 1 THEN a END FROM t ORDER BY a
SELECT CAST(a AS VARCHAR) FROM t ORDER BY a
SELECT c, count(*) FROM t GROUP BY c ORDER BY c
SELECT a + 1, count(*) FROM t GROUP BY a + 1 ORDER BY 1
SELECT b FROM t GROUP BY b HAVING count(*) > 1 ORDER BY b
SELECT b FROM (SELECT DISTINCT b, c FROM t) ORDER BY b
SELECT * FROM t JOIN u ON t.a = u.a ORDER BY 1, 2, 3, 4, 5
SELECT * FROM t LEFT JOIN u ON t.a = u.a ORDER BY 1, 2, 3, 4, 5
SELECT * FROM t RIGHT JOIN u ON t.a = u.a ORDER BY 1, 2, 3, 4, 5
SELECT * FROM t FULL JOIN u ON t.a = u.a ORDER BY 1, 2, 3, 4, 5
SELECT * FROM t LEFT JOIN (t AS x JOIN u ON x.a = u.a) ON t.a = u.a ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
SELECT DISTINCT b FROM t ORDER BY b DESC NULLS LAST LIMIT 2 OFFSET 1
SELECT * FROM t WHERE a NOT IN (SELECT d FROM u) ORDER BY a
SELECT 1, NULL
SELECT 'it''s', a FROM t WHERE c <> 'it''s' ORDER BY a
SELECT a FROM t UNION SELECT a FROM u UNION SELECT d FROM u ORDER BY 1
SELECT a FROM t UNION ALL SELECT a FROM u ORDER BY 1
VALUES (1, 2), (2, NULL)
