-- schema: shop
-- rule: difference_of_counts

-- equal
SELECT COUNT(*) - COUNT(price) FROM product;
SELECT COUNT(*) FROM product WHERE price IS NULL;

-- equal
SELECT kind, COUNT(*) - COUNT(price) FROM product GROUP BY kind;
SELECT kind, SUM(CASE WHEN price IS NULL THEN 1 ELSE 0 END) FROM product GROUP BY kind;

-- equal
SELECT COUNT(*) - COUNT(CASE WHEN price > 2 THEN 1 END) FROM product;
SELECT COUNT(*) FROM product WHERE (price > 2) IS NOT TRUE;

-- equal
SELECT COUNT(name) - COUNT(CASE WHEN name IS NOT NULL AND price > 2 THEN 1 END) FROM product;
SELECT COUNT(*) FROM product WHERE name IS NOT NULL AND (price > 2) IS NOT TRUE;

-- different assuming: nothing
SELECT COUNT(*) - COUNT(price) FROM product;
SELECT SUM(CASE WHEN price IS NULL THEN 1 ELSE 0 END) FROM product;

-- different assuming: nothing
SELECT COUNT(*) - COUNT(DISTINCT price) FROM product;
SELECT COUNT(*) FROM product WHERE price IS NULL;

-- different assuming: nothing
SELECT COUNT(price) - COUNT(*) FROM product;
SELECT COUNT(*) FROM product WHERE price IS NULL;

-- different assuming: nothing
SELECT COUNT(*) - COUNT(CASE WHEN price > 2 THEN 1 END) FROM product;
SELECT COUNT(CASE WHEN price <= 2 THEN 1 END) FROM product;

-- different assuming: nothing
SELECT COUNT(name) - COUNT(price) FROM product;
SELECT COUNT(*) FROM product WHERE name IS NOT NULL AND price IS NULL;
