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
