"""Statements that no warehouse may receive, by dialect; and ordinary ones that it must."""

from __future__ import annotations

EVERYWHERE = """
DROP TABLE boat
DELETE FROM boat
INSERT INTO boat VALUES (1)
UPDATE boat SET id = 1
MERGE INTO boat USING x ON boat.id = x.id WHEN MATCHED THEN DELETE
TRUNCATE TABLE boat
CREATE TABLE x AS SELECT * FROM boat
CREATE VIEW v AS SELECT 1
ALTER TABLE boat ADD COLUMN x INT
GRANT SELECT ON boat TO PUBLIC
CALL p()
SELECT 1; DROP TABLE boat
SELECT 1; SELECT 2
WITH x AS (SELECT 1) INSERT INTO boat SELECT * FROM x
WITH x AS (SELECT 1) DELETE FROM boat
SELECT * FROM (DELETE FROM boat RETURNING *) AS x
SELECT evil(1)
SELECT owner.evil(1)
SELECT a.b.evil(1)
SELECT * FROM evil(1)
BEGIN
COMMIT
ROLLBACK
SET x = 1
USE other
EXPLAIN DELETE FROM boat
SHOW TABLES
DESCRIBE boat
SELECT * FROM boat FOR UPDATE
EXECUTE IMMEDIATE 'DROP TABLE boat'
PREPARE x FROM DROP TABLE boat
ANALYZE boat
VACUUM
SELECT 1 INTO x
SELECT * FROM information_schema.enabled_roles
SELECT \x00 1
SELECT 1 /* \x00 */
SELECT\u00a01
"""

BY_DIALECT = {
    "snowflake": r"""
SELECT system$cancel_query('x')
SELECT SYSTEM$CANCEL_ALL_QUERIES(1)
SELECT system$abort_session(1)
SELECT "SYSTEM$WAIT"(100)
SELECT SYSTEM$SEND_EMAIL('i', 'a@b.c', 'x', 'y')
SELECT SYSTEM$GET_PREDECESSOR_RETURN_VALUE()
SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
SELECT * FROM TABLE(RESULT_SCAN('01-02'))
SELECT * FROM @stage
SELECT $1 FROM @~/secret.csv
SELECT * FROM @db.s.stage/path (FILE_FORMAT => 'x')
SELECT * FROM DIRECTORY(@stage)
SELECT * FROM 's3://bucket/x'
LIST @stage
PUT file:///etc/passwd @stage
GET @stage file:///tmp
COPY INTO @stage FROM boat
COPY INTO boat FROM @stage
SELECT * FROM IDENTIFIER('boat')
SELECT IDENTIFIER('id') FROM boat
SELECT * FROM TABLE('boat')
SELECT * FROM TABLE($name)
SELECT $name
SELECT boat_seq.NEXTVAL
SELECT s.boat_seq.nextval FROM boat
SELECT AI_COMPLETE('m', 'p')
SELECT SNOWFLAKE.CORTEX.COMPLETE('m', 'p')
SELECT AI_CLASSIFY('x', ['a'])
SELECT * FROM SNOWFLAKE.ACCOUNT_USAGE.QUERY_HISTORY
SELECT * FROM snowflake.account_usage.login_history
SELECT * FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY())
SELECT * FROM INFORMATION_SCHEMA.LOAD_HISTORY
SELECT * FROM TABLE(my_table_function(1))
SELECT * FROM TABLE(TO_QUERY('DROP TABLE boat'))
SELECT GET_DDL('table', 'boat')
SELECT GET_PRESIGNED_URL(@stage, 'x')
SELECT BUILD_SCOPED_FILE_URL(@stage, 'x')
SELECT TO_FILE('@stage/x')
SELECT CURRENT_IP_ADDRESS()
SELECT CURRENT_STATEMENT()
SELECT 1 ->> DELETE FROM boat
SHOW TABLES ->> SELECT * FROM $1
SELECT a ->> 'x' FROM boat
WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS 'x' CALL p()
SELECT INVOKER_ROLE()
SELECT LAST_QUERY_ID()
SELECT ENCRYPT_EVIL('x')
EXECUTE TASK t
UNDROP TABLE boat
SELECT 1 // x
SELECT * FROM boat CHANGES (INFORMATION => DEFAULT) AT (OFFSET => -1)
DECLARE x INT; BEGIN RETURN 1; END
""",
    "bigquery": r"""
SELECT * FROM EXTERNAL_QUERY('c', 'DROP TABLE x')
SELECT * FROM ML.PREDICT(MODEL d.m, TABLE d.t)
SELECT * FROM ML.GENERATE_TEXT(MODEL d.m, TABLE d.t)
SELECT AI.GENERATE('x')
SELECT AI.IF('x')
SELECT * FROM AI.FORECAST(TABLE d.t, data_col => 'x')
SELECT * FROM VECTOR_SEARCH(TABLE d.t, 'x', TABLE d.u)
SELECT mydataset.remote_function(1)
SELECT `p.d.f`(1)
SELECT `p`.d.f(1)
SELECT * FROM d.table_function(1)
SELECT KEYS.NEW_KEYSET('AEAD_AES_GCM_256')
SELECT AEAD.DECRYPT_STRING(k, c, 'x') FROM boat
SELECT ERROR('x')
SELECT @@project_id
SELECT @@script.job_id
SELECT @x
SELECT ?
DECLARE x INT64 DEFAULT 1; SELECT x
BEGIN SELECT 1; END
IF TRUE THEN SELECT 1; END IF
EXPORT DATA OPTIONS (uri = 'gs://b/x*.csv') AS SELECT 1
LOAD DATA INTO d.t FROM FILES (uris = ['gs://b/x'])
CREATE TEMP FUNCTION f(x INT64) AS (x); SELECT f(1)
CREATE TEMP FUNCTION f() RETURNS STRING LANGUAGE js AS 'return 1'; SELECT f()
ASSERT EXISTS (SELECT 1)
SELECT * FROM `region-us`.INFORMATION_SCHEMA.JOBS
SELECT * FROM `p.region-us.INFORMATION_SCHEMA.JOBS_BY_PROJECT`
SELECT * FROM `region-us.INFORMATION_SCHEMA.OBJECT_PRIVILEGES`
SELECT * FROM d.INFORMATION_SCHEMA.ROUTINES
SELECT * FROM d.t |> WHERE x
FROM d.t |> SELECT x
SELECT * FROM APPENDS(TABLE d.t, NULL, NULL)
UNDROP SCHEMA d
CREATE MODEL d.m OPTIONS (model_type = 'x') AS SELECT 1
""",
    "tsql": r"""
SELECT 1 SHUTDOWN
SELECT 1 COMMIT
SELECT 1 EXEC xp_cmdshell 'dir'
SELECT 1 DROP TABLE boat
SELECT * FROM boat DELETE FROM boat
SELECT * FROM boat TRUNCATE TABLE boat
SELECT * FROM boat WHERE id = 1 ROLLBACK
SELECT 1 BEGIN TRANSACTION
SELECT 1 RECONFIGURE
SELECT 1 CHECKPOINT
SELECT 1 KILL 51
SELECT 1 BACKUP DATABASE x TO DISK = 'x'
SELECT 1 DBCC FREEPROCCACHE
SELECT 1 WAITFOR DELAY '01:00'
SELECT 1 USE master
SELECT 1 SET ROWCOUNT 1
SELECT 1 DECLARE @x INT
SELECT 1 PRINT 'x'
SELECT 1 REVERT
EXEC xp_cmdshell 'dir'
EXECUTE sp_executesql N'DROP TABLE boat'
sp_who
SELECT * FROM OPENROWSET('SQLNCLI', 'x', 'DROP TABLE x')
SELECT * FROM OPENROWSET(BULK 'c:\x', SINGLE_CLOB) AS x
SELECT * FROM OPENQUERY(srv, 'DROP TABLE x')
SELECT * FROM OPENDATASOURCE('SQLNCLI', 'x').a.b.c
SELECT * FROM srv.db.dbo.boat
SELECT * FROM [srv].[db].[dbo].[boat]
SELECT * INTO x FROM boat
SELECT * INTO #x FROM boat
SELECT * FROM #x
SELECT dbo.evil(1)
SELECT * FROM fn_xe_file_target_read_file('x', NULL, NULL, NULL)
SELECT * FROM sys.dm_exec_sessions
SELECT * FROM sys.sql_logins
SELECT * FROM master..syslogins
SELECT * FROM master.dbo.boat
SELECT * FROM msdb.dbo.sysjobs
SELECT * FROM sysobjects
SELECT NEXT VALUE FOR boat_seq
SELECT @@version
SELECT @x
SELECT * FROM boat WITH (TABLOCKX)
SELECT * FROM boat WITH (UPDLOCK, HOLDLOCK)
SELECT PREDICT(MODEL = @m, DATA = boat)
WAITFOR DELAY '01:00'
BULK INSERT boat FROM 'c:\x'
GO
SELECT IS_SRVROLEMEMBER('sysadmin')
""",
    "trino": r"""
SELECT * FROM TABLE(pg.system.query(query => 'DROP TABLE x'))
SELECT * FROM TABLE(system.query('x'))
SELECT * FROM TABLE(mysql.system.raw_query(database => 'x', index => 'y', query => 'z'))
SELECT * FROM system.runtime.queries
SELECT * FROM system.metadata.catalogs
SELECT * FROM SYSTEM.runtime.nodes
SELECT * FROM "boat$files"
SELECT * FROM hive.d."boat$partitions"
CALL system.runtime.kill_query('x', 'y')
CALL hive.system.sync_partition_metadata('a', 'b', 'FULL')
WITH FUNCTION f() RETURNS INT RETURN 1 SELECT f()
SELECT ai_gen('x')
SELECT fail('x')
SELECT current_groups()
EXECUTE x
DEALLOCATE PREPARE x
REFRESH MATERIALIZED VIEW v
SELECT ?
SELECT * FROM TABLE(exclude_all(x))
""",
    "databricks": r"""
SELECT ai_query('m', 'p')
SELECT ai_gen('x')
SELECT ai_classify('x', ARRAY('a'))
SELECT * FROM read_files('s3://x')
SELECT * FROM read_kafka(bootstrapServers => 'x')
SELECT http_request(conn => 'c', method => 'GET', path => '/')
SELECT java_method('java.lang.System', 'exit', 0)
SELECT reflect('java.lang.System', 'exit', 0)
SELECT try_reflect('java.lang.System', 'exit', 0)
SELECT secret('scope', 'key')
SELECT try_secret('scope', 'key')
SELECT * FROM list_secrets()
SELECT * FROM remote_query('c', query => 'DROP TABLE x')
SELECT * FROM vector_search(index => 'x', query_text => 'y')
SELECT * FROM event_log('x')
SELECT * FROM csv.`/etc/passwd`
SELECT * FROM text.`file:/etc/passwd`
SELECT * FROM parquet.`s3://bucket/x`
SELECT * FROM delta.`/mnt/x`
SELECT * FROM binaryFile.`/mnt/x`
SELECT TRANSFORM(a) USING 'script.sh' FROM boat
SELECT * FROM system.access.audit
SELECT * FROM system.query.history
SELECT * FROM IDENTIFIER('boat')
SELECT IDENTIFIER('evil')(1)
SELECT :x
SELECT * FROM STREAM boat
FROM boat INSERT INTO x SELECT *
FROM boat SELECT *
OPTIMIZE boat
COPY INTO boat FROM '/x'
LIST '/Volumes/x'
PUT '/etc/passwd' INTO '/Volumes/x'
CACHE TABLE boat
REFRESH TABLE boat
ADD JAR '/x.jar'
SELECT from_avro(x, 'y') FROM boat
SELECT assert_true(false)
SELECT raise_error('x')
SELECT session_user_evil()
""",
    "redshift": r"""
SELECT pg_terminate_backend(1)
SELECT pg_cancel_backend(1)
SELECT set_config('x', 'y', false)
SELECT current_setting('x')
SELECT pg_last_query_id()
SELECT pg_sleep(100)
SELECT * FROM stl_query
SELECT * FROM stv_recents
SELECT * FROM svl_qlog
SELECT * FROM svv_redshift_tables
SELECT * FROM SYS_QUERY_HISTORY
SELECT * FROM pg_catalog.pg_user
SELECT * FROM pg_user
SELECT * INTO x FROM boat
SELECT * INTO TEMP x FROM boat
UNLOAD ('SELECT 1') TO 's3://x'
COPY boat FROM 's3://x'
SELECT lambda_udf(1)
SELECT explain_model('x')
SELECT nextval('x')
SELECT dblink('x', 'y')
SELECT lo_import('/etc/passwd')
SELECT query_to_xml('DROP TABLE x', true, true, '')
CREATE MODEL m FROM boat TARGET x FUNCTION f
CANCEL 1
LOCK boat
SELECT '\' OR 1 --'
DECLARE c CURSOR FOR SELECT 1
FETCH ALL FROM c
DO $$ BEGIN END $$
""",
}

ORDINARY = {
    "snowflake": r"""
SELECT f.value:name::STRING FROM boat, LATERAL FLATTEN(INPUT => tags) f
SELECT * FROM boat QUALIFY ROW_NUMBER() OVER (PARTITION BY kind ORDER BY id) = 1
SELECT $$a -- 'quoted' text$$, 'it''s', 'a\'b', "odd ""x"" name" FROM boat
SELECT * FROM TABLE(GENERATOR(ROWCOUNT => 3))
SELECT * EXCLUDE (id) FROM boat
SELECT DATE_TRUNC('month', built), DATEADD(day, 1, built), TO_TIMESTAMP_NTZ(ms, 3) FROM boat
SELECT DIV0(a, b), IFF(a > b, a, b), ZEROIFNULL(a), LISTAGG(name, ',') FROM boat
SELECT * FROM db.s.boat AT (TIMESTAMP => '2024-01-01'::TIMESTAMP)
SELECT * FROM boat PIVOT (SUM(x) FOR kind IN ('a', 'b'))
SELECT $1, $2 FROM VALUES (1, 2)
SELECT OBJECT_CONSTRUCT('a', 1), ARRAY_AGG(id) WITHIN GROUP (ORDER BY id) FROM boat
SELECT table_name FROM information_schema.tables
""",
    "bigquery": r'''
SELECT * EXCEPT (id) FROM `p-1.d.boat_*` WHERE _TABLE_SUFFIX BETWEEN '20240101' AND '20240102'
SELECT SAFE_DIVIDE(a, b), DATE_TRUNC(built, MONTH), COUNTIF(a > 1) FROM d.boat
SELECT STRUCT(1 AS a, 'x' AS b).a, ARRAY(SELECT x FROM UNNEST([1, 2]) AS x WITH OFFSET AS o)
SELECT r'\d+', """a "quoted" text""", "it's", b'x', 'a\'b' FROM boat
SELECT x FROM d.boat, UNNEST(tags) AS x QUALIFY RANK() OVER (ORDER BY x) = 1
SELECT APPROX_QUANTILES(a, 4)[OFFSET(2)], NET.HOST('http://a.b/c'), ST_DISTANCE(g, h) FROM boat
SELECT * FROM d.boat FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00'
SELECT PARSE_DATE('%Y%m%d', d), FORMAT_TIMESTAMP('%F', t), GENERATE_ARRAY(1, 3) FROM boat
SELECT HLL_COUNT.EXTRACT(s) FROM boat
SELECT table_name FROM d.INFORMATION_SCHEMA.TABLES
''',
    "tsql": r"""
SELECT TOP 3 [name], [odd ]]name] FROM [dbo].[boat] ORDER BY [id] DESC
SELECT ISNULL(a, 0), DATEADD(day, 1, built), CONVERT(varchar, built, 112) FROM boat
SELECT id FROM boat ORDER BY id OFFSET 1 ROWS FETCH NEXT 5 ROWS ONLY
SELECT * FROM boat CROSS APPLY (SELECT 1 AS one) AS x
SELECT STRING_AGG(name, ',') WITHIN GROUP (ORDER BY name) FROM boat OPTION (MAXRECURSION 10)
SELECT CASE WHEN a = 1 THEN N'x' ELSE 'it''s' END FROM boat
SELECT value FROM OPENJSON('[1,2]')
SELECT JSON_VALUE(doc, '$.a'), IIF(a > 1, 1, 0), EOMONTH(built) FROM boat
""",
    "trino": r"""
SELECT date_trunc('month', built), date_add('day', 1, built), approx_distinct(id) FROM c.s.boat
SELECT x FROM boat CROSS JOIN UNNEST(tags) AS t (x)
SELECT * FROM TABLE(sequence(1, 3))
SELECT json_extract_scalar(doc, '$.a'), element_at(m, 'x'), TRY(1 / a), 'it''s' FROM boat
SELECT transform(ARRAY[1, 2], x -> x + 1), regexp_like(name, '\d+') FROM boat
SELECT max_by(name, id), listagg(name, ',') WITHIN GROUP (ORDER BY name) FROM boat
""",
    "databricks": r"""
SELECT r'\d+\', "a 'quoted' text", 'it\'s', `odd name` FROM main.s.boat
SELECT explode(tags), date_trunc('MONTH', built), get_json_object(doc, '$.a') FROM boat
SELECT c FROM boat LATERAL VIEW explode(tags) t AS c
SELECT doc:a.b::string, try_divide(a, b), transform(tags, x -> x + 1) FROM boat
SELECT * EXCEPT (id) FROM boat QUALIFY row_number() OVER (ORDER BY id) = 1
SELECT collect_list(name), percentile_approx(a, 0.5), named_struct('a', 1) FROM boat
""",
    "redshift": r"""
SELECT TOP 3 name, NVL(a, 0), DATEDIFF(day, built, GETDATE()) FROM public.boat
SELECT LISTAGG(name, ',') WITHIN GROUP (ORDER BY name), MEDIAN(a) FROM boat
SELECT s.doc.a[0].b FROM boat s QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1
SELECT JSON_EXTRACT_PATH_TEXT(doc, 'a'), 'it''s', built::date FROM boat
SELECT DATE_TRUNC('month', built), RATIO_TO_REPORT(a) OVER () FROM boat
""",
}


def lines(text: str) -> list[str]:
    """The statements of a table, one a line."""
    return [line for line in text.split("\n") if line.strip()]
