-- schema: shop
-- rule: outer_to_inner

-- equal
SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.total > 3;
SELECT c.name, o.day FROM customer c JOIN orders o ON c.id = o.customer_id WHERE o.total > 3;

-- equal
SELECT c.name, i.number FROM customer c LEFT JOIN orders o ON c.id = o.customer_id LEFT JOIN item i ON i.order_id = o.id WHERE i.number = 2;
SELECT c.name, i.number FROM customer c JOIN orders o ON c.id = o.customer_id JOIN item i ON i.order_id = o.id WHERE i.number = 2;

-- equal
SELECT c.name, o.total FROM orders o RIGHT JOIN customer c ON c.id = o.customer_id WHERE o.total IS NOT NULL;
SELECT c.name, o.total FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.total IS NOT NULL;

-- different
SELECT c.name FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.total IS NULL;
SELECT c.name FROM customer c JOIN orders o ON c.id = o.customer_id WHERE o.total IS NULL;

-- different
SELECT c.name FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.total > 3 OR c.age = 1;
SELECT c.name FROM customer c JOIN orders o ON c.id = o.customer_id WHERE o.total > 3 OR c.age = 1;
