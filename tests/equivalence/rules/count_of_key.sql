-- schema: shop
-- rule: count_of_key

-- equal assuming: primary key
SELECT COUNT(*) FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE seller_id = customer.id);
SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON c.id = o.seller_id;

-- equal assuming: primary key
SELECT city, COUNT(*) FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE seller_id = customer.id) GROUP BY city;
SELECT city, COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON c.id = o.seller_id GROUP BY city;

-- equal assuming: primary key
SELECT COUNT(*), MAX(age) FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 1);
SELECT COUNT(DISTINCT c.id), MAX(c.age) FROM customer c JOIN orders o ON c.id = o.customer_id WHERE o.total > 1;

-- Two customers may live in one city.
-- different
SELECT COUNT(*) FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE seller_id = customer.id);
SELECT COUNT(DISTINCT c.city) FROM customer c JOIN orders o ON c.id = o.seller_id;

-- different
SELECT SUM(age) FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE seller_id = customer.id);
SELECT SUM(DISTINCT age) FROM customer c JOIN orders o ON c.id = o.seller_id;

-- different
SELECT COUNT(*), SUM(age) FROM customer WHERE id IN (SELECT customer_id FROM orders);
SELECT COUNT(DISTINCT c.id), SUM(c.age) FROM customer c JOIN orders o ON c.id = o.customer_id;

-- different assuming: not null, foreign key
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'x', 1);
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'x', 1);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 2.5);
SELECT COUNT(*) FROM customer WHERE id IN (SELECT customer_id FROM orders);
SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON c.id = o.customer_id;
