-- schema: shop
-- rule: same_row_twice

-- equal assuming: primary key
SELECT a.name, b.age FROM customer a JOIN customer b ON a.id = b.id WHERE b.city = 'x';
SELECT name, age FROM customer WHERE city = 'x';

-- equal assuming: primary key
SELECT a.number FROM item a JOIN item b ON a.order_id = b.order_id AND a.product_id = b.product_id;
SELECT number FROM item;

-- equal assuming: primary key
-- rule:
SELECT name FROM customer WHERE id IN (SELECT id FROM customer WHERE age > 3);
SELECT name FROM customer WHERE age > 3;

-- different
SELECT a.number FROM item a JOIN item b ON a.order_id = b.order_id;
SELECT number FROM item;

-- different assuming: nothing
SELECT a.name, b.age FROM customer a JOIN customer b ON a.id = b.id;
SELECT name, age FROM customer;

-- NULLs may repeat in a UNIQUE column, and find no partner.
-- schema: shop
-- equal assuming: primary key
SELECT a.name FROM customer a JOIN customer b ON a.email = b.email;
SELECT name FROM customer WHERE email IS NOT NULL;

-- schema: shop
-- different assuming: primary key
-- dialect: sqlite
SELECT a.name FROM customer a JOIN customer b ON a.email IS b.email;
SELECT name FROM customer;

-- schema: shop
-- different assuming: primary key
SELECT a.name FROM customer a JOIN customer b ON a.email = b.email;
SELECT name FROM customer;
