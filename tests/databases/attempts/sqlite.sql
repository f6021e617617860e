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
