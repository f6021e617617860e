-- schema: shop
-- rule: distinct_as_exists

-- equal assuming: primary key
SELECT DISTINCT c.id, c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 3;
SELECT id, name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 3);

-- equal assuming: primary key
-- rule: distinct_input
SELECT c.id, c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name;
SELECT id, name FROM customer c WHERE EXISTS (SELECT * FROM orders WHERE customer_id = c.id);

-- Two questions that have nothing to do with each other.
-- equal assuming: primary key
SELECT DISTINCT c.id FROM customer c JOIN orders o ON o.customer_id = c.id JOIN orders s ON s.seller_id = c.id WHERE c.age > 1;
SELECT id FROM customer WHERE age > 1 AND id IN (SELECT seller_id FROM orders) AND id IN (SELECT customer_id FROM orders);

-- different
-- witness: INSERT INTO customer VALUES (1, 'a', 'x', 'y', 5), (2, 'a', 'z', 'y', 5);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 5), (2, 2, 1, '2020-01-02', 5), (3, 2, 1, '2020-01-03', 5);
SELECT DISTINCT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 3;
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 3);

-- different
-- witness: INSERT INTO customer VALUES (1, 'a', 'x', 'y', 5), (2, 'a', 'z', 'y', 5);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 5), (2, 2, 1, '2020-01-02', 5), (3, 2, 1, '2020-01-03', 5);
SELECT DISTINCT c.id, o.total FROM customer c JOIN orders o ON o.customer_id = c.id;
SELECT c.id, o.total FROM customer c JOIN orders o ON o.customer_id = c.id;
