-- schema: shop

-- equal
SELECT o.day FROM orders o JOIN customer c ON o.seller_id = c.id WHERE o.seller_id IS NOT NULL AND c.age = 2;
SELECT o.day FROM orders o JOIN customer c ON o.seller_id = c.id WHERE c.age = 2;

-- equal
SELECT name FROM customer WHERE name IS NOT NULL;
SELECT name FROM customer;

-- different assuming: nothing
SELECT name FROM customer WHERE city IS NOT NULL;
SELECT name FROM customer;

-- different assuming: primary key, foreign key
SELECT o.day FROM orders o LEFT JOIN customer c ON o.seller_id = c.id WHERE o.seller_id IS NOT NULL;
SELECT o.day FROM orders o LEFT JOIN customer c ON o.seller_id = c.id AND o.seller_id IS NOT NULL;
