-- schema: shop
-- rule: sort_keys

-- equal assuming: primary key
SELECT name FROM product ORDER BY id, name;
SELECT name FROM product ORDER BY id;

-- equal
SELECT name FROM product WHERE kind = 3 ORDER BY kind, price;
SELECT name FROM product WHERE kind = 3 ORDER BY price;

-- equal
SELECT name FROM product ORDER BY price, price DESC;
SELECT name FROM product ORDER BY price;

-- different
SELECT name FROM product ORDER BY price, id;
SELECT name FROM product ORDER BY price, id DESC;

-- different
SELECT name FROM product ORDER BY kind, price;
SELECT name FROM product ORDER BY price, kind;

-- different assuming: nothing
SELECT name FROM product ORDER BY id, name;
SELECT name FROM product ORDER BY id;
