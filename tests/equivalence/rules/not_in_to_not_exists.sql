-- schema: plain
-- rule: not_in_to_not_exists

-- equal assuming: not null
SELECT a FROM t WHERE b NOT IN (SELECT b FROM u);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- equal
SELECT a FROM t WHERE b NOT IN (SELECT b FROM u);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b OR u.b IS NULL OR t.b IS NULL);

-- equal
SELECT a FROM t WHERE b NOT IN (SELECT b FROM u WHERE b IS NOT NULL) AND b IS NOT NULL;
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b) AND b IS NOT NULL;

-- equal
-- schema: shop
SELECT name FROM product WHERE kind NOT IN (SELECT product_id FROM item);
SELECT name FROM product WHERE NOT EXISTS (SELECT 1 FROM item WHERE product_id = kind);

-- equal assuming: primary key
-- schema: concert
SELECT name FROM singer WHERE singer_id NOT IN (SELECT singer_id FROM singer_in_concert);
SELECT name FROM singer s WHERE NOT EXISTS (
  SELECT * FROM singer_in_concert c WHERE s.singer_id = c.singer_id);

-- equal assuming: not null
-- dialect: duckdb
SELECT a FROM t WHERE b <> ALL (SELECT b FROM u);
SELECT a FROM t WHERE b NOT IN (SELECT b FROM u);

-- equal assuming: not null
-- dialect: duckdb
SELECT a FROM t WHERE b >= ALL (SELECT b FROM u);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b > t.b);

-- NULL among the rows, or the value: NOT IN is not true then.
-- different assuming: primary key, foreign key, types
SELECT a FROM t WHERE b NOT IN (SELECT b FROM u);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b);

-- different assuming: nothing
-- schema: shop
-- witness: INSERT INTO customer (id, name) VALUES (1, 'a');
-- witness: INSERT INTO orders VALUES (1, 1, NULL, '2020-01-01', 0.5);
SELECT name FROM customer WHERE id NOT IN (SELECT seller_id FROM orders);
SELECT name FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE seller_id = customer.id);

-- The NULLs of an outer join are there whatever may be assumed.
-- different
SELECT a FROM t WHERE b NOT IN (SELECT v.b FROM u LEFT JOIN v ON u.a = v.a);
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u LEFT JOIN v ON u.a = v.a WHERE v.b = t.b);

-- different
-- dialect: duckdb
SELECT a FROM t WHERE b >= ALL (SELECT b FROM u);
SELECT a FROM t WHERE b >= ANY (SELECT b FROM u);
