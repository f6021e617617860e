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
-- class: names in other letters; expect: refused, error
SELECT fıll()
SELECT fıll_aria()
SELECT `fıll`()
SELECT `fill `()
SELECT ﬁll()
SELECT ｆill()
SELECT fíll()
SELECT FÏLL()
SELECT f\u0131ll()
SELECT loadfıle('/etc/passwd')
SELECT load_fıle('/etc/passwd')
SELECT İS_used_lock('a')
SELECT * FROM İnformation_schema.processlist
SELECT * FROM ınformation_schema.processlist
SELECT * FROM information_schema.processlıst
SELECT * FROM mysql.`#mysql50#user`
SELECT * FROM mysql.`#mysql50#global_priv`
SELECT * FROM `#mysql50#mysql`.global_priv
SELECT * FROM `#mysql50#mysql`.`#mysql50#global_priv`
SELECT * FROM mysql.`#mysql50#proc`
SELECT * FROM sys.`#mysql50#session`
SELECT * FROM `#mysql50#performance_schema`.threads
SELECT * FROM `#mysql50#information_schema`.processlist
SELECT * FROM mysql.`global_priv `
SELECT * FROM mysql.global_priv PARTITION (p0)
SELECT global_priv.Priv FROM mysql.global_priv
SELECT * FROM mysql.innodb_index_stats
SELECT * FROM mysql.gtid_slave_pos
SELECT * FROM mysql.transaction_registry
SELECT * FROM mysql.roles_mapping
SELECT * FROM mysql.help_topic
SELECT * FROM mysql.time_zone
SELECT * FROM mysql.event
SELECT * FROM mysql.table_stats
SELECT * FROM mysql.columns_priv
SELECT * FROM mysql.procs_priv
SELECT change_settıng()
SELECT `change_SETTıNG`()
-- class: stored functions that call what is refused; expect: refused
SELECT via_procedure()
SELECT id, via_procedure() FROM t
-- class: calls that end the server or never end; expect: refused
SELECT encrypt('a', '$6$rounds=20000000$saltsaltsalt')
SELECT ENCRYPT ('a', '$2b$18$abcdefghijklmnopqrstuu')
SELECT `encrypt`('a', '$5$rounds=20000000$saltsaltsalt')
SELECT st_buffer(st_geomfromtext('LINESTRING(0 0, 1 1)'), 1e300)
SELECT st_astext(st_buffer(st_geomfromtext(concat('MULTIPOINT(', repeat('0 0,', 20000), '1 1)')), 10))
SELECT extractvalue(concat('<a>',repeat('<b/>',3000),'</a>'), 'count(//*[count(//*[count(//*)>0])>0])')
SELECT updatexml('<a/>', '//*[count(//*[count(//*)>0])>0]', 'x')
SELECT ST_Buffer (point(0, 0), 1e300)
SELECT buffer(point(0, 0), 1e300)
SELECT kdf('a', 'b', 'pbkdf2_hmac', 2000000000)
-- class: other statements and tables; expect: refused, error, ok
SELECT 1 FROM dual INTO @a
SELECT * FROM t INTO @a, @b
SELECT @a := 5, @a
SELECT @@sql_mode, @@datadir
SELECT @@global.general_log_file
SELECT SQL_NO_CACHE SQL_CALC_FOUND_ROWS HIGH_PRIORITY * FROM t
SELECT * FROM t PROCEDURE ANALYSE(10, 2000)
SELECT * FROM t LIMIT 1 ROWS EXAMINED 1
SELECT /*+ NO_RANGE_OPTIMIZATION(t) */ * FROM t
SELECT * FROM t WHERE id = 1 FOR UPDATE WAIT 3
SELECT * FROM t FOR SHARE
SELECT * FROM t FOR SYSTEM_TIME ALL
SELECT * FROM t AS OF TIMESTAMP now()
VALUES (1),(2)
VALUES ROW(1)
TABLE t
HELP 'contents'
DESCRIBE t
SHOW PROCESSLIST
SHOW GRANTS
SHOW CREATE USER
EXPLAIN SELECT 1
ANALYZE SELECT 1
ANALYZE FORMAT=JSON SELECT 1
EXECUTE IMMEDIATE concat('SEL','ECT 1')
BEGIN NOT ATOMIC SELECT 1; END
IF 1 THEN SELECT 1; END IF
FOR i IN 1..3 DO SELECT i; END FOR
LOOP SELECT 1; END LOOP
DECLARE c CURSOR FOR SELECT 1
SIGNAL SQLSTATE '45000'
GET DIAGNOSTICS @a = NUMBER
RESIGNAL
DO sleep(10)
CACHE INDEX t IN k
LOAD INDEX INTO CACHE t
CHECK TABLE t
ALTER TABLE t ENGINE = MyISAM
DELIMITER //
SOURCE /etc/passwd
\! touch /tmp/stolen
SELECT 1 \G
START SLAVE
STOP ALL SLAVES
RESET MASTER
RESET QUERY CACHE
SAVEPOINT x
PURGE BINARY LOGS BEFORE now()
SHOW BINLOG EVENTS
UNINSTALL PLUGIN x
CREATE OR REPLACE TEMPORARY TABLE x (a int)
WITH x AS (SELECT 1) TABLE x
WITH RECURSIVE x AS (SELECT 1 UNION SELECT 1 FROM x) SELECT * FROM x INTO OUTFILE '/tmp/stolen.csv'
SELECT * FROM (VALUES (1) INTO OUTFILE '/tmp/stolen.csv') q
SELECT _binary'a' INTO DUMPFILE '/tmp/stolen.csv'
SELECT x'73656c656374', 0x41, b'01', N'a', _latin1'a', _gbk'�\\', 'a' 'b'
SELECT 'a\' OR load_file(1) -- '
SELECT "a\" INTO OUTFILE '/tmp/stolen.csv' -- "
SELECT _gbk'\xbf\' INTO OUTFILE ', 1
SELECT _big5'功\', take_lock(), '
SELECT _sjis 'ソ\', take_lock(), '
SELECT CONVERT('a' USING ucs2), take_lock/**/()
SELECT take_lock
SELECT .t.id FROM .t
SELECT t.`id``; DROP TABLE t` FROM t
SELECT {d '2020-01-01'}, {fn sleep(0)}
SELECT {fn take_lock()}
SELECT { fn get_lock('a',0) }
SELECT (SELECT 1 FOR UPDATE)
SELECT s.nextval
SELECT s.currval
SELECT NEXT VALUE FOR `s`
SELECT nextval(`s`)
SELECT last_insert_id(5), last_insert_id()
SELECT statement_digest('a')
SELECT wsrep_last_written_gtid(), wsrep_last_seen_gtid()
SELECT user(), current_role(), session_user(), database(), connection_id()
SELECT uuid(), rand(), sysdate(), random_bytes(4)
SELECT password('a'), old_password('a')
SELECT des_decrypt('a')
SELECT column_json(column_create('a', 1))
SELECT master_pos_wait('x',1,1)
SELECT trigger_name FROM information_schema.`triggers`
SELECT * FROM information_schema . `tables` AS x, information_schema.innodb_sys_tables
SELECT * FROM information_schema.metadata_lock_info
SELECT * FROM information_schema.thread_pool_groups
SELECT * FROM information_schema.applicable_roles
SELECT * FROM information_schema.enabled_roles
SELECT * FROM information_schema.spatial_ref_sys
SELECT * FROM information_schema.sql_functions
SELECT * FROM information_schema.innodb_tablespaces_encryption
SELECT * FROM information_schema.system_variables
SELECT * FROM information_schema.innodb_metrics
SELECT * FROM information_schema.innodb_ft_config
SELECT * FROM information_schema.key_caches
SELECT * FROM information_schema.index_statistics
SELECT * FROM information_schema.table_statistics
SELECT * FROM information_schema.query_response_time
SELECT * FROM information_schema.disks
SELECT * FROM information_schema.feedback
SELECT * FROM information_schema.locales
-- class: time and memory in one call; expect: timeout, too_large, out_of_memory, error
SELECT json_merge_patch(a.name,b.name) FROM t a, t b, t c
SELECT replace(repeat('a',10000000),'a',repeat('b',1000))
SELECT seq FROM seq_1_to_1000000000000
SELECT a.seq FROM seq_1_to_1000000 a, seq_1_to_1000000 b ORDER BY rand()
SELECT group_concat(a.seq ORDER BY a.seq DESC) FROM seq_1_to_100000000 a
SELECT benchmark(1e18, (SELECT count(*) FROM t a, t b))
