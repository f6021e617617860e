-- Enumerations: their values as a constraint; order by position, and in DuckDB as texts next to a text.
-- duckdb
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE p (id INTEGER PRIMARY KEY, m mood NOT NULL, n mood);
SELECT id FROM p WHERE m IN ('sad', 'ok', 'happy') === SELECT id FROM p
SELECT id FROM p WHERE m <> 'sad' === SELECT id FROM p WHERE m IN ('ok', 'happy')
SELECT id FROM p WHERE n <> 'sad' === SELECT id FROM p WHERE n IN ('ok', 'happy')
SELECT id FROM p WHERE n IN ('sad', 'ok', 'happy') =/= SELECT id FROM p
SELECT id FROM p WHERE m > 'sad' AND m < 'happy' === SELECT id FROM p WHERE 1 = 0
SELECT id FROM p WHERE m >= n AND n > 'ok' =/= SELECT id FROM p WHERE m >= n AND n > 'ok' AND m > 'ok'
SELECT a.id FROM p a JOIN p b ON a.m < b.m WHERE b.m <= 'happy' AND a.m >= 'happy' =/= SELECT id FROM p WHERE 1 = 0
SELECT m, COUNT(*) FROM p GROUP BY m === SELECT m, COUNT(*) FROM p GROUP BY 1
SELECT DISTINCT m FROM p === SELECT m FROM p GROUP BY m
SELECT id FROM p WHERE m = n === SELECT id FROM p WHERE n = m
SELECT id FROM p WHERE EXISTS (SELECT 1 FROM p q WHERE q.m > 'ok') =/= SELECT id FROM p WHERE (SELECT MAX(m) FROM p) > 'ok'
-- postgres
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE p (id INTEGER PRIMARY KEY, m mood NOT NULL, n mood);
SELECT id FROM p WHERE m IN ('sad', 'ok', 'happy') === SELECT id FROM p
SELECT id FROM p WHERE m > 'sad' AND m < 'happy' =/= SELECT id FROM p WHERE 1 = 0
SELECT id FROM p WHERE m >= 'sad' =/= SELECT id FROM p WHERE m = 'sad'
SELECT id FROM p WHERE m <= 'ok' =/= SELECT id FROM p WHERE m IN ('ok', 'happy')
SELECT id FROM p WHERE m > n AND n = 'happy' =/= SELECT id FROM p WHERE n = 'happy' AND m <> 'happy'
