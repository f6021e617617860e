-- schema: shop
-- rule: unread_columns

-- equal
SELECT kind FROM (SELECT kind, COUNT(*) AS n, MAX(price) FROM product GROUP BY kind) AS t WHERE n > 1;
SELECT kind FROM product GROUP BY kind HAVING COUNT(*) > 1;

-- equal
SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS r FROM product) AS t;
SELECT id FROM product;

-- equal
-- rule:
SELECT a FROM (SELECT id AS a, name AS b FROM product UNION ALL SELECT id, city FROM customer) AS t;
SELECT id FROM product UNION ALL SELECT id FROM customer;

-- Of a UNION all columns count.
-- different
SELECT a FROM (SELECT kind AS a, name AS b FROM product UNION SELECT age, city FROM customer) AS t;
SELECT kind FROM product UNION SELECT age FROM customer;
