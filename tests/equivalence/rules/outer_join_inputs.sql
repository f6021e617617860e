-- schema: shop
-- rule: outer_join_inputs

-- equal
SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON c.id = o.customer_id AND o.total > 3;
SELECT c.name, o.day FROM customer c LEFT JOIN (SELECT * FROM orders WHERE total > 3) o ON c.id = o.customer_id;

-- different
SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON c.id = o.customer_id AND c.age > 3;
SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE c.age > 3;
