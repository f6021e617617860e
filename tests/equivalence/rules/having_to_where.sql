-- schema: shop
-- rule: having_to_where

-- equal
SELECT kind, COUNT(*) FROM product GROUP BY kind HAVING kind > 2;
SELECT kind, COUNT(*) FROM product WHERE kind > 2 GROUP BY kind;

-- equal
SELECT kind FROM product GROUP BY kind HAVING kind > 2 AND MAX(price) > 5;
SELECT kind FROM product WHERE kind > 2 GROUP BY kind HAVING MAX(price) > 5;

-- different
SELECT kind FROM product GROUP BY kind HAVING MAX(price) > 5;
SELECT kind FROM product WHERE price > 5 GROUP BY kind HAVING COUNT(*) > 1;

-- different
SELECT kind, MAX(price) FROM product GROUP BY kind HAVING MAX(price) > 5;
SELECT kind, MAX(price) FROM product WHERE price > 6 GROUP BY kind;
