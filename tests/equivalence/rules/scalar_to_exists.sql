-- schema: shop

-- equal assuming: primary key
SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE id = 2 AND city = 'a');
SELECT day FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE id = 2 AND city = 'a');

-- equal assuming: primary key
SELECT name FROM customer WHERE age > (SELECT price FROM product WHERE id = 2);
SELECT c.name FROM customer c, product p WHERE p.id = 2 AND c.age > p.price;

-- equal assuming: primary key
SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders ORDER BY total DESC, id LIMIT 1);
SELECT c.name FROM customer c JOIN (SELECT customer_id FROM orders ORDER BY total DESC, id LIMIT 1) x
  ON x.customer_id = c.id;

-- The first of several rows, or an error.
-- different
-- dialect: sqlite
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'x', 1), (2, 'b', 'n', 'x', 2);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 0.5), (2, 2, 2, '2021-01-01', 1.5);
-- witness: INSERT INTO product VALUES (1, 'a', 2, 1);
-- witness: INSERT INTO item VALUES (1, 1, 3);
SELECT id FROM orders WHERE customer_id = (SELECT id FROM customer WHERE city = 'x' ORDER BY id);
SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'x');

-- Without row the value is NULL, and that can be asked for.
-- different
SELECT name FROM customer WHERE (SELECT price FROM product WHERE id = 2) IS NULL;
SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE id = 2 AND price IS NULL);

-- different
SELECT name FROM customer WHERE NOT age = (SELECT price FROM product WHERE id = 2);
SELECT name FROM customer WHERE NOT EXISTS (SELECT 1 FROM product WHERE id = 2 AND price = age);

-- COUNT of no rows is 0, as long as nothing groups them.
-- different
SELECT name FROM customer c WHERE age = (SELECT COUNT(*) FROM orders WHERE customer_id = c.id);
SELECT c.name FROM customer c JOIN (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id) x
  ON x.customer_id = c.id AND x.n = c.age;
