-- schema: shop
-- rule: bare_to_first
-- dialect: sqlite

-- equal assuming: no ties, not null, not empty
SELECT MAX(price), name FROM product;
SELECT price, name FROM product ORDER BY price DESC LIMIT 1;

-- equal assuming: no ties, not empty
SELECT name, MIN(kind) FROM product;
SELECT name, kind FROM product ORDER BY kind LIMIT 1;

-- With two extremes the row is any.
-- different
-- witness: INSERT INTO product VALUES (1, 'a', 2, 3);
-- witness: INSERT INTO product VALUES (2, 'b', 1, 4);
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'a', 1);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 0.5);
-- witness: INSERT INTO item VALUES (1, 1, 1);
SELECT MAX(price), MIN(kind) FROM product;
SELECT price, kind FROM product ORDER BY kind DESC LIMIT 1;

-- Of no rows there is a row of NULLs.
-- different assuming: not null, no ties
SELECT MAX(price), name FROM product;
SELECT price, name FROM product ORDER BY price DESC LIMIT 1;

-- A condition may leave no rows.
-- different
SELECT MAX(price), name FROM product WHERE kind = 77;
SELECT price, name FROM product WHERE kind = 77 ORDER BY price DESC LIMIT 1;

-- MIN skips the NULL that is the first in the order.
-- different assuming: no ties, not empty
SELECT MIN(price), name FROM product;
SELECT price, name FROM product ORDER BY price LIMIT 1;

-- different
SELECT MAX(price), name FROM product;
SELECT price, name FROM product ORDER BY price LIMIT 1;
