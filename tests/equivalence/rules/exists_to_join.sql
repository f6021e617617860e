-- schema: shop
-- rule: exists_to_join

-- equal assuming: primary key
SELECT day FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'a');
SELECT day FROM orders JOIN customer ON orders.customer_id = customer.id WHERE city = 'a';

-- equal assuming: primary key
SELECT COUNT(*) FROM item WHERE order_id IN (
  SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE age > 2));
SELECT COUNT(*) FROM item i JOIN orders o ON i.order_id = o.id
  JOIN customer c ON c.id = o.customer_id WHERE c.age > 2;

-- equal
-- schema: plain
SELECT t.a FROM t WHERE b IN (SELECT b FROM u GROUP BY b HAVING COUNT(*) > 1);
SELECT t.a FROM t JOIN (SELECT b, COUNT(*) AS n FROM u GROUP BY b) x ON t.b = x.b WHERE x.n > 1;

-- equal assuming: primary key
-- schema: concert
SELECT theme FROM concert WHERE EXISTS (
  SELECT 1 FROM stadium s WHERE s.stadium_id = concert.stadium_id AND s.capacity > 1);
SELECT theme FROM concert JOIN stadium s ON s.stadium_id = concert.stadium_id WHERE s.capacity > 1;

-- A customer with two orders comes twice out of the join.
-- different
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders);
SELECT name FROM customer JOIN orders ON customer.id = orders.customer_id;

-- Half a key leaves many rows.
-- different
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'a', 1);
-- witness: INSERT INTO product VALUES (1, 'a', 2, 1);
-- witness: INSERT INTO product VALUES (2, 'b', 3, 1);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 0.5);
-- witness: INSERT INTO item VALUES (1, 1, 1);
-- witness: INSERT INTO item VALUES (1, 2, 1);
SELECT day FROM orders WHERE id IN (SELECT order_id FROM item WHERE number = 1);
SELECT day FROM orders JOIN item ON orders.id = item.order_id WHERE number = 1;

-- different assuming: not null, foreign key, types
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'a', 1);
-- witness: INSERT INTO customer VALUES (1, 'b', 'n', 'a', 1);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 0.5);
SELECT day FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'a');
SELECT day FROM orders JOIN customer ON orders.customer_id = customer.id WHERE city = 'a';

-- different assuming: primary key, not null
SELECT day FROM orders WHERE customer_id NOT IN (SELECT id FROM customer WHERE city = 'a');
SELECT day FROM orders JOIN customer ON orders.customer_id = customer.id WHERE city <> 'a';
