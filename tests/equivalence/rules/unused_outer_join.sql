-- schema: shop
-- rule: unused_outer_join

-- equal assuming: primary key
SELECT o.day FROM orders o LEFT JOIN customer c ON o.customer_id = c.id;
SELECT day FROM orders;

-- equal
SELECT o.day FROM orders o LEFT JOIN (SELECT customer_id, COUNT(*) FROM orders GROUP BY customer_id) t ON t.customer_id = o.seller_id;
SELECT day FROM orders;

-- Where rows are counted once, no partner makes more of them.
-- equal
SELECT DISTINCT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id;
SELECT DISTINCT name FROM customer;

-- equal assuming: primary key
SELECT i.number FROM item i LEFT JOIN orders o ON i.order_id = o.id LEFT JOIN customer c ON o.customer_id = c.id;
SELECT number FROM item;

-- different
SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id;
SELECT name FROM customer;

-- different assuming: nothing
SELECT o.day FROM orders o LEFT JOIN customer c ON o.customer_id = c.id;
SELECT day FROM orders;

-- Half of a key finds more than one.
-- different
SELECT o.day FROM orders o LEFT JOIN item i ON i.order_id = o.id;
SELECT day FROM orders;

-- schema: shop
-- equal assuming: primary key
SELECT a.name FROM customer a LEFT JOIN customer b ON b.email = a.city;
SELECT name FROM customer;

-- schema: shop
-- different assuming: primary key
-- dialect: sqlite
SELECT a.name FROM customer a LEFT JOIN customer b ON b.email IS a.city;
SELECT name FROM customer;
