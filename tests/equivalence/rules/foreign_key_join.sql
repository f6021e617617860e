-- schema: shop
-- rule: foreign_key_join

-- equal assuming: primary key, foreign key
SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id;
SELECT day FROM orders;

-- equal assuming: primary key, foreign key
SELECT o.day FROM orders o JOIN customer c ON o.seller_id = c.id;
SELECT day FROM orders WHERE seller_id IS NOT NULL;

-- The key itself may be read.
-- equal assuming: primary key, foreign key
SELECT c.id, COUNT(*) FROM orders o JOIN customer c ON o.customer_id = c.id GROUP BY c.id;
SELECT customer_id, COUNT(*) FROM orders GROUP BY customer_id;

-- equal assuming: primary key, foreign key
SELECT p.name FROM item i JOIN orders o ON i.order_id = o.id JOIN product p ON i.product_id = p.id WHERE o.id = 3;
SELECT p.name FROM item i JOIN product p ON i.product_id = p.id WHERE i.order_id = 3;

-- different assuming: primary key, foreign key
SELECT o.day FROM orders o JOIN customer c ON o.seller_id = c.id;
SELECT day FROM orders;

-- different assuming: primary key
SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id;
SELECT day FROM orders;

-- different assuming: foreign key
SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id;
SELECT day FROM orders;

-- different
SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.age > 2;
SELECT day FROM orders;

-- different
SELECT c.name FROM orders o JOIN customer c ON o.customer_id = c.id;
SELECT c.name FROM customer c;
