-- schema: shop
-- rule: group_not_empty

-- equal
SELECT kind FROM product GROUP BY kind HAVING COUNT(*) >= 1;
SELECT DISTINCT kind FROM product;

-- equal
SELECT kind, MAX(price) FROM product GROUP BY kind HAVING COUNT(*) > 0 AND MAX(price) > 2;
SELECT kind, MAX(price) FROM product GROUP BY kind HAVING MAX(price) > 2;

-- different
SELECT kind FROM product GROUP BY kind HAVING COUNT(*) > 1;
SELECT DISTINCT kind FROM product;

-- Without groups there may be no rows to count.
-- different
SELECT MAX(price) FROM product WHERE kind > 2 HAVING COUNT(*) > 0;
SELECT MAX(price) FROM product WHERE kind > 2;

-- different assuming: nothing
SELECT kind FROM product GROUP BY kind HAVING COUNT(price) >= 1;
SELECT DISTINCT kind FROM product;
