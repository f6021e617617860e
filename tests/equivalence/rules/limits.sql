-- schema: shop
-- rule: limits

-- equal
SELECT name FROM product ORDER BY id LIMIT 3 OFFSET 0;
SELECT name FROM product ORDER BY id LIMIT 3;

-- equal
SELECT COUNT(*) FROM product LIMIT 1;
SELECT COUNT(*) FROM product;

-- equal
-- dialect: sqlite
SELECT name FROM product LIMIT -1;
SELECT name FROM product;

-- different
SELECT name FROM product ORDER BY id LIMIT 3;
SELECT name FROM product ORDER BY id LIMIT 2;

-- different
SELECT COUNT(*) FROM product LIMIT 1;
SELECT COUNT(*) FROM product LIMIT 0;
