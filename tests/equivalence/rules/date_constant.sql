-- dialect: duckdb
CREATE TABLE t (id INTEGER, d DATE, ts TIMESTAMP);
-- rule: date_constant

-- equal
SELECT id FROM t WHERE d >= DATE '2020-02-15' AND d <= '2020-02-15';
SELECT id FROM t WHERE d = '2020-02-15';

-- equal
SELECT id FROM t WHERE ts >= '2020-02-15 00:00:00' AND ts < '2020-02-15 12:00:00';
SELECT id FROM t WHERE ts >= '2020-02-15' AND ts <= '2020-02-15 11:00:00' OR ts > '2020-02-15 11:00:00' AND ts < '2020-02-15 12:00:00';
