-- schema: shop
-- rule: window_of_key

-- equal assuming: primary key
SELECT name, RANK() OVER (ORDER BY id) FROM product;
SELECT name, ROW_NUMBER() OVER (ORDER BY id) FROM product;

-- equal assuming: primary key
SELECT name, DENSE_RANK() OVER (PARTITION BY kind ORDER BY price, id) FROM product;
SELECT name, RANK() OVER (PARTITION BY kind ORDER BY price, id) FROM product;

-- equal assuming: primary key
SELECT name, RANK() OVER (PARTITION BY id ORDER BY price), kind FROM product;
SELECT name, 1, kind FROM product;

-- equal assuming: primary key
-- dialect: duckdb
SELECT DISTINCT ON (id) id, name FROM product ORDER BY id;
SELECT id, name FROM product ORDER BY id;

-- different
-- witness: INSERT INTO product VALUES (1, 'a', 2, 1);
-- witness: INSERT INTO product VALUES (2, 'a', 2, 1);
SELECT name, RANK() OVER (ORDER BY price) FROM product;
SELECT name, ROW_NUMBER() OVER (ORDER BY price) FROM product;

-- different
SELECT name, RANK() OVER (PARTITION BY kind ORDER BY id) FROM product;
SELECT name, 1 FROM product;

-- different assuming: nothing
SELECT name, RANK() OVER (ORDER BY id) FROM product;
SELECT name, ROW_NUMBER() OVER (ORDER BY id) FROM product;

-- equal assuming: primary key
-- dialect: duckdb
SELECT id, MAX(price) OVER (PARTITION BY id), COUNT(price) OVER (PARTITION BY id) FROM product;
SELECT id, price, CASE WHEN price IS NULL THEN 0 ELSE 1 END FROM product;

-- equal
-- dialect: duckdb
SELECT id, MIN(price) OVER (ORDER BY kind ROWS BETWEEN CURRENT ROW AND CURRENT ROW) FROM product;
SELECT id, price FROM product;

-- equal assuming: primary key
-- dialect: duckdb
SELECT id, MIN(price) OVER (ORDER BY id RANGE BETWEEN CURRENT ROW AND CURRENT ROW) FROM product;
SELECT id, price FROM product;

-- different
SELECT id, MIN(price) OVER (ORDER BY kind RANGE BETWEEN CURRENT ROW AND CURRENT ROW) FROM product;
SELECT id, price FROM product;

-- different
SELECT id, MAX(price) OVER (PARTITION BY kind) FROM product;
SELECT id, price FROM product;

-- different
SELECT id, MAX(price) OVER (PARTITION BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM product;
SELECT id, price FROM product;
