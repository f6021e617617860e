SELECT count(*), count(DISTINCT name), min(id), max(id), avg(id), sum(id) FROM t
SELECT id, row_number() OVER (ORDER BY id), rank() OVER (ORDER BY name), dense_rank() OVER (ORDER BY id) FROM t LIMIT 5
SELECT id, lag(id, 1) OVER w, lead(id) OVER w, first_value(id) OVER w, ntile(4) OVER w FROM t WINDOW w AS (ORDER BY id) LIMIT 5
SELECT sum(id) FILTER (WHERE id > 5), percentile_cont(0.5) WITHIN GROUP (ORDER BY id), mode() WITHIN GROUP (ORDER BY name) FROM t
SELECT stddev(id), stddev_pop(id), variance(id), var_samp(id), corr(id, id), regr_slope(id, id), covar_pop(id, id) FROM t
SELECT string_agg(name, ', ' ORDER BY id) FROM t WHERE id < 5
SELECT array_agg(id ORDER BY id DESC) FROM t WHERE id < 5
SELECT unnest(ARRAY[1, 2, 3]), unnest(string_to_array('a,b,c', ','))
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) WITH ORDINALITY AS u(a, b, n)
SELECT ARRAY[1, 2] || 3, array_length(ARRAY[1, 2], 1), cardinality(ARRAY[1]), array_position(ARRAY['a', 'b'], 'b'), 1 = ANY (ARRAY[1, 2])
SELECT array_remove(ARRAY[1, 2], 1), array_replace(ARRAY[1], 1, 2), array_append(ARRAY[1], 2), array_to_string(ARRAY[1, 2], '-'), ARRAY[1, 2] @> ARRAY[1]
SELECT generate_series(1, 5), generate_subscripts(ARRAY[1, 2], 1)
SELECT d::date FROM generate_series('2020-01-01'::timestamp, '2020-03-01', '1 month') AS d
SELECT date_trunc('month', now()), date_part('year', DATE '2020-02-03'), extract(dow FROM DATE '2020-02-03'), age(DATE '2020-01-01')
SELECT current_date, current_time, current_timestamp, localtime, localtimestamp, clock_timestamp() IS NOT NULL, statement_timestamp() = now()
SELECT to_char(DATE '2020-02-03', 'YYYY-MM'), to_date('2020-01', 'YYYY-MM'), to_timestamp(0), to_number('12,3', '99,9'), make_date(2020, 1, 2), make_interval(days => 3)
SELECT DATE '2020-01-31' + INTERVAL '1 month', justify_days(INTERVAL '40 days'), DATE '2020-02-01' - DATE '2020-01-01', isfinite(DATE 'infinity')
SELECT now() AT TIME ZONE 'UTC', TIMESTAMP '2020-01-01' AT TIME ZONE 'Europe/Paris', (DATE '2020-01-01', DATE '2020-02-01') OVERLAPS (DATE '2020-01-15', DATE '2020-03-01')
SELECT date_bin('15 minutes', TIMESTAMP '2020-02-11 15:44:17', TIMESTAMP '2001-01-01')
SELECT lower('A'), upper('a'), initcap('ab cd'), length('abc'), char_length('é'), octet_length('é'), reverse('abc'), repeat('ab', 3)
SELECT substring('abcdef' FROM 2 FOR 3), substr('abc', 2), left('abc', 1), right('abc', 1), position('b' IN 'abc'), strpos('abc', 'c'), overlay('abc' PLACING 'x' FROM 2)
SELECT trim(' a '), ltrim('xa', 'x'), rtrim('ax', 'x'), btrim('xax', 'x'), lpad('a', 3, '0'), rpad('a', 3), replace('abc', 'b', 'x'), translate('abc', 'ab', 'xy')
SELECT split_part('a-b-c', '-', 2), concat('a', NULL, 'b'), concat_ws('-', 'a', 'b'), format('%s is %L', 'a', 'b'), quote_ident('a b'), quote_literal('x'), md5('a'), ascii('a'), chr(97)
SELECT 'abc' LIKE 'a%', 'abc' ILIKE 'A%', 'abc' SIMILAR TO '(a|b)%', 'abc' ~ '^a', 'abc' ~* 'B', 'abc' !~ 'z', starts_with('abc', 'a')
SELECT regexp_replace('abc', '[ab]', 'x', 'g'), regexp_match('abc', '(b)(c)'), regexp_split_to_array('a b', '\s'), (SELECT count(*) FROM regexp_matches('aaa', 'a', 'g'))
SELECT regexp_count('banana', 'an'), regexp_substr('abc', 'b.'), regexp_instr('abc', 'c'), regexp_like('abc', 'B', 'i')
SELECT coalesce(NULL, 1), nullif(1, 1), greatest(1, 2), least(1, 2), CASE WHEN 1 = 1 THEN 'a' ELSE 'b' END, num_nulls(1, NULL)
SELECT abs(-1), ceil(1.2), floor(1.7), round(1.25, 1), trunc(1.9), mod(7, 3), power(2, 10), sqrt(4), exp(1), ln(2), log(100), sign(-2), pi(), degrees(1), random() < 2, div(7, 2), gcd(4, 6), width_bucket(5, 0, 10, 5)
SELECT 7 / 2, 7 % 2, 2 ^ 3, |/ 4, @ -5, 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 2
SELECT id::text, CAST('1' AS integer), '1.5'::numeric(4, 1), 'true'::boolean, '{1,2}'::int[], '12:30'::time, '1 day'::interval, 'a'::char(3) FROM t LIMIT 1
SELECT '{"a": {"b": 1}}'::json -> 'a' ->> 'b', '{"a": [1, 2]}'::jsonb #> '{a,0}', '{"a": 1}'::jsonb @> '{"a": 1}', '{"a": 1}'::jsonb ? 'a'
SELECT json_build_object('a', 1), jsonb_build_array(1, 'x'), to_jsonb(t), row_to_json(t) FROM t LIMIT 1
SELECT json_agg(t), jsonb_object_agg(id, name) FROM (SELECT * FROM t LIMIT 3) AS t
SELECT * FROM jsonb_each('{"a": 1}'), jsonb_array_elements('[1, 2]') AS e, json_object_keys('{"b": 1}') AS k
SELECT * FROM jsonb_to_recordset('[{"a": 1, "b": "x"}]') AS r(a int, b text)
SELECT jsonb_path_query('{"a": [1, 2]}', '$.a[*]'), jsonb_set('{"a": 1}', '{a}', '2'), jsonb_typeof('1'), jsonb_array_length('[1]'), jsonb_pretty('{"a": 1}'), jsonb_strip_nulls('{"a": null}'), '{"a": 1}'::jsonb - 'a'
SELECT to_tsvector('english', 'fat cats'), to_tsvector('english', 'fat cats') @@ to_tsquery('english', 'cat'), plainto_tsquery('a b'), phraseto_tsquery('a b'), websearch_to_tsquery('a or b'), ts_rank(to_tsvector('a b'), to_tsquery('a')), ts_headline('a b', to_tsquery('a'))
SELECT numnode('a & b'::tsquery), setweight('a:1'::tsvector, 'A'), strip('a:1'::tsvector), tsvector_to_array('a b'::tsvector), querytree('a'::tsquery)
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT sum(n) FROM r
WITH a AS (SELECT * FROM t WHERE id < 3), b AS MATERIALIZED (SELECT * FROM a) SELECT * FROM b JOIN a USING (id)
SELECT * FROM t AS a LEFT JOIN t AS b ON a.id = b.id + 1 FULL JOIN t AS c ON c.id = b.id LIMIT 3
SELECT * FROM t AS a CROSS JOIN LATERAL (SELECT b.id AS bid FROM t AS b WHERE b.id < a.id ORDER BY b.id DESC LIMIT 1) AS q LIMIT 3
SELECT id % 3, count(*) FROM t GROUP BY GROUPING SETS ((id % 3), ()) HAVING count(*) > 1 ORDER BY 1 NULLS LAST
SELECT id % 2 AS a, id % 3 AS b, grouping(id % 2), count(*) FROM t GROUP BY ROLLUP (id % 2, id % 3)
SELECT id % 2, id % 3, count(*) FROM t GROUP BY CUBE (1, 2)
SELECT DISTINCT ON (id % 3) id, name FROM t ORDER BY id % 3, id DESC
SELECT id FROM t WHERE id BETWEEN 2 AND 5 UNION SELECT 7 EXCEPT SELECT 3 INTERSECT SELECT 3
SELECT id FROM t WHERE id IN (1, 2) AND NOT EXISTS (SELECT 1 FROM t AS b WHERE b.id = t.id + 5000)
SELECT id FROM t ORDER BY id DESC OFFSET 5 FETCH FIRST 3 ROWS WITH TIES
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), avg(id) OVER (PARTITION BY id % 2 ORDER BY id RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t LIMIT 5
SELECT id, count(*) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW), cume_dist() OVER (ORDER BY id), percent_rank() OVER (ORDER BY id) FROM t LIMIT 5
VALUES (1, 'a'), (2, 'b')
TABLE t LIMIT 2
SELECT bool_and(id >= 0), bool_or(id > 5), every(id >= 0), bit_and(id), bit_or(id) FROM t
SELECT int4range(1, 5) @> 3, numrange(1, 2) && numrange(1.5, 3), lower(int4range(1, 5)), upper(daterange('2020-01-01', '2020-02-01')), isempty(int4range(1, 1)), range_merge(int4range(1, 2), int4range(4, 5))
SELECT point(1, 2) <-> point(4, 6), circle '((0,0),1)' @> point '(0,0)', box '((0,0),(1,1))', area(box '((0,0),(1,1))')
SELECT '192.168.0.1'::inet << '192.168.0.0/24'::inet, host('1.2.3.4'::inet), masklen('1.2.3.0/24'::cidr), family('::1'::inet)
SELECT encode('abc'::bytea, 'hex'), decode('616263', 'hex'), encode(sha256('a'), 'base64'), get_byte('abc'::bytea, 1), convert_from('abc'::bytea, 'UTF8')
SELECT gen_random_uuid() IS NOT NULL, random() BETWEEN 0 AND 1, timeofday() IS NOT NULL
SELECT xmlelement(name a, 'x'), xpath('/a/text()', '<a>x</a>'), xmlforest(1 AS a), xmlagg(xmlelement(name b)), xmlserialize(CONTENT '<a/>'::xml AS text)
SELECT * FROM xmltable('/r/a' PASSING '<r><a>1</a><a>2</a></r>' COLUMNS v int PATH '.')
SELECT pg_typeof(1), pg_column_size('abc'), pg_size_pretty(1024::bigint), pg_size_bytes('1kB')
SELECT pg_relation_size('t') >= 0, pg_total_relation_size('t') >= 0, pg_table_size('t') >= 0
SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2
SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'
SELECT constraint_name, constraint_type FROM information_schema.table_constraints
SELECT relname, relkind, n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = 'public'
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 't'::regclass
SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
SELECT obj_description('t'::regclass), col_description('t'::regclass, 1), to_regclass('t'), pg_get_serial_sequence('t', 'id')
SELECT typname, enumlabel FROM pg_type LEFT JOIN pg_enum ON enumtypid = pg_type.oid LIMIT 3
SELECT version(), current_user, session_user, current_database(), current_schema(), current_schemas(true)
SELECT double(id), initial(name), ~+ id, product(id) FROM t WHERE id < 5 GROUP BY id, name
SELECT 5::positive, CAST(3 AS positive)
SELECT similarity('abc', 'abd'), show_trgm('abc'), 'abc' % 'abd', word_similarity('a', 'b')
SELECT 'a=>1,b=>2'::hstore -> 'a', akeys('a=>1'::hstore), hstore('a', 'b')
SELECT encode(digest('a', 'sha256'), 'hex'), crypt('a', '$1$abcdefgh$') IS NOT NULL, length(gen_random_bytes(4))
SELECT count(*) FROM normal_rand(3, 0, 1)
SELECT 'he left; then came back' AS s, 'for update' AS u, 'mysql.user' AS m
SELECT id AS "select", name AS "Order" FROM t AS "table" LIMIT 1
SELECT count(*) FROM t TABLESAMPLE BERNOULLI (100)
SELECT count(*) FROM t TABLESAMPLE SYSTEM (100) REPEATABLE (5)
SELECT (ROW(1, 'a'::text)).*, ROW(1, 2) = ROW(1, 2), (SELECT t FROM t LIMIT 1)
SELECT 1 AS query, 2 AS version, 3 AS system, 4 AS name, 5 AS summary, 6 AS repeat, 7 AS lock
SELECT E'a\'b', $$it's$$, $tag$a $$ b$tag$, U&'\0061', B'101', X'1F', 1e5 FROM t LIMIT 1
