SELECT count(*), count(DISTINCT name), min(id), max(id), avg(id), sum(id), std(id), variance(id) FROM t
SELECT id, row_number() OVER (ORDER BY id), rank() OVER (ORDER BY name), lag(id) OVER (ORDER BY id), ntile(4) OVER (ORDER BY id) FROM t LIMIT 5
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t LIMIT 5
SELECT group_concat(name ORDER BY id DESC SEPARATOR ', ') FROM t WHERE id < 5
SELECT group_concat(DISTINCT id % 3) FROM t
SELECT concat('a', 'b'), concat_ws('-', 'a', 'b'), length('é'), char_length('é'), lower('A'), upper('a'), reverse('ab'), repeat('ab', 3), space(2)
SELECT substring('abc', 2), substr('abc', 2, 1), substring_index('a.b.c', '.', 2), left('abc', 1), right('abc', 1), mid('abc', 2, 1), locate('b', 'abc'), instr('abc', 'c'), position('b' IN 'abc')
SELECT trim(' a '), trim(LEADING 'x' FROM 'xa'), ltrim(' a'), rtrim('a '), lpad('a', 3, '0'), rpad('a', 3, '0'), replace('abc', 'b', 'x'), insert('abc', 2, 1, 'x')
SELECT 'abc' LIKE 'a%', 'abc' REGEXP '^a', 'abc' RLIKE 'b', regexp_replace('abc', 'b', 'x'), regexp_substr('abc', 'b.'), regexp_instr('abc', 'c')
SELECT now() IS NOT NULL, curdate() IS NOT NULL, curtime() IS NOT NULL, current_timestamp IS NOT NULL, utc_timestamp() IS NOT NULL, sysdate() IS NOT NULL
SELECT year('2020-02-03'), month('2020-02-03'), day('2020-02-03'), dayofweek('2020-02-03'), dayname('2020-02-03'), monthname('2020-02-03'), quarter('2020-02-03'), week('2020-02-03'), dayofyear('2020-02-03'), weekday('2020-02-03')
SELECT date_add('2020-01-31', INTERVAL 1 MONTH), date_sub('2020-01-31', INTERVAL 1 DAY), datediff('2020-02-01', '2020-01-01'), timestampdiff(MONTH, '2020-01-01', '2020-05-01'), '2020-01-01' + INTERVAL 1 YEAR
SELECT date_format('2020-02-03', '%Y-%m'), str_to_date('03/02/2020', '%d/%m/%Y'), from_unixtime(0) IS NOT NULL, unix_timestamp('2020-01-01') > 0, last_day('2020-02-03'), makedate(2020, 40), maketime(1, 2, 3)
SELECT extract(YEAR_MONTH FROM '2020-02-03'), date('2020-02-03 01:02:03'), time('2020-02-03 01:02:03'), hour('01:02:03'), minute('01:02:03'), second('01:02:03'), sec_to_time(100), time_to_sec('00:01:40'), timediff('02:00:00', '01:00:00'), addtime('01:00:00', '01:00:00'), period_diff(202002, 202001), to_days('2020-01-01')
SELECT convert_tz('2020-01-01 00:00:00', '+00:00', '+01:00')
SELECT if(1 = 1, 'a', 'b'), ifnull(NULL, 1), nullif(1, 1), coalesce(NULL, 1), greatest(1, 2), least(1, 2), CASE 1 WHEN 1 THEN 'a' END, isnull(NULL), elt(2, 'a', 'b'), field('b', 'a', 'b'), find_in_set('b', 'a,b'), INTERVAL(3, 1, 5)
SELECT abs(-1), ceil(1.2), floor(1.7), round(1.25, 1), truncate(1.9, 0), mod(7, 3), 7 DIV 2, 7 % 2, pow(2, 3), sqrt(4), exp(1), ln(2), log10(100), sign(-2), pi(), degrees(1), rand() < 2, conv('a', 16, 10), crc32('a')
SELECT cast('1' AS SIGNED), cast('1.5' AS DECIMAL(4, 1)), cast(1 AS CHAR), convert('a' USING utf8mb4), cast('2020-01-01' AS DATE), binary 'a', cast('a' AS BINARY)
SELECT format(1234.5, 2), hex('a'), unhex('61'), bin(5), oct(8), ascii('a'), char(97), md5('a'), sha1('a'), sha2('a', 256), to_base64('a'), from_base64('YQ=='), soundex('abc'), quote('a'), strcmp('a', 'b')
SELECT json_extract('{"a": [1, 2]}', '$.a[0]'), json_unquote('"a"'), json_object('a', 1), json_array(1, 'x'), json_length('[1]'), json_keys('{"a": 1}'), json_contains('[1]', '1'), json_type('1'), json_valid('x'), json_set('{"a": 1}', '$.a', 2), json_merge_patch('{}', '{"a": 1}'), json_value('{"a": 1}', '$.a')
SELECT json_arrayagg(id), json_objectagg(id, name) FROM (SELECT * FROM t LIMIT 3) AS q
SELECT * FROM json_table('[{"a": 1}]', '$[*]' COLUMNS (a INT PATH '$.a')) AS j
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 2000) SELECT sum(n) FROM r
WITH a AS (SELECT * FROM t WHERE id < 3) SELECT * FROM a JOIN t USING (id)
SELECT a.id FROM t AS a LEFT JOIN t AS b ON a.id = b.id + 1 RIGHT JOIN t AS c ON c.id = b.id STRAIGHT_JOIN t AS d ON d.id = c.id LIMIT 3
SELECT id % 3, count(*) FROM t GROUP BY id % 3 WITH ROLLUP
SELECT id FROM t WHERE id BETWEEN 2 AND 5 UNION SELECT 7 EXCEPT SELECT 3
SELECT id FROM t WHERE id IN (1, 2) AND NOT EXISTS (SELECT 1 FROM t AS b WHERE b.id = t.id + 5000) ORDER BY id DESC LIMIT 1, 3
SELECT @r := @r + 1 AS n, id FROM t, (SELECT @r := 0) AS q LIMIT 3
SELECT `id` AS `select`, `name` AS "order" FROM `t` AS `table` LIMIT 1
SELECT (SELECT max(id) FROM t AS b WHERE b.id < t.id) FROM t LIMIT 3
SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 3
SELECT bit_and(id), bit_or(id), bit_xor(id) FROM t
SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = database()
SELECT table_name, table_rows FROM information_schema.tables WHERE table_schema = database()
SELECT constraint_name FROM information_schema.key_column_usage WHERE table_schema = database()
SELECT index_name FROM `information_schema`.`statistics` WHERE table_schema = database()
SELECT version(), database(), schema(), user() IS NOT NULL, current_user() IS NOT NULL, connection_id() > 0
SELECT twice(id) FROM t LIMIT 2
SELECT 'write for update and lock in share mode' AS a, 'info@mysql.com' AS b, "my 'sys.tables'" AS c
SELECT 1 AS query, 2 AS version, 3 AS mysql, 4 AS sys, 5 AS `user`, 6 AS `db`, 7 AS session, 8 AS global_priv2
SELECT 'it''s', 'it\'s', "a ""b""", 0x41, b'101', N'a', _utf8mb4'a', 'a' 'b', 1e5, .5
SELECT /* a comment */ id -- the end⏎FROM t LIMIT 1
SELECT inet_aton('1.2.3.4'), inet_ntoa(16909060), uuid() IS NOT NULL, is_ipv4('1.2.3.4')
SELECT st_astext(point(1, 2)), st_distance(point(0, 0), point(3, 4)), st_x(point(1, 2))
SELECT match_me.id FROM (SELECT id FROM t WHERE name <=> 'n1' XOR false) AS match_me
SELECT id FROM t PARTITION_ LIMIT 1
VALUES (1, 'a'), (2, 'b')
