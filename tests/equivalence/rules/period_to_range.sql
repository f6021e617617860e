-- dialect: duckdb
CREATE TABLE t (id INTEGER, d DATE, ts TIMESTAMP);
-- rule: period_to_range

-- equal assuming: types
SELECT id FROM t WHERE YEAR(d) = 2020;
SELECT id FROM t WHERE d >= '2020-01-01' AND d < '2021-01-01';

-- equal assuming: types
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) = 2020;
SELECT id FROM t WHERE d BETWEEN '2020-01-01' AND '2020-12-31';

-- different
-- witness: INSERT INTO t VALUES (1, '2021-01-01', '2020-12-31 10:00:00');
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) = 2020;
SELECT id FROM t WHERE d BETWEEN '2020-01-01' AND '2021-02-01';

-- equal assuming: types
SELECT id FROM t WHERE YEAR(ts) = 2020;
SELECT id FROM t WHERE ts >= '2020-01-01' AND ts < '2021-01-01';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-12-31', '2020-12-31 10:00:00');
SELECT id FROM t WHERE YEAR(ts) = 2020;
SELECT id FROM t WHERE ts BETWEEN '2020-01-01' AND '2020-12-31';

-- equal
SELECT id FROM t WHERE CAST(ts AS DATE) = '2020-02-15';
SELECT id FROM t WHERE ts >= '2020-02-15' AND ts < '2020-02-16';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-12-31', '2020-02-15 10:00:00');
SELECT id FROM t WHERE CAST(ts AS DATE) = '2020-02-15';
SELECT id FROM t WHERE ts = '2020-02-15';

-- equal
SELECT id FROM t WHERE CAST(ts AS DATE) <= DATE '2020-02-15';
SELECT id FROM t WHERE ts < TIMESTAMP '2020-02-16 00:00:00';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-12-31', '2020-02-15 10:00:00');
SELECT id FROM t WHERE CAST(ts AS DATE) <= DATE '2020-02-15';
SELECT id FROM t WHERE ts <= '2020-02-15 00:00:00';

-- equal
SELECT id FROM t WHERE CAST(ts AS DATE) <> DATE '2020-02-15';
SELECT id FROM t WHERE NOT (ts >= '2020-02-15' AND ts < '2020-02-16');

-- equal assuming: types
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) IN (2019, 2020);
SELECT id FROM t WHERE d >= '2019-01-01' AND d <= '2020-12-31';

-- equal assuming: types
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) <> 2020;
SELECT id FROM t WHERE d < '2020-01-01' OR d > '2020-12-31';

-- different assuming: types
-- witness: INSERT INTO t VALUES (1, NULL, '2020-12-31 10:00:00');
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) <> 2020;
SELECT id FROM t WHERE d < '2020-01-01' OR d > '2020-12-31' OR d IS NULL;

-- equal assuming: types
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) > 2019;
SELECT id FROM t WHERE d >= '2020-01-01';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-01-01', '2020-12-31 10:00:00');
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) >= 2020;
SELECT id FROM t WHERE d > '2020-01-01';

-- equal assuming: types
SELECT id FROM t WHERE EXTRACT(YEAR FROM d) BETWEEN 2019 AND 2020;
SELECT id FROM t WHERE d >= '2019-01-01' AND d < '2021-01-01';

-- equal assuming: types
SELECT YEAR(d) = 2020 FROM t;
SELECT d >= '2020-01-01' AND d < '2021-01-01' FROM t;

-- different
-- witness: INSERT INTO t VALUES (1, '2020-02-20', '2020-12-31 10:00:00');
SELECT id FROM t WHERE YEAR(d) = 2020 AND MONTH(d) = 2;
SELECT id FROM t WHERE d >= '2020-01-01' AND d < '2020-02-01';

-- equal assuming: types
SELECT id FROM t WHERE STRFTIME(d, '%Y-%m') = '2020-02';
SELECT id FROM t WHERE d >= '2020-02-01' AND d < '2020-03-01';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-02-20', '2020-12-31 10:00:00');
SELECT id FROM t WHERE STRFTIME(d, '%Y-%m') = '2020-02';
SELECT id FROM t WHERE d >= '2020-02-01' AND d < '2020-02-15';

-- equal assuming: types
SELECT id FROM t WHERE DATE_TRUNC('month', ts) = '2020-02-01';
SELECT id FROM t WHERE ts >= '2020-02-01' AND ts < '2020-03-01';

-- different
-- witness: INSERT INTO t VALUES (1, '2020-12-31', '2020-01-31 12:00:00');
SELECT id FROM t WHERE DATE_TRUNC('month', ts) > '2020-01-15';
SELECT id FROM t WHERE ts >= '2020-01-15';

-- equal assuming: types
SELECT id FROM t WHERE DATE_TRUNC('year', ts) = '2020-01-01';
SELECT id FROM t WHERE EXTRACT(YEAR FROM ts) = 2020;

-- equal assuming: types
SELECT id FROM t WHERE YEAR(d) = 2020;
SELECT id FROM t WHERE YEAR(d) > 2019 AND YEAR(d) < 2021;
