-- schema: shop
-- rule: distinct_rows

-- equal assuming: primary key
SELECT DISTINCT id, name FROM product;
SELECT id, name FROM product;

-- equal
SELECT kind FROM product GROUP BY kind;
SELECT DISTINCT kind FROM product;

-- equal
SELECT DISTINCT kind, COUNT(*) FROM product GROUP BY kind;
SELECT kind, COUNT(*) FROM product GROUP BY kind;

-- equal
SELECT DISTINCT kind, 5, kind FROM product;
SELECT kind, 5, kind FROM product GROUP BY kind;

-- different
SELECT DISTINCT name FROM product;
SELECT name FROM product;

-- different
SELECT DISTINCT COUNT(*) FROM product GROUP BY kind;
SELECT COUNT(*) FROM product GROUP BY kind;

-- different assuming: nothing
SELECT DISTINCT id FROM product;
SELECT id FROM product;

-- Of a UNIQUE column that may be NULL there may be many NULLs.
-- different assuming: primary key
SELECT DISTINCT email FROM customer;
SELECT email FROM customer;
