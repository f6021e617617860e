-- class: a function that runs a text; expect: refused
SELECT query_to_xml('select pg_termi'||'nate_backend(pid) from pg_st'||'at_activity where usename = current_user and pid <> pg_back'||'end_pid()', true, false, '')
SELECT query_to_xmlschema('select pg_termi'||'nate_backend(1)', true, false, '')
SELECT query_to_xml_and_xmlschema('select set_con'||'fig(''a.b'',''c'',false)', true, false, '')
SELECT "query_to_xml"('select 1', true, false, '')
SELECT Query_To_XML('select 1', true, false, '')
SELECT pg_catalog.query_to_xml('select 1', true, false, '')
SELECT pg_catalog . /* x */ "query_to_xml" /* /* nested */ */ ('select 1', true, false, '')
SELECT U&"query\005fto_xml"('select 1', true, false, '')
SELECT u&"!0071uery_to_xml" UESCAPE '!' ('select 1', true, false, '')
SELECT U&"\0071\0075\0065\0072\0079_to_xml"('select 1', true, false, '')
SELECT query_to_xml⏎--⏎('select 1', true, false, '')
SELECT * FROM query_to_xml('select 1', true, false, '')
SELECT * FROM t, LATERAL query_to_xml('select ' || id, true, false, '') AS x
SELECT (SELECT query_to_xml(q, true, false, '')) FROM (VALUES ('select 1')) AS v(q)
SELECT CASE WHEN query_to_xml('select 1', true, false, '') IS NULL THEN 1 END
SELECT id FROM t WHERE query_to_xml('select pg_adv'||'isory_lock(7)', true, false, '') IS NOT NULL LIMIT 1
SELECT id FROM t ORDER BY query_to_xml('select 1', true, false, '')::text LIMIT 1
WITH q AS MATERIALIZED (SELECT query_to_xml('select 1', true, false, '')) TABLE q
SELECT table_to_xml('pg_authid', true, false, '')
SELECT table_to_xml('pg_au'||'thid'::regclass, true, false, '')
SELECT table_to_xml(('pg_au'||'thid')::regclass, true, false, '')
SELECT table_to_xmlschema('t', true, false, '')
SELECT table_to_xml_and_xmlschema('t', true, false, '')
SELECT schema_to_xml('pg_catalog', true, false, '')
SELECT schema_to_xmlschema('public', true, false, '')
SELECT schema_to_xml_and_xmlschema('public', true, false, '')
SELECT database_to_xml(true, false, '')
SELECT database_to_xmlschema(true, false, '')
SELECT database_to_xml_and_xmlschema(true, false, '')
SELECT cursor_to_xml('c', 1, true, false, '')
SELECT cursor_to_xmlschema('c', true, false, '')
SELECT ts_stat('select to_tsvector(pg_termi'||'nate_backend(1)::text)')
SELECT * FROM ts_stat('select to_tsvector(setse'||'ed(0.5)::text)')
SELECT "ts_stat"('select ''a''::tsvector', 'a')
SELECT ts_rewrite('a'::tsquery, 'select ''a''::tsquery, pg_termi'||'nate_backend(1)::text::tsquery')
SELECT 'a'::tsquery, ts_rewrite('a & b'::tsquery, 'select t,s from x')
SELECT * FROM crosstab('select pg_termi'||'nate_backend(1)::text, ''a'', ''b''') AS ct(a text, b text)
SELECT * FROM crosstab2('select 1::text, 2::text, 3::text')
SELECT * FROM crosstab3('select 1::text, 2::text, 3::text')
SELECT * FROM crosstab4('select 1::text, 2::text, 3::text')
SELECT * FROM crosstab('select 1', 'select pg_termi'||'nate_backend(1)') AS ct(a text, b text)
SELECT * FROM connectby('t', 'id', 'name', '1', 0) AS c(a int, b text, c int)
SELECT * FROM connectby('(select pg_termi'||'nate_backend(1) as id, 1 as name) q', 'id', 'name', '1', 0) AS c(a int, b int, c int)
SELECT * FROM xpath_table('id', 'name', '(select pg_termi'||'nate_backend(1)) q', '/a', 'true') AS x(a int, b text)
SELECT run_text('select pg_termi' || 'nate_backend(1)')
SELECT public.run_text('select 1')
SELECT "run_text"('select 1')
SELECT id FROM t WHERE run_text('select 1') = '1' LIMIT 1
SELECT calls_run_text('select 1')
SELECT Calls_Run_Text('select 1')
-- class: another way to call a function; expect: refused
SELECT 'select pg_termi' || 'nate_backend(1)' ### 1
SELECT 'select 1' OPERATOR(public.###) 1
SELECT ### 4194304
SELECT run_all(name) FROM t
SELECT run_all('select 1')
SELECT run_all('select 1') OVER ()
SELECT 'select 1'::checked
SELECT CAST('select pg_termi' || 'nate_backend(1)' AS checked)
SELECT checked 'select 1'
SELECT 'select 1'::public."checked"
SELECT ROW('select 1', 1)::pair::wrapped
SELECT CAST(ROW('select 1', 1)::pair AS wrapped)
SELECT (ROW('select 1', 1)::pair).run_pair
SELECT p.run_pair FROM (SELECT ROW('select 1', 1)::pair AS p) AS q
SELECT run_pair(ROW('select 1', 1)::pair)
SELECT innocent(4194304)
SELECT public . innocent (4194304)
SELECT "Odd ""Name"""('select 1')
SELECT "Odd ""Name"""('select pg_termi' || 'nate_backend(1)')
SELECT atomic_one(4194304)
SELECT for_others()
SELECT other.for_others()
SELECT * FROM for_others()
SELECT (SELECT for_others()) || 'x'
SELECT secret_of(1)
SELECT t.id, secret_of(t.id) FROM t LIMIT 1
-- class: other sessions; expect: refused
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
SELECT pg_terminate_backend(4194304)
SELECT pg_terminate_backend(4194304, 1000)
SELECT pg_cancel_backend(4194304)
SELECT pg_catalog.pg_cancel_backend(4194304)
SELECT "pg_cancel_backend"(4194304)
SELECT Pg_Cancel_Backend(4194304)
SELECT pg_log_backend_memory_contexts(4194304)
SELECT pid, query FROM pg_stat_activity
SELECT query FROM pg_catalog.pg_stat_activity
SELECT query FROM "pg_stat_activity"
TABLE pg_stat_activity
SELECT * FROM pg_stat_get_activity(NULL)
SELECT pg_stat_get_backend_activity(1)
SELECT * FROM pg_locks
SELECT * FROM pg_lock_status()
SELECT pg_blocking_pids(1)
SELECT pg_notify('a', 'b')
SELECT pg_stat_reset()
SELECT pg_stat_clear_snapshot()
SELECT pg_stat_get_snapshot_timestamp()
SELECT * FROM pg_stat_database
SELECT * FROM pg_stat_statements
SELECT pg_stat_statements_reset()
SELECT * FROM pg_prepared_statements
SELECT * FROM pg_cursors
SELECT * FROM pg_prepared_xacts
SELECT * FROM pg_stat_replication
SELECT * FROM pg_stat_ssl
SELECT * FROM pg_stat_user_tables
-- class: locks, snapshots, settings and state; expect: refused
SELECT pg_advisory_lock(7)
SELECT pg_advisory_xact_lock(7)
SELECT pg_advisory_lock_shared(7)
SELECT pg_try_advisory_lock(7)
SELECT pg_try_advisory_lock(7, 8)
SELECT pg_try_advisory_xact_lock_shared(7)
SELECT pg_advisory_unlock_all()
SELECT pg_advisory_unlock(7)
SELECT "pg_advisory_lock"(7)
SELECT pg_export_snapshot()
SELECT pg_catalog."pg_export_snapshot"()
SELECT set_config('search_path', 'other', false)
SELECT set_config('statement_timeout', '0', true)
SELECT set_config('role', 'postgres', false)
SELECT set_config('session_authorization', 'postgres', false)
SELECT set_config('work_mem', '4GB', false), (SELECT count(*) FROM t)
SELECT Set_Config('a.b', 'c', false)
SELECT setseed(0.5)
SELECT setseed(0.5), random()
SELECT "setseed"(0.5)
SELECT pg_catalog.setseed(0.5)
SELECT CASE WHEN random() < 2 THEN setseed(0.5) END
SELECT * FROM setseed(0.5)
SELECT nextval('s')
SELECT nextval('s'::regclass)
SELECT setval('s', 500)
SELECT currval('s')
SELECT lastval()
SELECT txid_current()
SELECT pg_current_xact_id()
SELECT pg_current_snapshot()
SELECT txid_current_snapshot()
SELECT pg_logical_emit_message(true, 'a', 'b')
SELECT pg_create_restore_point('x')
SELECT pg_switch_wal()
SELECT pg_create_logical_replication_slot('stolen', 'pgoutput')
SELECT pg_create_physical_replication_slot('stolen', true)
SELECT pg_replication_origin_create('stolen')
SELECT pg_replication_origin_session_setup('stolen')
SELECT pg_reload_conf()
SELECT pg_rotate_logfile()
SELECT pg_promote()
SELECT pg_backup_start('x')
SELECT pg_wal_replay_pause()
SELECT brin_summarize_new_values('t_pkey')
SELECT gin_clean_pending_list('t_pkey')
SELECT current_setting('primary_conninfo')
SELECT current_setting('data_directory')
SELECT name, setting FROM pg_settings
SELECT * FROM pg_show_all_settings()
SELECT set_limit(0.1)
SELECT pg_import_system_collations('public')
SELECT binary_upgrade_set_next_pg_type_oid(1)
SELECT pg_prewarm('t')
-- class: passwords and the server's own tables; expect: refused
SELECT rolname, rolpassword FROM pg_authid
SELECT * FROM pg_catalog.pg_authid
SELECT * FROM "pg_authid"
SELECT * FROM pg_catalog /* x */ . /* y */ "pg_authid"
SELECT * FROM PG_AUTHID
TABLE pg_authid
SELECT (SELECT max(rolpassword) FROM pg_authid)
SELECT a.rolpassword FROM t, pg_authid AS a
SELECT t.id FROM t WHERE EXISTS (SELECT FROM pg_authid WHERE rolpassword LIKE 'S%')
WITH a AS (SELECT * FROM pg_authid) SELECT * FROM a
SELECT row_to_json(a) FROM pg_authid AS a
SELECT array_agg(a) FROM pg_authid AS a
SELECT usename, passwd FROM pg_shadow
SELECT * FROM U&"\0070g_shadow"
SELECT * FROM pg_user_mapping
SELECT * FROM pg_user_mappings
SELECT * FROM information_schema.user_mapping_options
SELECT * FROM information_schema._pg_user_mappings
SELECT * FROM information_schema.foreign_server_options
SELECT * FROM pg_foreign_server
SELECT * FROM pg_subscription
SELECT * FROM pg_statistic
SELECT * FROM pg_stats
SELECT most_common_vals FROM pg_stats WHERE tablename = 'hidden'
SELECT * FROM pg_stats_ext
SELECT * FROM pg_statistic_ext_data
SELECT * FROM pg_toast.pg_toast_1260
SELECT * FROM pg_hba_file_rules
SELECT * FROM pg_ident_file_mappings
SELECT * FROM pg_file_settings
SELECT * FROM pg_config
SELECT * FROM pg_db_role_setting
SELECT * FROM pg_roles
SELECT * FROM pg_user
SELECT * FROM pg_group
SELECT * FROM pg_auth_members
SELECT * FROM pg_largeobject
SELECT * FROM pg_largeobject_metadata
SELECT * FROM pg_replication_slots
SELECT * FROM pg_backend_memory_contexts
SELECT * FROM pg_shmem_allocations
SELECT * FROM pg_rewrite
SELECT * FROM pg_policies
SELECT * FROM pg_available_extensions
SELECT * FROM pg_init_privs
SELECT * FROM pg_parameter_acl
-- class: files, large objects and other servers; expect: refused
SELECT pg_read_file('/etc/passwd')
SELECT pg_read_file('PG_VERSION', 0, 10)
SELECT pg_read_binary_file('/etc/passwd')
SELECT pg_catalog."pg_read_file"('/etc/passwd')
SELECT pg_ls_dir('.')
SELECT * FROM pg_ls_logdir()
SELECT * FROM pg_ls_waldir()
SELECT * FROM pg_ls_tmpdir()
SELECT * FROM pg_ls_archive_statusdir()
SELECT * FROM pg_stat_file('PG_VERSION')
SELECT pg_current_logfile()
SELECT pg_relation_filepath('t')
SELECT lo_import('/etc/passwd')
SELECT lo_export(4711, '/tmp/stolen')
SELECT lo_get(4711)
SELECT lo_put(4711, 0, 'x')
SELECT lo_create(0)
SELECT lo_creat(-1)
SELECT lo_from_bytea(0, 'x')
SELECT lo_unlink(4711)
SELECT lo_open(4711, 131072)
SELECT loread(lo_open(4711, 262144), 9)
SELECT lowrite(lo_open(4711, 131072), 'x')
SELECT lo_truncate(lo_open(4711, 131072), 0)
SELECT dblink_connect('dbname=postgres')
SELECT dblink_connect_u('dbname=postgres')
SELECT dblink_exec('dbname=postgres', 'select 1')
SELECT * FROM dblink('dbname=postgres', 'select 1') AS x(i int)
SELECT * FROM public.dblink('dbname=postgres', 'select 1') AS x(i int)
SELECT * FROM "dblink"('dbname=postgres', 'select 1') AS x(i int)
SELECT * FROM Dblink('dbname=postgres', 'select 1') AS x(i int)
SELECT dblink_send_query('c', 'select 1')
SELECT dblink_get_connections()
SELECT dblink_disconnect()
SELECT dblink_cancel_query('c')
COPY t TO PROGRAM 'touch /tmp/stolen'
COPY t TO '/tmp/stolen'
COPY t FROM '/etc/passwd'
LOAD 'stolen'
-- class: writes in a query; expect: refused
SELECT * INTO u FROM t
SELECT * INTO TEMP u FROM t
SELECT * INTO UNLOGGED u FROM t
SELECT * FROM t FOR UPDATE
SELECT * FROM t FOR NO KEY UPDATE
SELECT * FROM t FOR SHARE
SELECT * FROM t FOR KEY SHARE
SELECT * FROM (SELECT * FROM t FOR UPDATE) AS q
WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d
WITH d AS (UPDATE t SET name = 'x' RETURNING *) SELECT count(*) FROM d
WITH d AS (INSERT INTO t VALUES (-1, 'x') RETURNING *) TABLE d
WITH d AS (DELETE FROM t) SELECT 1
WITH a AS (SELECT 1), d AS (TRUNCATE t) SELECT 1; SELECT 1
SELECT erase()
SELECT 1; DELETE FROM t
SELECT 1;⏎COMMIT; DROP TABLE t
SELECT E'a\'; DROP TABLE t; --'; DELETE FROM t
SELECT E'a'⏎'\'', 1; DROP TABLE t --'
SELECT $$;$$; DROP TABLE t
SELECT $a$ $$ ; $a$; DROP TABLE t
-- class: nothing is changed, so it may run; expect: refused, error, ok
SELECT 'query_to' || '_xml'
SELECT erase_quietly()
SELECT E'a'⏎'b', innocent(4194304), 'c'
SELECT 1 AS €$$, innocent(4194304) AS €$$
SELECT 1 AS €e'\', innocent(4194304), '
SELECT 'pg_authid'::regclass::oid
SELECT ('pg_terminate_backend'::regproc)::oid
SELECT xmlparse(document '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')
SELECT version()
-- class: time, rows and memory; expect: timeout, too_large, out_of_memory, error
SELECT pg_sleep(30)
SELECT pg_sleep_for('1 hour')
SELECT pg_sleep_until('infinity')
SELECT id, pg_sleep(1) FROM t
SELECT count(*) FROM generate_series(1, 1000000000000) AS a
SELECT a.id FROM t AS a, t AS b, t AS c
SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d
WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r
WITH RECURSIVE r(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM r) SELECT length(x) FROM r
SELECT length(repeat('x', 1500000000))
SELECT regexp_matches(repeat('a', 40), '(a|a)*(a|a)*(a|a)*\1b') FROM t AS a, t AS b, t AS c
SELECT md5(string_agg(repeat(a.name, 99), '')) FROM t AS a, t AS b
SELECT sum(cardinality(array_fill(id, ARRAY[3000000]))) FROM t
SELECT jsonb_agg(a.name) FROM t AS a, t AS b, generate_series(1, 50)
SELECT factorial(200000)
SELECT 10 ^ 100000::numeric ^ 2
-- class: a text as a value of another type; expect: refused, error
SELECT 1 WHERE domain_in('select 1', ('chec'||'ked')::regtype::oid, -1) IS NOT NULL
SELECT domain_in('select 1', to_regtype('chec'||'ked')::oid, -1)
SELECT domain_in('select 1', (SELECT oid FROM pg_type WHERE typname LIKE 'chec%'), -1)
SELECT array_in('{select 1}', (SELECT oid FROM pg_type WHERE typname LIKE 'chec%'), -1)
SELECT pg_input_is_valid('select 1', 'chec' || 'ked')
SELECT record_in('(1)', to_regtype('pa'||'ir')::oid, -1)
-- class: stored functions with statements that no rollback undoes; expect: refused
SELECT export_it()
SELECT export_sql()
SELECT checkpoint_it()
SELECT calls_export()
-- class: an XPath that nothing ends; expect: refused
SELECT xpath('count(//*[count(//*[count(//*[count(//*)>0])>0])>0])', ('<a>' || repeat('<b/>',3000) || '</a>')::xml)
SELECT xpath_exists('//*[count(//*[count(//*)>0])>0]', '<a/>')
SELECT xpath('//' || '*[' || 'count(//*)]', '<a/>')
SELECT xpath('//*//*//*//*//*', '<a/>')
SELECT xpath('/descendant::*/descendant::*', '<a/>')
SELECT xpath(name, '<a/>') FROM t
SELECT xmlexists('//*[//*[//*]]' PASSING '<a/>')
SELECT * FROM xmltable('//*[//*[//*]]' PASSING '<a/>' COLUMNS v int PATH '.')
SELECT * FROM xmltable('/a' PASSING '<a/>' COLUMNS v int PATH '//*[//*[//*]]')
-- class: a parameter; expect: error
SELECT $1
SELECT id FROM t WHERE id = $1
SELECT * FROM t LIMIT $2
-- class: other statements and catalogs; expect: refused, error, ok
SELECT :a
SELECT 1 AS a \gexec
SELECT 1 UNION (TABLE t) INTO u
DO $x$ BEGIN PERFORM 1; END $x$
DECLARE c CURSOR WITH HOLD FOR SELECT 1
FETCH ALL FROM c
LISTEN x
NOTIFY x
SET TRANSACTION READ WRITE
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
SET LOCAL statement_timeout = 0
RESET ALL
SHOW ALL
CLUSTER t
REFRESH MATERIALIZED VIEW m
SECURITY LABEL ON TABLE t IS 'x'
REASSIGN OWNED BY postgres TO postgres
DROP OWNED BY postgres
IMPORT FOREIGN SCHEMA x FROM SERVER far INTO public
ALTER SYSTEM SET work_mem = '1GB'
CREATE TEMP TABLE x AS SELECT 1
SELECT FROM t WHERE CURRENT OF c
WITH RECURSIVE x AS (SELECT 1 UNION ALL (MERGE INTO t USING t s ON true WHEN MATCHED THEN DELETE)) SELECT 1
SELECT (WITH d AS (DELETE FROM t RETURNING 1) SELECT count(*) FROM d)
EXPLAIN (ANALYZE) SELECT 1
SELECT * FROM pg_catalog.pg_largeobject
SELECT * FROM information_schema.pg_authid
SELECT relacl FROM pg_class
SELECT * FROM pg_shdescription
SELECT * FROM pg_shseclabel
SELECT * FROM pg_event_trigger
SELECT * FROM pg_publication
SELECT * FROM pg_tablespace
SELECT * FROM pg_foreign_table
SELECT * FROM pg_foreign_data_wrapper
SELECT ftoptions FROM pg_catalog.pg_foreign_table
SELECT * FROM information_schema.foreign_table_options
SELECT * FROM information_schema.foreign_data_wrapper_options
SELECT * FROM pg_stat_progress_vacuum
SELECT * FROM pg_statio_all_tables
SELECT * FROM pg_stat_wal
SELECT * FROM pg_stat_gssapi
SELECT * FROM pg_stat_subscription_stats
SELECT * FROM pg_control_system()
SELECT * FROM pg_hba_file_rules()
SELECT pg_ls_logicalmapdir()
SELECT pg_ls_replslotdir('x')
SELECT has_function_privilege('pg_read_file(text)', 'execute')
SELECT pg_get_wal_replay_pause_state()
SELECT pg_stat_have_stats('a',1,1)
SELECT pg_identify_object_as_address(1,1,1)
SELECT pg_get_object_address('table','{t}','{}')
SELECT pg_options_to_table(ARRAY['a=b'])
SELECT pg_event_trigger_ddl_commands()
SELECT pg_extension_config_dump('t','')
SELECT pg_nextoid('pg_class','oid','pg_class_oid_index')
SELECT pg_stop_making_pinned_objects()
SELECT pg_collation_actual_version(1)
SELECT pg_database_collation_actual_version(1)
SELECT pg_filenode_relation(0,1)
SELECT pg_tablespace_location(1663)
SELECT pg_postmaster_start_time()
SELECT pg_conf_load_time()
SELECT pg_safe_snapshot_blocking_pids(1)
SELECT pg_isolation_test_session_is_blocked(1,'{1}')
SELECT pg_jit_available()
SELECT pg_my_temp_schema()
SELECT pg_is_other_temp_schema(1)
SELECT pg_listening_channels()
SELECT pg_notification_queue_usage()
SELECT pg_trigger_depth()
SELECT pg_mcv_list_items(NULL)
SELECT ts_debug('english','a')
SELECT ts_parse('default','a')
SELECT ts_lexize('simple','a')
SELECT get_current_ts_config()
SELECT inet_server_addr()
SELECT array_to_string(ARRAY(SELECT rolpassword FROM pg_authid), ',')
SELECT t.* FROM t, LATERAL (SELECT * FROM dblink('host=/var/run/postgresql','select 1') AS x(a int)) y
SELECT loid FROM pg_largeobject_metadata
SELECT brin_desummarize_range('x',1)
SELECT currtid2('t','(0,1)')
SELECT heap_tableam_handler(NULL)
SELECT plpgsql_call_handler()
SELECT plpgsql_inline_handler(NULL)
SELECT plpgsql_validator('double'::regproc)
SELECT fmgr_sql_validator('double'::regproc)
SELECT fmgr_c_validator(1)
SELECT ri_fkey_cascade_del()
SELECT suppress_redundant_updates_trigger()
SELECT unique_key_recheck()
SELECT lo_lseek64(0,0,0)
SELECT be_lo_unlink(1)
SELECT nameconcatoid('a',1)
SELECT satisfies_hash_partition('t'::regclass,2,1,1)
SELECT * FROM json_to_record('{"a":"select 1"}') AS x(a checked)
SELECT * FROM json_populate_record(NULL::pair, '{"a":"x"}')
SELECT * FROM XMLTABLE('/a' PASSING '<a/>'::xml COLUMNS b checked PATH '.')
SELECT jsonb_path_query('"2020"', '$.datetime()')
SELECT 1 OPERATOR(pg_catalog.+) 1
SELECT U&'\0041'
SELECT U&'!0041' UESCAPE '!'
SELECT N'abc', B'01', X'1F', $q$a$q$
SELECT 0x1F
SELECT 1_000
SELECT 'a' 'b'
SELECT ٣
SELECT pg_ſleep(10)
SELECT pg_read_ﬁle('x')
SELECT ｐg_read_file('x')
-- class: time and memory in one call; expect: timeout, too_large, out_of_memory, error
SELECT exp(ln(repeat('9',100000)::numeric))
SELECT power(repeat('9',100000)::numeric, 1.0000001)
SELECT string_to_array(repeat(',',200000000), ',')
SELECT 'x' ~ repeat('(a{0,255}){0,255}', 50)
SELECT array_agg(g) FROM generate_series(1,100000000) g
SELECT json_agg(t) FROM t, generate_series(1,100000)
SELECT lpad('x', 1000000000)
SELECT to_char(1, repeat('9', 100000000))
SELECT xmlparse(document '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">]><a>&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;</a>')
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY g) FROM generate_series(1,500000000) g
-- class: functions of extensions; expect: refused, error, timeout, ok
SELECT crypt('a', '$2a$31$abcdefghijklmnopqrstuu')
SELECT crypt('a', '_....abcd')
SELECT xslt_process('<a/>', '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><xsl:copy-of select="document(''/etc/passwd'')"/></xsl:template></xsl:stylesheet>')
SELECT xslt_process('<a/>', '<xsl:stylesheet version="1.0" extension-element-prefixes="e" xmlns:e="http://exslt.org/common" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><e:document href="/tmp/stolen.x">x</e:document></xsl:template></xsl:stylesheet>')
SELECT pgp_sym_encrypt('a','b','s2k-count=65011712, s2k-mode=3')
SELECT show_limit()
SELECT gen_salt('bf', 31)
