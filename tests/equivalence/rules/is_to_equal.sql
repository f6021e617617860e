-- schema: shop
-- rule: is_to_equal

-- equal assuming: not null
SELECT city FROM customer INTERSECT SELECT name FROM product;
SELECT DISTINCT city FROM customer WHERE city IN (SELECT name FROM product);

-- equal assuming: not null
SELECT city FROM customer EXCEPT SELECT name FROM product;
SELECT DISTINCT city FROM customer WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.name = customer.city);

-- One side is enough.
-- equal
-- rule: set_to_exists
SELECT city FROM customer INTERSECT SELECT name FROM product WHERE name IS NOT NULL;
SELECT DISTINCT city FROM customer WHERE city IN (SELECT name FROM product);

-- different assuming: primary key, foreign key, types
SELECT city FROM customer INTERSECT SELECT name FROM product;
SELECT DISTINCT city FROM customer WHERE city IN (SELECT name FROM product);
