-- schema: shop
-- rule: limit_before_join

-- equal assuming: primary key, foreign key
SELECT c.name FROM orders o JOIN customer c ON o.customer_id = c.id ORDER BY o.id LIMIT 1;
SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders ORDER BY id LIMIT 1);

-- equal assuming: primary key, foreign key
SELECT c.name, o.day FROM orders o JOIN customer c ON o.customer_id = c.id WHERE o.total > 1 ORDER BY o.id DESC LIMIT 1;
SELECT c.name, x.day FROM (SELECT * FROM orders WHERE total > 1 ORDER BY id DESC LIMIT 1) x JOIN customer c ON x.customer_id = c.id;

-- equal assuming: primary key, foreign key
SELECT c.name FROM orders o JOIN customer c ON o.customer_id = c.id GROUP BY c.id, c.name ORDER BY COUNT(*), c.id LIMIT 1;
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY COUNT(*), customer_id LIMIT 1);

-- equal assuming: primary key, foreign key, not null
SELECT c.name FROM orders o JOIN customer c ON o.seller_id = c.id ORDER BY o.id LIMIT 1;
SELECT name FROM customer WHERE id = (SELECT seller_id FROM orders ORDER BY id LIMIT 1);

-- The first order may have no seller.
-- different assuming: primary key, foreign key
SELECT c.name FROM orders o JOIN customer c ON o.seller_id = c.id ORDER BY o.id LIMIT 1;
SELECT name FROM customer WHERE id = (SELECT seller_id FROM orders ORDER BY id LIMIT 1);

-- different assuming: primary key, not null
SELECT c.name FROM orders o JOIN customer c ON o.customer_id = c.id ORDER BY o.id LIMIT 1;
SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders ORDER BY id LIMIT 1);

-- The order of the partner decides.
-- different
SELECT c.name FROM orders o JOIN customer c ON o.customer_id = c.id ORDER BY c.age, o.id LIMIT 1;
SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders ORDER BY id LIMIT 1);

-- Not every customer has orders.
-- different
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'a', 1);
-- witness: INSERT INTO customer VALUES (2, 'b', 'n', 'b', 2);
-- witness: INSERT INTO product VALUES (1, 'a', 2, 1);
-- witness: INSERT INTO orders VALUES (1, 2, 2, '2020-01-01', 0.5);
-- witness: INSERT INTO item VALUES (1, 1, 1);
SELECT o.day FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY c.id LIMIT 1;
SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer ORDER BY id LIMIT 1);
