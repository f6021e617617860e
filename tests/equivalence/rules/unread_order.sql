-- schema: shop
-- rule: unread_order

-- equal
SELECT COUNT(*) FROM (SELECT name FROM product ORDER BY price) AS t;
SELECT COUNT(*) FROM product;

-- equal
-- rule:
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders ORDER BY total);
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders);

-- equal
SELECT name FROM (SELECT * FROM product ORDER BY id) AS t ORDER BY price;
SELECT name FROM product ORDER BY price;

-- It was not seen below the join, and is not where the join is gone.
-- equal assuming: primary key
SELECT DISTINCT t.id, t.name FROM (SELECT id, name FROM product ORDER BY price) AS t JOIN item i ON i.product_id = t.id;
SELECT id, name FROM product WHERE id IN (SELECT product_id FROM item);

-- LIMIT sees the order.
-- different
SELECT COUNT(*), MAX(price) FROM (SELECT price FROM product ORDER BY price LIMIT 2) AS t;
SELECT COUNT(*), MAX(price) FROM (SELECT price FROM product ORDER BY price DESC LIMIT 2) AS t;

-- different
SELECT name FROM product ORDER BY id;
SELECT name FROM product ORDER BY name, id;
