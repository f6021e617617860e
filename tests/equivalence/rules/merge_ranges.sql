-- dialect: duckdb
CREATE TABLE t (id INTEGER, d DATE, ts TIMESTAMP);
-- rule: merge_ranges

-- equal
SELECT id FROM t WHERE d > '2020-01-31';
SELECT id FROM t WHERE d >= '2020-02-01';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-12-31', '2020-01-31 12:00:00');
SELECT id FROM t WHERE ts > '2020-01-31';
SELECT id FROM t WHERE ts >= '2020-02-01';

-- equal
SELECT id FROM t WHERE d >= DATE '2020-02-15' AND d <= '2020-02-15';
SELECT id FROM t WHERE d = '2020-02-15';

-- equal
SELECT id FROM t WHERE d >= '2020-02-15' AND d < '2020-02-16';
SELECT id FROM t WHERE d = '2020-02-15';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-12-31', '2020-02-15 10:00:00');
SELECT id FROM t WHERE ts >= '2020-02-15' AND ts < '2020-02-16';
SELECT id FROM t WHERE ts = '2020-02-15';
