-- schema: plain
-- rule: set_to_exists

-- equal assuming: not null
SELECT c FROM t INTERSECT SELECT c FROM u;
SELECT DISTINCT t.c FROM t JOIN u ON t.c = u.c;

-- equal assuming: not null
SELECT c FROM t INTERSECT SELECT c FROM u;
SELECT DISTINCT c FROM t WHERE c IN (SELECT c FROM u);

-- equal
SELECT c FROM t WHERE c IS NOT NULL INTERSECT SELECT c FROM u;
SELECT DISTINCT c FROM t WHERE c IN (SELECT c FROM u);

-- equal
SELECT c FROM t INTERSECT SELECT c FROM u;
SELECT c FROM u INTERSECT SELECT c FROM t;

-- equal assuming: not null
SELECT c FROM t EXCEPT SELECT c FROM u;
SELECT DISTINCT c FROM t WHERE c NOT IN (SELECT c FROM u);

-- equal
-- dialect: sqlite
SELECT c FROM t EXCEPT SELECT c FROM u;
SELECT DISTINCT c FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.c IS t.c);

-- equal assuming: not null
SELECT c FROM t UNION SELECT c FROM u EXCEPT SELECT c FROM v;
SELECT c FROM t WHERE c NOT IN (SELECT c FROM v) UNION SELECT c FROM u WHERE c NOT IN (SELECT c FROM v);

-- equal assuming: primary key
-- schema: shop
SELECT id FROM customer EXCEPT SELECT customer_id FROM orders;
SELECT customer.id FROM customer LEFT JOIN orders ON customer.id = customer_id WHERE orders.id IS NULL;

-- NULLs are equal in set operations and nowhere else.
-- different assuming: nothing
SELECT c FROM t INTERSECT SELECT c FROM u;
SELECT DISTINCT t.c FROM t JOIN u ON t.c = u.c;

-- different assuming: nothing
SELECT c FROM t EXCEPT SELECT c FROM u;
SELECT DISTINCT c FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.c = t.c);

-- different
SELECT c FROM t INTERSECT SELECT c FROM u;
SELECT t.c FROM t WHERE t.c IN (SELECT c FROM u);

-- different
SELECT c FROM t EXCEPT SELECT c FROM u;
SELECT c FROM t WHERE c NOT IN (SELECT c FROM u);

-- different
SELECT c FROM t EXCEPT SELECT c FROM u;
SELECT c FROM u EXCEPT SELECT c FROM t;

-- Brackets count.
-- different
-- dialect: duckdb
SELECT c FROM t EXCEPT (SELECT c FROM u EXCEPT SELECT c FROM v);
(SELECT c FROM t EXCEPT SELECT c FROM u) EXCEPT SELECT c FROM v;

-- different
-- dialect: duckdb
SELECT c FROM t INTERSECT ALL SELECT c FROM u;
SELECT c FROM t INTERSECT SELECT c FROM u;

-- A number equals a text in a comparison, after conversion, but not in a set operation.
-- different
-- dialect: sqlite
-- witness: INSERT INTO t VALUES (1, 2, '1', 0.5);
-- witness: INSERT INTO u VALUES (1, 2, '1', 0.5);
SELECT a FROM t INTERSECT SELECT c FROM u;
SELECT DISTINCT a FROM t WHERE a IN (SELECT c FROM u);

-- equal
SELECT c FROM t WHERE a = 1 INTERSECT SELECT c FROM t WHERE b = 2;
SELECT DISTINCT c FROM t WHERE b = 2 INTERSECT SELECT DISTINCT c FROM t WHERE a = 1;
