-- schema: shop
-- rule: null_blind

-- equal
SELECT AVG(price) FROM product WHERE price IS NOT NULL;
SELECT AVG(price) FROM product;

-- equal
SELECT MAX(price + kind) FROM product WHERE price IS NOT NULL AND name = 'x';
SELECT MAX(price + kind) FROM product WHERE name = 'x';

-- Rows of other calls count.
-- different assuming: nothing
SELECT AVG(price), COUNT(*) FROM product WHERE price IS NOT NULL;
SELECT AVG(price), COUNT(*) FROM product;

-- Groups of NULLs alone count.
-- different assuming: nothing
SELECT kind, AVG(price) FROM product WHERE price IS NOT NULL GROUP BY kind;
SELECT kind, AVG(price) FROM product GROUP BY kind;
