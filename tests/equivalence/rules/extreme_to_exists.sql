-- schema: shop
-- dialect: duckdb
-- rule: extreme_to_exists

-- equal
SELECT name FROM customer WHERE age > (SELECT MIN(price) FROM product);
SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE price < age);

-- equal
SELECT name FROM customer WHERE (SELECT MAX(price) FROM product WHERE kind = customer.id) >= age;
SELECT name FROM customer WHERE EXISTS (
  SELECT 1 FROM product WHERE kind = customer.id AND price >= customer.age);

-- equal
SELECT name FROM customer WHERE age > ANY (SELECT price FROM product);
SELECT name FROM customer WHERE age > (SELECT MIN(price) FROM product);

-- equal
SELECT id FROM customer WHERE age <= (SELECT MAX(price + 1) FROM product WHERE price IS NOT NULL);
SELECT id FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE price + 1 >= age);

-- different
SELECT name FROM customer WHERE age > (SELECT MAX(price) FROM product);
SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE price < age);

-- different
SELECT name FROM customer WHERE age < (SELECT MIN(price) FROM product);
SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE price > age);

-- different assuming: nothing
-- witness: INSERT INTO customer VALUES (1, 'a', 'b', 'c', 5);
SELECT name FROM customer WHERE NOT (age > (SELECT MIN(price) FROM product));
SELECT name FROM customer WHERE NOT EXISTS (SELECT 1 FROM product WHERE price < age);

-- different assuming: nothing
-- witness: INSERT INTO customer VALUES (1, 'a', 'b', 'c', 5);
SELECT age > (SELECT MIN(price) FROM product) FROM customer;
SELECT EXISTS (SELECT 1 FROM product WHERE price < age) FROM customer;

-- different
SELECT name FROM customer WHERE age = (SELECT MIN(price) FROM product);
SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE price = age);
