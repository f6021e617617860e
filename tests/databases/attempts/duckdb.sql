-- class: files and other databases; expect: refused, error
SELECT * FROM '/etc/passwd'
SELECT * FROM 'x.csv'
SELECT * FROM "x.parquet"
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM "read_csv"('/etc/passwd')
SELECT * FROM read_csv_auto('/etc/passwd')
SELECT * FROM read_text('/etc/passwd')
SELECT * FROM read_blob('/etc/passwd')
SELECT * FROM read_json('/etc/passwd')
SELECT * FROM read_json_objects('/etc/passwd')
SELECT * FROM read_ndjson('/etc/passwd')
SELECT * FROM read_parquet('x.parquet')
SELECT * FROM parquet_scan('x.parquet')
SELECT * FROM parquet_metadata('x.parquet')
SELECT * FROM parquet_schema('x.parquet')
SELECT * FROM sniff_csv('/etc/passwd')
SELECT * FROM glob('/etc/*')
SELECT * FROM read_duckdb('t.duckdb')
SELECT * FROM sqlite_scan('x.db', 't')
SELECT * FROM postgres_scan('dbname=postgres', 'public', 't')
SELECT * FROM duckdb_secrets()
SELECT * FROM which_secret('s3://x', 's3')
SELECT getenv('HOME')
FROM read_text('/etc/passwd')
TABLE 'x.csv'
COPY t TO 'stolen.csv'
COPY (SELECT 1) TO 'stolen.parquet'
EXPORT DATABASE 'stolen'
IMPORT DATABASE 'stolen'
ATTACH 'stolen.db'
ATTACH ':memory:' AS m
DETACH t
INSTALL httpfs
LOAD httpfs
UPDATE EXTENSIONS
-- class: memory addresses and functions of this process; expect: refused, error
SELECT * FROM arrow_scan(1, 2, 3)
SELECT * FROM "arrow_scan"(1::POINTER, 2::POINTER, 3::POINTER)
SELECT * FROM arrow_scan_dumb(1, 2, 3)
SELECT * FROM python_arrow_scan(1)
SELECT * FROM pandas_scan(1)
SELECT * FROM pandas_scan(1::POINTER)
SELECT * FROM python_map_function(1)
SELECT * FROM seq_scan()
SELECT * FROM statements
SELECT * FROM session
SELECT * FROM mine
FROM limits
-- class: a function that runs a text; expect: refused, error
SELECT * FROM query('select setse' || 'ed(0.5)')
SELECT * FROM "query"('select 1')
SELECT * FROM Query('select 1')
SELECT * FROM query /* x */ ('select 1')
SELECT * FROM query⏎--⏎('select 1')
FROM query('DELETE FROM t')
SELECT (FROM query('select 1'))
SELECT * FROM query_table('t')
SELECT * FROM query_table(['t', 't'])
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('select 1'))
SELECT json_serialize_plan('select 1')
SELECT * FROM run_text('select 1')
SELECT * FROM "run_text"('select 1')
SELECT * FROM calls_run_text('select 1')
SELECT * FROM main.calls_run_text('select setse' || 'ed(0.5)')
PREPARE p AS SELECT 1
EXECUTE p
CALL query('select 1')
PRAGMA json_execute_serialized_sql('x')
-- class: state between statements; expect: refused, error
SELECT setseed(0.5)
SELECT "setseed"(0.5)
SELECT SetSeed(0.5)
SELECT (0.5).setseed()
SELECT list_transform([0.5], x -> setseed(x))
SELECT main.setseed(0.5)
SELECT CASE WHEN random() < 2 THEN setseed(0.5) END
SELECT seeds(0.5)
SET VARIABLE a = 1
SET threads = 4
SET memory_limit = '100GB'
SET GLOBAL TimeZone = 'Asia/Tokyo'
RESET memory_limit
PRAGMA memory_limit = '100GB'
PRAGMA enable_profiling
PRAGMA threads = 4
CALL enable_logging()
SELECT * FROM enable_logging()
SELECT * FROM enable_profiling()
SELECT * FROM disable_logging()
SELECT * FROM truncate_duckdb_logs()
SELECT * FROM duckdb_logs()
SELECT * FROM duckdb_logs_parsed('QueryLog')
SELECT write_log('x')
SELECT write_log('x', level := 'error')
SELECT * FROM duckdb_prepared_statements()
SELECT * FROM duckdb_variables()
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_databases()
SELECT * FROM duckdb_temporary_files()
SELECT * FROM duckdb_memory()
SELECT * FROM duckdb_connection_count()
SELECT * FROM duckdb_external_file_cache()
SELECT * FROM duckdb_extensions()
SELECT current_query()
SELECT current_query_id()
SELECT current_transaction_id()
SELECT current_connection_id()
SELECT txid_current()
SELECT nextval('s')
SELECT currval('s')
SELECT * FROM force_checkpoint()
SELECT * FROM checkpoint()
CHECKPOINT
FORCE CHECKPOINT
USE memory
CREATE TEMP TABLE u AS SELECT 1
CREATE SECRET s (TYPE s3)
CREATE OR REPLACE MACRO m(x) AS x
CREATE TYPE e AS ENUM ('a')
-- class: writes in a query; expect: refused, error
WITH x AS (SELECT 1) DELETE FROM t
WITH x AS (SELECT 1) INSERT INTO t SELECT -1, 'x'
WITH x AS (SELECT 1) UPDATE t SET name = 'x'
WITH d AS (DELETE FROM t RETURNING id) SELECT * FROM d
FROM t INSERT INTO t SELECT *
INSERT INTO t BY NAME SELECT -1 AS id
INSERT OR REPLACE INTO t VALUES (1, 'x')
SELECT * INTO u FROM t
SELECT 1; DELETE FROM t
SELECT 1;⏎COMMIT; DROP TABLE t
SELECT $$;$$; DROP TABLE t
SELECT E'\''; DROP TABLE t
PIVOT t ON name; DROP TABLE t
TRUNCATE t
ALTER TABLE t RENAME TO u
COMMENT ON TABLE t IS 'x'
VACUUM
ANALYZE
EXPLAIN ANALYZE DELETE FROM t
BEGIN
MERGE INTO t USING t AS s ON t.id = s.id WHEN MATCHED THEN DELETE
-- class: nothing is changed, so it may run; expect: refused, error, ok
SELECT json_serialize_sql('select 1')
SELECT getvariable('a')
SELECT version()
SELECT * FROM duckdb_tables()
SELECT current_setting('TimeZone')
SELECT list_aggregate([1, 2], 'setseed')
SELECT 'setseed'
-- class: time, rows and memory; expect: timeout, too_large, out_of_memory, error
SELECT a.id FROM t AS a, t AS b, t AS c
SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d WHERE a.id + b.id + c.id + d.id > 3
WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r
SELECT string_agg(repeat('a', 1000), '') FROM t, t AS u
SELECT * FROM range(100000000) ORDER BY hash(range)
SELECT sum(hash(a.range + b.range)) FROM range(1000000) AS a, range(1000000) AS b
-- class: other statements, tables and types; expect: refused, error, ok
FROM (DESCRIBE t)
FROM (SHOW TABLES)
FROM (SHOW ALL TABLES)
FROM (SHOW DATABASES)
FROM (SUMMARIZE t)
SELECT * FROM (SHOW SETTINGS)
SELECT * FROM (CALL force_checkpoint())
SELECT * FROM (EXPLAIN SELECT 1)
SELECT * FROM (PRAGMA version)
SELECT * FROM (DELETE FROM t RETURNING *)
SELECT * FROM (INSERT INTO t VALUES (-1,'a') RETURNING *)
WITH x AS (INSERT INTO t VALUES (-1,'a') RETURNING *) FROM x
FROM (COPY t TO 'stolen.csv')
FROM 'stolen.csv'
FROM '/etc/passwd' AS x
SELECT * FROM '/proc/self/environ'
SELECT * FROM "/etc/passwd"
SELECT * FROM 'https://example.org/x.csv'
SELECT * FROM 's3://a/b.parquet'
SELECT * FROM "t.duckdb".main.t
SELECT * FROM memory.main.t
SELECT * FROM system.information_schema.tables
SELECT * FROM temp.main.t
SELECT * FROM delta_scan('x')
SELECT * FROM iceberg_scan('x')
SELECT * FROM st_read('x')
SELECT * FROM read_xlsx('x')
SELECT * FROM read_avro('x')
SELECT * FROM read_vortex('x')
SELECT * FROM mysql_query('a','b')
SELECT * FROM postgres_query('a','b')
SELECT * FROM duckdb_optimizers()
SELECT * FROM duckdb_dependencies()
SELECT * FROM duckdb_log_contexts()
SELECT * FROM duckdb_profiling_settings()
SELECT * FROM duckdb_approx_database_count()
SELECT * FROM duckdb_secret_types()
SELECT * FROM pragma_database_size()
SELECT * FROM pragma_storage_info('t')
SELECT * FROM pragma_metadata_info()
SELECT * FROM pragma_user_agent()
SELECT * FROM pragma_platform()
SELECT * FROM pragma_show('t')
SELECT * FROM pragma_last_profiling_output()
SELECT * FROM pragma_detailed_profiling_output()
SELECT * FROM pragma_rowgroup_info('t')
SELECT * FROM storage_info('t')
SELECT * FROM checkpoint('t')
SELECT * FROM unnest([1]) AS x(y), query('select 1')
SELECT * FROM query_table('t', true)
SELECT * FROM json_execute_serialized_sql('{}')
SELECT * FROM from_substrait('x')
SELECT * FROM sql_auto_complete('SEL')
SELECT * FROM check_peg_parser('select 1')
SELECT * FROM index_scan()
SELECT * FROM read_csv(getvariable('x'))
SELECT * FROM disable_object_cache()
SELECT * FROM current_setting('secret_directory')
SELECT current_setting('secret_directory'), current_setting('home_directory')
SELECT current_database(), current_schema(), current_user, current_role, session_user
SELECT current_schemas(true)
SELECT pg_get_expr('a', 1), obj_description(1,'a'), pg_typeof(1)
SELECT inet_server_addr()
SELECT in_search_path('memory','main')
SELECT add_parquet_key('a','b')
SELECT getenv('PATH')
SELECT get_block_size('t')
SELECT sleep_ms(100000)
SELECT nextval('s'), currval('s')
SELECT setval('s', 5)
SELECT write_log('a')
SELECT file_exists('/etc/passwd')
SELECT parse_path('/etc/passwd')
SELECT "getenv"('HOME'), create_sort_key(1,'asc')
SELECT __internal_compress_string_uhugeint('a')
SELECT __internal_decompress_string(1::UHUGEINT)
SELECT __internal_decompress_string(255::UTINYINT)
SELECT __internal_decompress_integral_bigint(1::UTINYINT, 1::BIGINT)
SELECT __internal_decompress_string(340282366920938463463374607431768211455::UHUGEINT)
SELECT finalize(x) FROM (SELECT sum(id) EXPORT_STATE x FROM t)
SELECT combine(x, x) FROM (SELECT list(id) EXPORT_STATE x FROM t)
SELECT finalize('\x01\x02\x03\x04\x05\x06\x07\x08'::BLOB::AGGREGATE_STATE<sum(INTEGER)>)
SELECT finalize('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'::AGGREGATE_STATE<string_agg(VARCHAR)>)
SELECT arg_min(id, name) EXPORT_STATE FROM t
SELECT 1::POINTER
SELECT NULL::POINTER, typeof(1)
SELECT vector_type(id) FROM t LIMIT 1
SELECT can_cast_implicitly(1, 'a')
SELECT is_histogram_other_bin(1)
SELECT alias(id), remap_struct({'a':1}, {'b':2}, {'b':'a'}, NULL) FROM t LIMIT 1
SELECT struct_extract_at({'a':1}, 0), struct_extract_at({'a':1}, 999999999)
SELECT array_extract([1],9223372036854775807), list_slice([1,2],-9223372036854775808,9223372036854775807,-9223372036854775808)
SELECT [1,2,3][-9223372036854775808:9223372036854775807:1]
SELECT substr('a', -9223372036854775808, 9223372036854775807)
SELECT list_resize([1], 9000000000000000000)
SELECT CAST('1' AS DECIMAL(38,38)), 170141183460469231731687303715884105727 * 2
SELECT -170141183460469231731687303715884105728 / -1, -9223372036854775808 // -1, -9223372036854775808 % -1
SELECT date '290309-12-22 (BC)' - 1, timestamp 'infinity' + interval 1 year
SELECT strftime(date '2020-01-01', repeat('%Y', 100000))
SELECT strptime('x', repeat('%', 1001))
SELECT printf('%s%n', 'a')
SELECT printf('%s %s %s', 'a')
SELECT format('{:{}}', 'a', 100)
SELECT format('{99999}', 1)
SELECT regexp_extract('a', '(', 1), regexp_matches('a', repeat('(a{1000}){1000}', 3))
SELECT json_extract(repeat('[', 100000), '$')
SELECT json(repeat('[', 1000000) || repeat(']', 1000000))
SELECT from_json('[1]', '["POINTER"]')
SELECT json_transform('{"a":1}', '{"a":"AGGREGATE_STATE"}')
SELECT COLUMNS('(((((a*)*)*)*)*)*b') FROM t
SELECT * REPLACE (id + 1 AS id) EXCLUDE (name) FROM t
SELECT * LIKE '%i%' FROM t
SELECT * FROM t TABLESAMPLE reservoir(10000000000)
SELECT * FROM t USING SAMPLE 200%
SELECT * FROM t POSITIONAL JOIN t AS x ASOF JOIN t AS y ON t.id >= y.id
SELECT * FROM t AT (VERSION => 1)
PIVOT t ON name USING sum(id)
UNPIVOT t ON id
FROM t SELECT id ORDER BY ALL LIMIT 10%
SELECT $1, ?, $a
SELECT lambda x: x
SELECT list_transform([1], lambda x: setseed(x))
SELECT 'a' COLLATE NOACCENT.NOCASE, $$;$$, $tag$ ; $tag$, e'\x41', x'41'
SELECT U&'\0041'
SELECT 1_000, 0x1F, 0b1
SELECT #1 FROM t
SELECT @id FROM t
SELECT t.* FROM t WHERE id = ANY([1]), 1
SELECT 1 /* /* ; */ ; DELETE FROM t */
SELECT 1; COPY t TO 'stolen.csv'
MULTI
DO 1
LOAD 'stolen'
ATTACH IF NOT EXISTS 'stolen.db' AS s (READ_WRITE)
ATTACH 'ducklake:stolen' AS s
USE system
CREATE PERSISTENT SECRET s (TYPE s3)
SET SESSION threads = 2
SET schema = 'x'
SET search_path = 'x'
PRAGMA table_info('t')
PRAGMA storage_info('t')
SHOW TABLES
DESCRIBE t
SUMMARIZE t
EXPLAIN SELECT 1
VACUUM ANALYZE t
DEALLOCATE p
EXECUTE p(1)
COMMENT ON COLUMN t.id IS 'x'
CREATE OR REPLACE TEMP VIEW t AS SELECT 1
CALL pragma_version()
COPY FROM DATABASE t TO memory
EXPORT DATABASE 'stolen' (FORMAT parquet)
.shell touch stolen
-- class: memory by and by; expect: timeout, too_large, out_of_memory, error
SELECT json_group_array(repeat('x', 100000)) FROM range(1000000)
SELECT mode(range), median(range), approx_quantile(range, 0.5), quantile_cont(range, 0.5) FROM range(3000000000)
SELECT count(DISTINCT hash(range)) FROM range(3000000000)
WITH RECURSIVE r(x) AS (SELECT [1] UNION ALL SELECT list_concat(x, x) FROM r) SELECT max(len(x)) FROM r
WITH RECURSIVE r(k, x) USING KEY (k) AS (SELECT 1, 1 UNION SELECT k, x + 1 FROM r) FROM r
SELECT * FROM repeat_row(1, 'a', num_rows = 100000000000)
SELECT * FROM repeat('x', 100000000000)
SELECT * FROM test_all_types(), range(100000000)
