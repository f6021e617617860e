-- schema: shop
-- rule: extreme_of_arithmetic

-- equal assuming: types, no overflow
SELECT MAX(price + 1) FROM product;
SELECT MAX(price) + 1 FROM product;

-- equal assuming: types, no overflow
SELECT kind, MIN(10 - price) FROM product GROUP BY kind;
SELECT kind, 10 - MAX(price) FROM product GROUP BY kind;

-- equal assuming: types, no overflow
SELECT MIN(price * -2), MAX(-price) FROM product;
SELECT MAX(price) * -2, -MIN(price) FROM product;

-- equal assuming: types
-- dialect: sqlite
SELECT kind, MAX(price / 2) FROM product GROUP BY kind;
SELECT kind, MAX(price) / 2 FROM product GROUP BY kind;

-- equal assuming: types
-- dialect: sqlite
SELECT MAX(total * 1.5), MIN(total - 2) FROM orders;
SELECT MAX(total) * 1.5, MIN(total) - 2 FROM orders;

-- equal assuming: types, no overflow
SELECT MAX(price * 2 + 1) FROM product;
SELECT MAX(price) * 2 + 1 FROM product;

-- different
SELECT MAX(10 - price) FROM product;
SELECT 10 - MAX(price) FROM product;

-- different
SELECT MAX(price * -2) FROM product;
SELECT MAX(price) * -2 FROM product;

-- different
-- dialect: sqlite
SELECT kind, MAX(10 / price) FROM product GROUP BY kind;
SELECT kind, 10 / MIN(price) FROM product GROUP BY kind;

-- different
SELECT SUM(price + 1) FROM product;
SELECT SUM(price) + 1 FROM product;

-- different
SELECT MAX(price + kind) FROM product;
SELECT MAX(price) + MAX(kind) FROM product;

-- different
-- dialect: sqlite
-- witness: INSERT INTO product VALUES (1, '9', 1, 1);
-- witness: INSERT INTO product VALUES (2, '10', 1, 1);
SELECT MAX(name + 1) FROM product;
SELECT MAX(name) + 1 FROM product;

-- different
-- dialect: sqlite
-- witness: INSERT INTO product VALUES (1, 'a', 1, 1);
-- witness: INSERT INTO product VALUES (2, 'b', 2, 1);
SELECT kind, MAX(price * -2), name FROM product GROUP BY kind;
SELECT kind, MIN(price) * -2, MAX(name) FROM product GROUP BY kind;

-- different assuming: nothing
-- dialect: sqlite
-- witness: INSERT INTO product VALUES (1, 'a', 3, 1);
-- witness: INSERT INTO product VALUES (2, 'b', 'x', 1);
SELECT MAX(price + 1) FROM product;
SELECT MAX(price) + 1 FROM product;
