SELECT count(*), count(DISTINCT name), min(id), max(id), avg(id), sum(id), stddev(id), median(id), mode(id), quantile_cont(id, 0.5), approx_count_distinct(id) FROM t
SELECT id, row_number() OVER (ORDER BY id), rank() OVER w, lag(id) OVER w, lead(id) OVER w, first_value(id) OVER w, ntile(3) OVER w FROM t WINDOW w AS (ORDER BY id) LIMIT 5
SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY id % 3 ORDER BY id) = 1
SELECT string_agg(name, ', ' ORDER BY id), list(id), array_agg(id), histogram(id % 3), arg_max(name, id), first(id ORDER BY id) FROM t WHERE id < 5
SELECT * EXCLUDE (name) FROM t LIMIT 1
SELECT * REPLACE (id + 1 AS id) FROM t LIMIT 1
SELECT COLUMNS('i.*') FROM t LIMIT 1
FROM t LIMIT 1
FROM t SELECT id WHERE id < 3
PIVOT (SELECT id % 2 AS a, id % 3 AS b, id FROM t) ON a USING sum(id) GROUP BY b
PIVOT (SELECT id % 3 AS b, id FROM t) ON b IN (0, 1) USING count(*)
UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME k VALUE v
SELECT * FROM (PIVOT (SELECT id % 2 AS a, id FROM t) ON a IN (0, 1) USING sum(id))
SELECT lower('A'), upper('a'), length('abc'), substring('abc', 2, 1), 'abc'[1:2], left('abc', 1), right('abc', 1), trim(' a '), lpad('a', 3, '0'), replace('abc', 'b', 'x'), split_part('a-b', '-', 1), string_split('a b', ' '), contains('abc', 'b'), starts_with('abc', 'a'), concat('a', 'b'), concat_ws('-', 'a', 'b'), reverse('abc'), strpos('abc', 'b'), repeat('ab', 2), printf('%d', 3), format('{}', 3)
SELECT regexp_matches('abc', 'b'), regexp_replace('abc', 'b', 'x'), regexp_extract('abc', '(b)', 1), 'abc' ~ '.*b.*', 'abc' SIMILAR TO 'a.*', 'abc' ILIKE 'A%', 'abc' GLOB 'a*', levenshtein('a', 'b'), jaccard('ab', 'ac')
SELECT current_date, now() IS NOT NULL, date_trunc('month', DATE '2020-02-03'), date_part('year', DATE '2020-02-03'), extract(month FROM DATE '2020-02-03'), date_diff('day', DATE '2020-01-01', DATE '2020-02-01'), strftime(DATE '2020-02-03', '%Y-%m'), strptime('2020-01', '%Y-%m'), DATE '2020-01-31' + INTERVAL 1 MONTH, age(DATE '2020-01-01', DATE '2019-01-01'), last_day(DATE '2020-02-03'), dayname(DATE '2020-02-03'), make_date(2020, 1, 2), epoch(TIMESTAMP '2020-01-01'), time_bucket(INTERVAL '1 day', TIMESTAMP '2020-01-01 01:00:00')
SELECT abs(-1), ceil(1.2), round(1.25, 1), 7 // 2, 7 % 2, 2 ** 3, pow(2, 3), sqrt(4), ln(2), greatest(1, 2), least(1, 2), random() < 2, hash(1) IS NOT NULL, md5('a'), sha256('a'), gcd(4, 6), factorial(5), uuid() IS NOT NULL, gen_random_uuid() IS NOT NULL
SELECT coalesce(NULL, 1), nullif(1, 1), ifnull(NULL, 1), if(true, 1, 2), CASE WHEN true THEN 1 END, typeof(1), TRY_CAST('a' AS INTEGER), CAST('1' AS DECIMAL(4, 1)), '1'::INTEGER
SELECT [1, 2, 3][1], list_value(1, 2), list_contains([1], 1), len([1, 2]), list_sort([2, 1]), list_distinct([1, 1]), list_transform([1, 2], lambda x: x + 1), [x * 2 FOR x IN [1, 2] IF x > 1], list_filter([1, 2], lambda x: x > 1), list_aggregate([1, 2], 'sum'), flatten([[1], [2]]), unnest([1, 2]), array_to_string([1, 2], ',')
SELECT {'a': 1, 'b': 'x'}.a, struct_pack(a := 1), MAP {'a': 1}['a'], map_keys(MAP {'a': 1}), row(1, 2)
SELECT '{"a": [1, 2]}'::JSON -> 'a', json_extract('{"a": 1}', '$.a'), json_extract_string('{"a": "x"}', '$.a'), json_array_length('[1]'), to_json({'a': 1}), json_object('a', 1), json_type('1'), json_valid('x'), json_keys('{"a": 1}')
SELECT * FROM json_each('{"a": 1}')
SELECT json_group_array(id) FROM t WHERE id < 3
SELECT * FROM range(5)
SELECT * FROM generate_series(1, 5), unnest([1, 2]) AS u(x)
SELECT * FROM generate_series(DATE '2020-01-01', DATE '2020-03-01', INTERVAL 1 MONTH)
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT sum(n) FROM r
WITH a AS MATERIALIZED (SELECT * FROM t WHERE id < 3) SELECT * FROM a JOIN t USING (id)
SELECT * FROM t AS a ASOF JOIN t AS b ON a.id >= b.id LIMIT 3
SELECT * FROM t AS a SEMI JOIN t AS b USING (id) LIMIT 1
SELECT * FROM t POSITIONAL JOIN t AS b LIMIT 1
SELECT id % 3 AS k, count(*) FROM t GROUP BY ALL ORDER BY ALL
SELECT id % 2, count(*) FROM t GROUP BY ROLLUP (id % 2)
SELECT id FROM t UNION ALL BY NAME SELECT 1 AS id LIMIT 1
SELECT id FROM t USING SAMPLE 10 ROWS
SELECT id FROM t TABLESAMPLE reservoir(5)
SELECT twice(id), name.upper().lower() FROM t LIMIT 1
SELECT table_name, column_name FROM information_schema.columns
SELECT table_name FROM duckdb_tables()
SELECT column_name FROM duckdb_columns() WHERE table_name = 't'
SELECT * FROM pragma_table_info('t')
SELECT version(), current_database(), current_schema(), pi(), today() IS NOT NULL
SELECT 1 AS query, 2 AS version, 3 AS summary, 4 AS checkpoint, 5 AS read_text, 6 AS functions, 7 AS show
WITH query AS (SELECT 1 AS a) SELECT * FROM query
SELECT 'it''s', E'a\'b', $$x$$, 1e5, 0x1F, 1_000
TABLE t
VALUES (1, 'a'), (2, 'b')
