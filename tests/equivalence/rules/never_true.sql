-- schema: shop
-- rule: never_true

-- equal
SELECT name FROM product WHERE 1 = 1;
SELECT name FROM product;

-- equal
SELECT p.name FROM product p JOIN item i ON p.id = i.product_id WHERE 1 = 0;
SELECT name FROM customer WHERE 2 < 1;

-- equal
SELECT name FROM product WHERE 1 = 0 UNION ALL SELECT name FROM customer;
SELECT name FROM customer;

-- One row of no rows.
-- different
SELECT COUNT(*) FROM product WHERE 1 = 0;
SELECT id FROM product WHERE 1 = 0;
