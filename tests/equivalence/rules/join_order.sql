-- schema: shop
-- rule: join_order

-- equal
SELECT c.name, o.total FROM customer c JOIN orders o ON c.id = o.customer_id WHERE o.total > 3 AND c.age = 5;
SELECT x.name, y.total FROM orders y, customer x WHERE y.customer_id = x.id AND x.age = 5 AND y.total > 3;

-- Both sides of a self-join, and what is asked of one of them.
-- equal
SELECT a.name FROM product a JOIN product b ON a.kind = b.kind WHERE b.price = 3;
SELECT b.name FROM product a JOIN product b ON b.kind = a.kind WHERE a.price = 3;

-- A symmetric self-join.
-- equal
-- rule:
SELECT COUNT(*) FROM product a JOIN product b ON a.kind = b.kind AND a.price <> b.price;
SELECT COUNT(*) FROM product b JOIN product a ON b.price <> a.price AND b.kind = a.kind;

-- Three of the same, in a chain.
-- equal
SELECT a.id FROM product a, product b, product c WHERE a.kind = b.price AND b.kind = c.price;
SELECT z.id FROM product x, product y, product z WHERE z.kind = y.price AND y.kind = x.price;

-- Conditions in ON and WHERE, subqueries in FROM.
-- equal
SELECT t.n FROM (SELECT name AS n, id FROM customer WHERE age > 2) AS t JOIN orders ON orders.customer_id = t.id AND orders.total < 9;
SELECT name FROM orders JOIN customer ON customer_id = customer.id WHERE total < 9 AND age > 2;

-- Of equal columns it does not count which one is named.
-- equal
SELECT o.customer_id FROM customer c JOIN orders o ON c.id = o.customer_id WHERE c.age = 2;
SELECT c.id FROM customer c JOIN orders o ON c.id = o.customer_id WHERE c.age = 2;

-- equal
SELECT a.name FROM customer a JOIN product b ON a.id = b.id JOIN orders o ON b.id = o.id;
SELECT a.name FROM customer a JOIN product b ON a.id = b.id JOIN orders o ON a.id = o.id;

-- Outer joins after inner ones.
-- equal
SELECT c.name, o.total, p.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id JOIN product p ON p.id = c.age;
SELECT c.name, o.total, p.name FROM product p JOIN customer c ON p.id = c.age LEFT JOIN orders o ON o.customer_id = c.id;

-- different
SELECT c.name FROM customer c JOIN orders o ON c.id = o.customer_id;
SELECT c.name FROM customer c JOIN orders o ON c.id = o.seller_id;

-- different
-- witness: INSERT INTO product VALUES (1, 'a', 3, 1), (2, 'b', 4, 1);
SELECT a.name FROM product a JOIN product b ON a.kind = b.kind WHERE b.price = 3;
SELECT a.name FROM product a JOIN product b ON a.kind = b.kind WHERE a.price = 3;

-- The number 1 and the text '1' are equal, and not the same.
-- different assuming: nothing
-- dialect: sqlite
-- witness: INSERT INTO customer (id, name) VALUES (1, '1');
-- witness: INSERT INTO product VALUES (1, 'a', 1, 1);
SELECT c.name FROM customer c JOIN product p ON c.name = p.price;
SELECT p.price FROM customer c JOIN product p ON c.name = p.price;

-- different
SELECT a.id FROM product a, product b, product c WHERE a.kind = b.price AND b.kind = c.price;
SELECT b.id FROM product a, product b, product c WHERE a.kind = b.price AND b.kind = c.price;

-- An outer join is not done before the inner one that decides which rows have no partner.
-- different
SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total > 3;
SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 3;
