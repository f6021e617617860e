-- schema: shop
-- rule: group_before_join

-- equal assuming: primary key
SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name;
SELECT c.name, t.n FROM customer c JOIN (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id) AS t ON t.customer_id = c.id;

-- equal assuming: primary key
SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.age > 2 GROUP BY c.id, c.name HAVING COUNT(*) > 1;
SELECT name FROM customer WHERE age > 2 AND id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) > 1);

-- equal assuming: primary key, foreign key
-- rule: foreign_key_join
SELECT c.id, MAX(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id;
SELECT customer_id, MAX(total) FROM orders GROUP BY customer_id;

-- equal assuming: primary key
-- dialect: sqlite
SELECT c.name, c.age, SUM(o.total) FROM orders o, customer c WHERE c.id = o.customer_id AND o.day > c.city GROUP BY o.customer_id, o.day;
SELECT c.name, c.age, SUM(o.total) FROM orders o, customer c WHERE c.id = o.customer_id AND c.city < o.day GROUP BY o.day, c.id;

-- A name may belong to two.
-- different
SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.name;
SELECT c.name, t.n FROM customer c JOIN (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id) AS t ON t.customer_id = c.id;

-- different assuming: nothing
SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name;
SELECT c.name, t.n FROM customer c JOIN (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id) AS t ON t.customer_id = c.id;

-- What is asked of each row of the group stays inside.
-- different
SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id AND o.total > c.age GROUP BY c.id, c.name;
SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name;
