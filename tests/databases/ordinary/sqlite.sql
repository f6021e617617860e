SELECT count(*), count(DISTINCT name), min(id), max(id), avg(id), sum(id), total(id) FROM t
SELECT id, row_number() OVER (ORDER BY id), rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(3) OVER w, lag(id) OVER w, lead(id) OVER w, first_value(id) OVER w, last_value(id) OVER w, nth_value(id, 2) OVER w FROM t WINDOW w AS (ORDER BY name) LIMIT 5
SELECT group_concat(name, ', ') FROM t WHERE id < 5
SELECT group_concat(DISTINCT id % 3) FROM t
SELECT sum(id) FILTER (WHERE id > 5) FROM t
SELECT lower('A'), upper('a'), length('abc'), substr('abc', 2), substring('abc', 2, 1), trim(' a '), ltrim('xa', 'x'), rtrim('ax', 'x'), replace('abc', 'b', 'x'), instr('abc', 'b'), hex('a'), quote('a'), char(97), unicode('a')
SELECT printf('%05.2f', 1.5), format('%d', 3), 'a' || 'b', 'abc' LIKE 'A%', 'abc' GLOB 'a*', soundex('abc')
SELECT abs(-1), round(1.25, 1), max(1, 2), min(1, 2), random() IS NOT NULL, sign(-2), ceil(1.2), floor(1.7), mod(7, 3), pow(2, 3), sqrt(4), exp(1), ln(2), log10(100), pi(), sin(1), trunc(1.9)
SELECT coalesce(NULL, 1), ifnull(NULL, 1), nullif(1, 1), iif(1, 2, 3), CASE WHEN 1 THEN 'a' END, typeof(1), likely(1), unlikely(0), likelihood(1, 0.5)
SELECT date('now'), time('now'), datetime('now', '-1 day'), julianday('2020-01-01'), strftime('%Y-%m', '2020-02-03'), unixepoch('2020-01-01'), current_date, current_time, current_timestamp
SELECT json_extract('{"a": [1, 2]}', '$.a[0]'), '{"a": 1}' -> '$.a', '{"a": 1}' ->> 'a', json_array(1, 2), json_object('a', 1), json_array_length('[1]'), json_type('1'), json_valid('x'), json('{}'), json_quote('a'), json_set('{"a": 1}', '$.a', 2), json_insert('{}', '$.a', 1), json_replace('{"a": 1}', '$.a', 3), json_remove('{"a": 1}', '$.a'), json_patch('{}', '{"a": 1}')
SELECT json_group_array(id), json_group_object(id, name) FROM (SELECT * FROM t LIMIT 3)
SELECT key, value, type FROM json_each('{"a": 1}')
SELECT fullkey FROM json_tree('{"a": {"b": 1}}')
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT sum(n) FROM r
WITH a AS (SELECT * FROM t WHERE id < 3) SELECT * FROM a JOIN t USING (id)
SELECT * FROM t AS a LEFT JOIN t AS b ON a.id = b.id + 1 LIMIT 3
SELECT id FROM t WHERE id BETWEEN 2 AND 5 UNION SELECT 7 EXCEPT SELECT 3
SELECT id FROM t WHERE id IN (1, 2) AND NOT EXISTS (SELECT 1 FROM t AS b WHERE b.id = t.id + 5000) ORDER BY id DESC LIMIT 3 OFFSET 0
SELECT CAST('1' AS INTEGER), CAST(1 AS TEXT), CAST('1.5' AS REAL), x'41', 1e5, 'it''s', "id", [id], `id` FROM t LIMIT 1
SELECT name, sql FROM sqlite_master WHERE type = 'table'
SELECT name, type FROM pragma_table_info('t')
SELECT sqlite_version() IS NOT NULL, zeroblob(3), randomblob(2) IS NOT NULL
SELECT rowid, oid, _rowid_ FROM t LIMIT 1
SELECT id COLLATE NOCASE FROM t ORDER BY name COLLATE RTRIM NULLS LAST LIMIT 1
SELECT 1 IS NOT DISTINCT FROM 1, 7 % 3, 5 & 3, 5 | 3, ~5, 1 << 2, 1 IS NULL, NULL ISNULL
SELECT 'load_extension(' AS a, 'sqlite_stmt' AS b
VALUES (1, 'a'), (2, 'b')
