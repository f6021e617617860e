-- class: native code and files; expect: refused, error
SELECT load_extension('stolen.so')
SELECT LOAD_EXTENSION('stolen.so', 'init')
SELECT "load_extension"('stolen.so')
SELECT [load_extension]('stolen.so')
SELECT `load_extension`('stolen.so')
SELECT load_extension/**/('stolen.so')
SELECT id FROM t WHERE load_extension('stolen.so') IS NULL
SELECT fts3_tokenizer('simple')
SELECT fts3_tokenizer('x', x'0000000000000000')
SELECT readfile('/etc/passwd')
SELECT writefile('stolen', 'x')
SELECT edit('x', 'vi')
SELECT * FROM fsdir('/')
SELECT * FROM zipfile('stolen.zip')
SELECT icu_load_collation('de', 'g')
SELECT sqlite_log(1, 'x')
SELECT fts5(NULL)
SELECT fts5_source_id()
SELECT optimize(t) FROM t
SELECT rtreecheck('t')
SELECT rtreenode(2, x'00')
SELECT shell_add_schema('a', 'b')
SELECT sqlite_rename_column('a', 'b', 'c', 'd', 1, 'e', 'f', 1, 1)
SELECT sqlite_rename_table('a', 'b', 'c', 'd', 'e', 'f', 'g')
SELECT sqlite_drop_column(1, 'a', 1)
ATTACH 'stolen.db' AS s
ATTACH ':memory:' AS s
DETACH main
VACUUM
VACUUM INTO 'stolen.db'
-- class: state between statements; expect: refused, error
SELECT sql FROM sqlite_stmt
SELECT * FROM sqlite_stmt
SELECT count(*) FROM sqlite_stmt
SELECT * FROM "sqlite_stmt"
SELECT * FROM main.sqlite_stmt
SELECT * FROM [sqlite_stmt] AS q
WITH a AS (SELECT sql FROM sqlite_stmt) SELECT * FROM a
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM sqlite_stmt WHERE run > 0)
SELECT * FROM sqlite_dbpage
SELECT changes()
SELECT total_changes()
SELECT last_insert_rowid()
SELECT id FROM t WHERE id = last_insert_rowid()
SELECT sqlite_compileoption_used('ENABLE_FTS5')
SELECT sqlite_compileoption_get(1)
-- class: settings; expect: refused, error
PRAGMA writable_schema = ON
PRAGMA query_only = OFF
PRAGMA trusted_schema = ON
PRAGMA journal_mode = DELETE
PRAGMA hard_heap_limit = 0
PRAGMA temp_store_directory = '/tmp'
PRAGMA case_sensitive_like = ON
PRAGMA user_version = 5
PRAGMA table_info(t)
SELECT * FROM pragma_journal_mode
SELECT * FROM pragma_journal_mode('wal')
SELECT * FROM pragma_query_only
SELECT * FROM pragma_database_list
SELECT file FROM pragma_database_list
SELECT * FROM pragma_function_list
SELECT * FROM pragma_module_list
SELECT * FROM pragma_compile_options
SELECT * FROM pragma_user_version
SELECT * FROM pragma_wal_checkpoint
SELECT * FROM pragma_optimize
SELECT * FROM pragma_integrity_check
SELECT * FROM "pragma_database_list"
-- class: writes in a query; expect: refused, error
WITH x AS (SELECT 1) DELETE FROM t
WITH x AS (SELECT 1) UPDATE t SET name = 'x'
WITH x AS (SELECT 1) INSERT INTO t SELECT -1, 'x'
WITH x AS (SELECT 1) REPLACE INTO t SELECT 1, 'x'
WITH x AS (SELECT 1) DELETE FROM t RETURNING id
WITH d AS (DELETE FROM t RETURNING id) SELECT * FROM d
WITH x AS (SELECT 1) DELETE FROM sqlite_master
WITH x AS (SELECT 1) UPDATE sqlite_master SET sql = ''
WITH x AS (SELECT 1) INSERT INTO sqlite_schema SELECT 'table', 'u', 'u', 0, 'CREATE TABLE u (a)'
WITH x AS (SELECT 1) DELETE FROM sqlite_sequence
CREATE TEMP TABLE u AS SELECT * FROM t
CREATE VIRTUAL TABLE u USING fts5(a)
CREATE TEMP VIEW v AS SELECT 1
CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END
SELECT 1; DELETE FROM t
SELECT 1;⏎COMMIT; DROP TABLE t
SELECT ';'';', "a;""b" FROM t; DROP TABLE t
SELECT [;] FROM t; DROP TABLE t
SELECT `;` FROM t; DROP TABLE t
SELECT 1 /* ; */ ; DROP TABLE t
EXPLAIN DELETE FROM t
EXPLAIN QUERY PLAN SELECT 1
REINDEX
ANALYZE
BEGIN IMMEDIATE
BEGIN EXCLUSIVE
SAVEPOINT a
RELEASE a
-- class: nothing is changed, so it may run; expect: refused, error, ok
SELECT * INTO u FROM t
SELECT sqlite_version()
SELECT random()
SELECT * FROM sqlite_master
SELECT * FROM pragma_table_info('t')
SELECT * FROM dbstat
SELECT printf('%s', 'load_extension')
-- class: time, rows and memory; expect: timeout, too_large, out_of_memory, error
SELECT a.id FROM t AS a, t AS b, t AS c
SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d
WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r
WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r
WITH RECURSIVE r(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM r) SELECT max(length(x)) FROM r
SELECT zeroblob(2e9)
SELECT hex(zeroblob(6e8))
SELECT group_concat(hex(zeroblob(100000))) FROM t, t AS u
SELECT json_group_array(hex(zeroblob(100000))) FROM t, t AS u
SELECT quote(zeroblob(6e8))
SELECT randomblob(1000000000)
SELECT replace(hex(zeroblob(9e6)), '0', hex(zeroblob(9e6)))
-- class: virtual tables and their functions; expect: refused, error
SELECT * FROM bytecode('DELETE FROM t')
SELECT * FROM tables_used('SELECT * FROM t')
SELECT * FROM completion('sel')
SELECT * FROM sqlite_dbdata
SELECT * FROM sqlite_dbptr
SELECT * FROM sqlite_memstat
SELECT * FROM csv('/etc/passwd')
SELECT * FROM fileio
SELECT * FROM lsmode
SELECT * FROM generate_series(1, 5)
SELECT * FROM vfsstat
SELECT * FROM prefixes('a')
SELECT * FROM carray(1, 5)
SELECT * FROM statement('x')
SELECT sqlite_offset(id) FROM t
SELECT sqlite3_vtab_in(1)
SELECT fts3_tokenizer(upper('simple'))
SELECT sha3_query('DELETE FROM t')
SELECT eval('DELETE FROM t')
SELECT lsdir('/')
SELECT name, data FROM fsdir('/etc')
SELECT pcache1(1)
SELECT * FROM pragma_data_version(1)
SELECT * FROM pragma_foreign_key_check('t')
SELECT * FROM pragma_quick_check
SELECT * FROM pragma_cache_size(-1000000)
SELECT * FROM pragma_mmap_size(1000000000)
SELECT * FROM pragma_threads(8)
SELECT * FROM pragma_soft_heap_limit(0)
SELECT * FROM pragma_hard_heap_limit(0)
SELECT * FROM pragma_trusted_schema(1)
SELECT * FROM pragma_temp_store(1)
SELECT * FROM pragma_case_sensitive_like(1)
SELECT * FROM pragma_reverse_unordered_selects(1)
SELECT * FROM pragma_encoding
SELECT * FROM pragma_incremental_vacuum(1)
SELECT * FROM pragma_busy_timeout(100000)
SELECT * FROM pragma_locking_mode('exclusive')
SELECT * FROM pragma_application_id
SELECT * FROM pragma_vdbe_trace(1)
SELECT * FROM pragma_shrink_memory
SELECT * FROM pragma_stats
SELECT * FROM pragma_lock_status
SELECT * FROM pragma_legacy_alter_table(1)
SELECT * FROM pragma_writable_schema(1)
PRAGMA main.table_info(t)
PRAGMA schema_version = 5
PRAGMA integrity_check
-- class: other statements and texts; expect: refused, error, ok
VALUES(1); VALUES(2)
SELECT 1 -- ; DROP TABLE t
SELECT x'00', 'a' || char(0) || 'b', "t".'id' FROM t LIMIT 1
SELECT `id`, [id], 'id', "id" FROM t LIMIT 1
SELECT "drop table t"
SELECT 1 AS "a;b"
SELECT ?1, :a, @b, $c
SELECT ?
SELECT $a::b(c)
SELECT #1
SELECT 1e999, -9223372036854775808, 0x7fffffffffffffff, 0xffffffffffffffff
SELECT 0x8000000000000000000
SELECT 9e999 - 9e999
SELECT char(55296), char(1114112), char(0)
SELECT CAST(x'fffe' AS TEXT)
SELECT id COLLATE nosuch FROM t
SELECT * FROM t INDEXED BY nosuch
SELECT * FROM t NOT INDEXED
SELECT * FROM main.t, temp.t
SELECT * FROM temp.sqlite_master
SELECT * FROM sqlite_temp_schema
SELECT * FROM sqlite_sequence
SELECT * FROM sqlite_stat1
SELECT raise(ignore)
SELECT raise(abort, 'x')
SELECT current_timestamp, unixepoch('now','subsec')
SELECT 1 ISNULL NOTNULL IS NOT DISTINCT FROM 2
SELECT EXISTS (DELETE FROM t RETURNING 1)
WITH x AS (INSERT INTO t VALUES(-1,'a') RETURNING 1) SELECT * FROM x
WITH x AS MATERIALIZED (SELECT 1) REPLACE INTO t VALUES(1,'a') RETURNING *
SELECT 1 RETURNING 2
EXPLAIN SELECT 1
REPLACE INTO t VALUES(1,'x')
INSERT INTO t DEFAULT VALUES
UPDATE OR IGNORE t SET id=id
CREATE TABLE IF NOT EXISTS t(a)
DROP VIEW IF EXISTS v
ALTER TABLE t DROP COLUMN name
ATTACH 'file:/etc/passwd?mode=ro' AS x
.shell touch /tmp/stolen
.load evil
SELECT '٣', ٣
SELECT 1​
SELECT﻿ 1
-- class: bombs; expect: timeout, too_large, out_of_memory, error
SELECT group_concat(x, hex(zeroblob(100000))) FROM (SELECT a.id x FROM t a, t b)
SELECT json_group_object(a.id || '-' || b.id, hex(zeroblob(1000))) FROM t a, t b
WITH RECURSIVE r(x, n) AS (SELECT zeroblob(1000000), 1 UNION SELECT zeroblob(1000000 + n), n + 1 FROM r) SELECT count(*) FROM r
WITH RECURSIVE r(x) AS (SELECT 1 UNION SELECT x + 1 FROM r) SELECT * FROM r ORDER BY random()
WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r ORDER BY 1) SELECT sum(x) FROM r
SELECT count(*) FROM (SELECT DISTINCT a.id * 1000000 + b.id * 1000 + c.id FROM t a, t b, t c)
SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM (SELECT a.id x FROM t a, t b, t c)
SELECT max(x) OVER (ORDER BY y RANGE BETWEEN 1000000 PRECEDING AND 1000000 FOLLOWING EXCLUDE TIES) FROM (SELECT a.id x, b.id y FROM t a, t b)
SELECT trim(hex(zeroblob(400000)), hex(zeroblob(400000)) || 'x') FROM t a, t b
SELECT replace(hex(zeroblob(100000)), '00', hex(zeroblob(100000)))
SELECT substr(hex(zeroblob(400000)), a.id) FROM t a, t b, t c
SELECT unhex(hex(zeroblob(100000))) FROM t a, t b, t c
SELECT quote(hex(zeroblob(120000))) FROM t a, t b
SELECT strftime('%Y', 'now', '+' || a.id || ' days') FROM t a, t b, t c
SELECT count(*) FROM json_each('[' || replace(hex(zeroblob(100000)), '0', '1,') || '1]') a, t b, t c
SELECT count(*) FROM json_tree('[' || replace(hex(zeroblob(100000)), '0', '[],') || '1]') a, t b, t c
SELECT json_patch(a.x, b.x) FROM (SELECT json_group_object(id, name) x FROM t) a, (SELECT json_group_object(id, id) x FROM t) b, t, t c, t d
SELECT '{"a":' || replace(hex(zeroblob(120000)), '0', '[') -> '$' FROM t a, t b
SELECT printf(hex(zeroblob(100000)), 1) FROM t a, t b, t c
