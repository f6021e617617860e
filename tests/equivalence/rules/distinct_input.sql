-- schema: shop
-- rule: distinct_input

-- equal
SELECT c.name FROM customer c JOIN (SELECT DISTINCT customer_id FROM orders WHERE total > 2) AS t ON t.customer_id = c.id;
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 2);

-- equal
SELECT c.name FROM customer c JOIN (SELECT customer_id AS a, seller_id AS b FROM orders GROUP BY customer_id, seller_id) AS t ON t.a = c.id AND t.b = c.age;
SELECT c.name FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id AND seller_id = c.age);

-- different
SELECT c.name FROM customer c JOIN (SELECT DISTINCT customer_id, total FROM orders) AS t ON t.customer_id = c.id;
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders);
