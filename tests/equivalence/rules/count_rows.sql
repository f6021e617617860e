-- schema: shop
-- rule: count_rows

-- equal
SELECT COUNT(name) FROM customer;
SELECT COUNT(*) FROM customer;

-- equal
SELECT COUNT(1), kind FROM product GROUP BY kind;
SELECT COUNT(*), kind FROM product GROUP BY kind;

-- equal assuming: primary key
SELECT COUNT(DISTINCT id) FROM product;
SELECT COUNT(*) FROM product;

-- equal assuming: not null
SELECT COUNT(city) FROM customer;
SELECT COUNT(*) FROM customer;

-- Each value once in each group.
-- equal assuming: primary key
SELECT order_id, COUNT(DISTINCT product_id) FROM item GROUP BY order_id;
SELECT order_id, COUNT(*) FROM item GROUP BY order_id;

-- equal
SELECT MAX(DISTINCT price) FROM product;
SELECT MAX(price) FROM product;

-- A condition says that it is not NULL.
-- equal
SELECT COUNT(price) FROM product WHERE price > 2;
SELECT COUNT(*) FROM product WHERE price > 2;

-- equal assuming: primary key
SELECT COUNT(DISTINCT o.id) FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.age > 2;
SELECT COUNT(*) FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.age > 2;

-- different assuming: nothing
SELECT COUNT(city) FROM customer;
SELECT COUNT(*) FROM customer;

-- different
SELECT COUNT(DISTINCT kind) FROM product;
SELECT COUNT(kind) FROM product;

-- A row may occur more than once after the join.
-- different
SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 2;
SELECT COUNT(c.id) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 2;

-- different
SELECT COUNT(o.id) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id;
SELECT COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id;

-- different
SELECT SUM(DISTINCT price) FROM product;
SELECT SUM(price) FROM product;

-- NULLs may repeat in a UNIQUE column, and are not counted.
-- schema: shop
-- equal assuming: primary key
SELECT COUNT(DISTINCT email) FROM customer;
SELECT COUNT(email) FROM customer;

-- schema: shop
-- different assuming: nothing
SELECT COUNT(DISTINCT email) FROM customer;
SELECT COUNT(email) FROM customer;

-- schema: shop
-- different assuming: primary key
SELECT COUNT(DISTINCT email) FROM customer;
SELECT COUNT(*) FROM customer;
