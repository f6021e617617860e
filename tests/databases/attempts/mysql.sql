-- class: files; expect: refused
SELECT load_file('/etc/passwd')
SELECT LOAD_FILE('/etc/passwd')
SELECT `load_file`('/etc/passwd')
SELECT load_file/**/('/etc/passwd')
SELECT load_file⏎('/etc/passwd')
SELECT load_file(concat('/etc/', 'passwd'))
SELECT id FROM t WHERE load_file('/etc/passwd') IS NOT NULL
SELECT * FROM t INTO OUTFILE '/tmp/stolen.csv'
SELECT * INTO OUTFILE '/tmp/stolen.csv' FROM t
SELECT * FROM t INTO/**/OUTFILE '/tmp/stolen.csv'
SELECT 'a' INTO⏎OUTFILE⏎'/tmp/stolen.csv'
SELECT name FROM t LIMIT 1 INTO DUMPFILE '/tmp/stolen.csv'
SELECT 1 UNION SELECT 2 INTO OUTFILE '/tmp/stolen.csv'
(SELECT 1) INTO OUTFILE '/tmp/stolen.csv'
WITH a AS (SELECT 1) SELECT * FROM a INTO OUTFILE '/tmp/stolen.csv'
VALUES (1) INTO OUTFILE '/tmp/stolen.csv'
SELECT 1 /*!50000 INTO OUTFILE '/tmp/stolen.csv' */
SELECT 1 /*M!100000 INTO OUTFILE '/tmp/stolen.csv' */
SELECT 1 /*! INTO DUMPFILE '/tmp/stolen.csv' */
SELECT '\' INTO OUTFILE ', 1 INTO OUTFILE '/tmp/stolen.csv'
LOAD DATA INFILE '/etc/passwd' INTO TABLE t
LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t
LOAD XML INFILE '/etc/passwd' INTO TABLE t
-- class: locks, waits and other sessions; expect: refused
SELECT get_lock('a', 5)
SELECT GET_LOCK('a', 5)
SELECT `get_lock`('a', 5)
SELECT get_lock/* x */('a', 5)
SELECT get_lock -- x⏎('a', 5)
SELECT get_lock # x⏎('a', 5)
SELECT release_lock('a')
SELECT release_all_locks()
SELECT is_free_lock('a')
SELECT is_used_lock('a')
SELECT master_pos_wait('a', 1)
SELECT master_gtid_wait('0-1-1', 1)
SELECT binlog_gtid_pos('master-bin.000001', 600)
SELECT wsrep_sync_wait_upto_gtid('0-1-1')
SELECT * FROM t FOR UPDATE
SELECT * FROM t FOR/**/UPDATE
SELECT * FROM t FOR UPDATE NOWAIT
SELECT * FROM t FOR UPDATE SKIP LOCKED
SELECT * FROM t LOCK IN SHARE MODE
SELECT * FROM t LOCK/**/IN⏎SHARE MODE
SELECT * FROM (SELECT * FROM t LOCK IN SHARE MODE) AS q
SELECT * FROM t WHERE id IN (SELECT id FROM t LOCK IN SHARE MODE)
SELECT take_lock()
SELECT `take_lock`()
SELECT calls_take_lock()
SELECT id, take_lock() FROM t
KILL 1
KILL QUERY 1
KILL USER root
FLUSH TABLES WITH READ LOCK
LOCK TABLES t WRITE
UNLOCK TABLES
HANDLER t OPEN
SHUTDOWN
BACKUP STAGE START
-- class: passwords and the server's own tables; expect: refused
SELECT user, password FROM mysql.user
SELECT user, authentication_string FROM mysql.user
SELECT * FROM `mysql`.`user`
SELECT * FROM mysql . user
SELECT * FROM mysql/**/./**/user
SELECT * FROM mysql.⏎user
SELECT * FROM mysql.-- x⏎user
SELECT * FROM mysql.# x⏎user
SELECT '/*' FROM mysql/**/.user WHERE '*/' = ''
SELECT * FROM mysql.global_priv
SELECT priv FROM `mysql`.global_priv
SELECT * FROM mysql.db
SELECT * FROM mysql.proc
SELECT * FROM mysql.servers
SELECT * FROM mysql.tables_priv
SELECT * FROM mysql.proxies_priv
SELECT * FROM mysql.general_log
SELECT * FROM mysql.slow_log
SELECT * FROM mysql.func
SELECT * FROM mysql.plugin
SELECT * FROM mysql.column_stats
SELECT * FROM mysql.innodb_table_stats
SELECT t.id FROM t JOIN mysql.user AS u
SELECT (SELECT max(priv) FROM mysql.global_priv)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM mysql.user)
WITH a AS (SELECT * FROM mysql.user) SELECT * FROM a
SELECT 1 UNION SELECT user FROM mysql.user
SELECT * FROM {oj mysql.user}
SELECT * FROM information_schema.processlist
SELECT * FROM INFORMATION_SCHEMA.PROCESSLIST
SELECT * FROM `information_schema`.`processlist`
SELECT * FROM information_schema/**/.processlist
SELECT * FROM information_schema.user_privileges
SELECT * FROM information_schema.schema_privileges
SELECT * FROM information_schema.table_privileges
SELECT * FROM information_schema.global_variables
SELECT * FROM information_schema.system_variables
SELECT * FROM information_schema.global_status
SELECT * FROM information_schema.innodb_trx
SELECT * FROM information_schema.innodb_locks
SELECT * FROM information_schema.innodb_buffer_page LIMIT 1
SELECT * FROM information_schema.innodb_cmp_reset
SELECT * FROM information_schema.innodb_cmpmem_reset
SELECT * FROM information_schema.innodb_cmp_per_index_reset
SELECT * FROM information_schema.user_statistics
SELECT * FROM information_schema.client_statistics
SELECT * FROM information_schema.routines
SELECT * FROM information_schema.triggers
SELECT * FROM information_schema.events
SELECT * FROM information_schema.plugins
SELECT * FROM information_schema.files
SELECT * FROM information_schema.profiling
SELECT * FROM information_schema.optimizer_trace
SELECT * FROM performance_schema.threads
SELECT * FROM `performance_schema`.`threads`
SELECT * FROM performance_schema.events_statements_history
SELECT * FROM performance_schema . accounts
SELECT * FROM sys.session
SELECT * FROM sys.processlist
SELECT * FROM `sys`.`x$processlist`
SELECT sys.ps_thread_id(1)
SELECT sys.sys_get_config('a', 'b')
-- class: state and settings; expect: refused, error
SELECT nextval(s)
SELECT NEXT VALUE FOR s
SELECT next/**/value/**/for s
SELECT PREVIOUS VALUE FOR s
SELECT lastval(s)
SELECT setval(s, 500)
SELECT uuid_short()
SELECT found_rows()
SELECT `found_rows` /* x */ ()
SELECT @@global.max_connect_errors := 5
SELECT @@session.tx_read_only := 0
SELECT 1 INTO @x
SELECT id INTO @x FROM t LIMIT 1
SET @x = 1
SET SESSION tx_read_only = 0
SET GLOBAL max_connect_errors = 5
SET STATEMENT max_statement_time = 0 FOR SELECT 1
SET PASSWORD = ''
SET ROLE admin
USE mysql
PREPARE p FROM 'DELETE FROM t'
EXECUTE IMMEDIATE 'DELETE FROM t'
SELECT change_setting()
SELECT `change_setting`()
SELECT open_up()
SELECT sys_exec('touch /tmp/stolen')
SELECT sys_eval('id')
SELECT spider_direct_sql('a', 'b', 'c')
-- class: writes in a query; expect: refused, error
SELECT erase()
SELECT fill()
SELECT fill_aria()
SELECT id, erase() FROM t
SELECT 1; DELETE FROM t
SELECT 1;⏎COMMIT; DROP TABLE t
SELECT '\'; DROP TABLE t; -- '; DELETE FROM t
SELECT "a\"; DROP TABLE t; -- "; DELETE FROM t
SELECT 1 --⏎; DROP TABLE t
SELECT 1 # ⏎; DROP TABLE t
WITH d AS (SELECT 1) DELETE FROM t
WITH d AS (DELETE FROM t RETURNING id) SELECT * FROM d
INSERT INTO t VALUES (-1, 'x') RETURNING id
DELETE FROM t RETURNING id
REPLACE INTO t VALUES (1, 'x')
CALL do_erase()
DO erase()
BEGIN NOT ATOMIC DELETE FROM t; END
TRUNCATE t
RENAME TABLE t TO u
OPTIMIZE TABLE t
REPAIR TABLE m
CREATE TEMPORARY TABLE u AS SELECT * FROM t
ANALYZE TABLE t
ANALYZE FORMAT=JSON DELETE FROM t
EXPLAIN DELETE FROM t
XA START 'a'
INSTALL SONAME 'stolen'
PURGE BINARY LOGS TO 'a'
CHANGE MASTER TO MASTER_HOST = 'a'
GRANT ALL ON *.* TO public
-- class: nothing is changed, so it may run; expect: refused, error, ok
SELECT @x := 5
SELECT last_insert_id(77)
SELECT row_count()
SELECT rand(3)
SELECT secret_of(1)
SELECT * FROM t PROCEDURE analyse()
SELECT 1 LIMIT ROWS EXAMINED 5
SELECT @@version
SELECT 'mysql.' 'user'
-- class: time, rows and memory; expect: timeout, too_large, out_of_memory, error
SELECT sleep(30)
SELECT sleep(1) FROM t
SELECT benchmark(1000000000, md5('a'))
SELECT benchmark(1000000000, sha2('a', 512))
SELECT a.id FROM t AS a, t AS b, t AS c
SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d
WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r
WITH RECURSIVE r(x) AS (SELECT cast('a' AS char(1000000)) UNION ALL SELECT concat(x, x) FROM r) SELECT length(x) FROM r
SELECT group_concat(repeat(a.name, 999)) FROM t AS a, t AS b
SELECT json_arrayagg(repeat(a.name, 999)) FROM t AS a, t AS b
SELECT repeat('x', 1000000) FROM t
SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' REGEXP '(a*)*(a*)*(a*)*b' FROM t AS a, t AS b, t AS c
