-- schema: shop
-- rule: group_keys

-- equal
SELECT kind, price, COUNT(*) FROM product GROUP BY kind, price;
SELECT kind, price, COUNT(*) FROM product GROUP BY price, kind;

-- equal assuming: primary key
-- dialect: sqlite
SELECT id, name, COUNT(*), MAX(price) FROM product GROUP BY id, name;
SELECT id, name, COUNT(*), MAX(price) FROM product GROUP BY id;

-- equal
SELECT COUNT(*), MAX(price), kind FROM product GROUP BY kind;
SELECT COUNT(*), MAX(price), kind FROM product GROUP BY kind, 1 + 1;

-- equal
SELECT MAX(price) FROM product WHERE kind = 2 GROUP BY name, kind;
SELECT MAX(price) FROM product WHERE kind = 2 GROUP BY name;

-- different
SELECT kind, COUNT(*) FROM product GROUP BY kind, price;
SELECT kind, COUNT(*) FROM product GROUP BY kind;

-- A group key that is constant gives no row of an empty table.
-- different
SELECT COUNT(*) FROM product WHERE kind = 2 GROUP BY kind;
SELECT COUNT(*) FROM product WHERE kind = 2;

-- different assuming: nothing
SELECT id, COUNT(*) FROM product GROUP BY id, name;
SELECT id, COUNT(*) FROM product GROUP BY id;
