-- schema: shop
-- rule: left_join_to_not_exists

-- equal assuming: primary key
SELECT name FROM customer LEFT JOIN orders ON customer.id = orders.customer_id WHERE orders.id IS NULL;
SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders);

-- The column that is compared cannot be NULL in a partner.
-- equal
SELECT name FROM customer c LEFT JOIN orders o ON c.id = o.seller_id WHERE o.seller_id IS NULL;
SELECT name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.seller_id = c.id);

-- equal assuming: not null
SELECT name FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.day IS NULL;
SELECT name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id);

-- equal
-- schema: plain
SELECT COUNT(*) FROM t LEFT JOIN u ON t.b = u.b AND u.c = 'a' WHERE u.b IS NULL AND t.c = 'b';
SELECT COUNT(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.b AND u.c = 'a') AND t.c = 'b';

-- equal
-- schema: plain
SELECT t.a FROM t LEFT JOIN u ON t.b = u.a OR t.b = u.b WHERE u.a IS NULL AND u.b IS NULL;
SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.a OR t.b = u.b);

-- equal
-- schema: plain
SELECT t.a FROM t LEFT JOIN u ON t.b = u.b LEFT JOIN v ON t.b = v.b WHERE u.b IS NULL AND v.b IS NULL;
SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.b)
  AND NOT EXISTS (SELECT 1 FROM v WHERE t.b = v.b);

-- equal
-- schema: plain
SELECT t.a, u.c FROM t LEFT JOIN u ON t.b = u.b WHERE u.b IS NULL;
SELECT t.a, NULL FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.b);

-- equal
-- schema: plain
SELECT t.a FROM t LEFT JOIN (SELECT DISTINCT b FROM u) x ON t.b = x.b WHERE x.b IS NULL;
SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.b);

-- A partner may have NULL there.
-- different assuming: primary key, foreign key, no ties, types
SELECT name FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.day IS NULL;
SELECT name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id);

-- One of both columns is enough for a partner of this kind.
-- different
-- schema: plain
-- witness: INSERT INTO t VALUES (1, 2, 'a', 0.5);
-- witness: INSERT INTO u VALUES (1, 2, 'a', 0.5);
SELECT t.a FROM t LEFT JOIN u ON t.b = u.a OR t.b = u.b WHERE u.c IS NULL OR u.a = 1;
SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.a OR t.b = u.b);

-- different
-- schema: plain
SELECT t.a FROM t LEFT JOIN u ON t.b = u.b AND u.b IS NULL WHERE t.c IS NULL;
SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.b = u.b);

-- The condition belongs to the join, or to the rows.
-- different
-- schema: plain
SELECT t.a FROM t LEFT JOIN u ON t.b = u.b AND t.c = 'a' WHERE u.b IS NULL;
SELECT t.a FROM t LEFT JOIN u ON t.b = u.b WHERE u.b IS NULL AND t.c = 'a';
