-- schema: plain
-- rule: union_of_filters

-- equal
SELECT a FROM t WHERE b = 1 UNION SELECT a FROM t WHERE c = 'a';
SELECT DISTINCT a FROM t WHERE b = 1 OR c = 'a';

-- equal
SELECT t.a FROM t JOIN u ON t.b = u.b WHERE u.c = 'a' UNION SELECT t.a FROM t JOIN u ON t.b = u.b WHERE u.c = 'b';
SELECT DISTINCT t.a FROM t JOIN u ON t.b = u.b WHERE u.c IN ('a', 'b');

-- equal
SELECT a FROM t WHERE b = 1 UNION SELECT a FROM t;
SELECT DISTINCT a FROM t;

-- equal
SELECT a FROM t WHERE b = 1 UNION SELECT a FROM u UNION SELECT a FROM t WHERE b = 2;
SELECT a FROM t WHERE b IN (1, 2) UNION SELECT a FROM u;

-- Who satisfies both comes twice.
-- different
SELECT a FROM t WHERE b = 1 UNION ALL SELECT a FROM t WHERE c = 'a';
SELECT a FROM t WHERE b = 1 OR c = 'a';

-- different
SELECT a FROM t WHERE b = 1 UNION SELECT a FROM t WHERE c = 'a';
SELECT a FROM t WHERE b = 1 OR c = 'a';

-- different
SELECT a FROM t WHERE b = 1 UNION SELECT b FROM t WHERE c = 'a';
SELECT DISTINCT a FROM t WHERE b = 1 OR c = 'a';

-- equal assuming: primary key
-- schema: shop
SELECT id, name FROM customer WHERE city = 'a' UNION SELECT c.id, c.name FROM customer c JOIN orders o ON o.seller_id = c.id;
SELECT id, name FROM customer WHERE city = 'a' OR id IN (SELECT seller_id FROM orders);

-- different
-- schema: shop
SELECT id, name FROM customer WHERE city = 'a' UNION SELECT c.id, o.day FROM customer c JOIN orders o ON o.seller_id = c.id;
SELECT id, name FROM customer WHERE city = 'a' OR id IN (SELECT seller_id FROM orders);
