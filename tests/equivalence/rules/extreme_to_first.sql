-- schema: shop
-- rule: extreme_to_first

-- equal assuming: no ties, not null
SELECT name FROM product WHERE price = (SELECT MAX(price) FROM product);
SELECT name FROM product ORDER BY price DESC LIMIT 1;

-- equal assuming: no ties, not null
-- dialect: sqlite
SELECT name FROM product WHERE price <= (SELECT MIN(price) FROM product);
SELECT name FROM product ORDER BY price LIMIT 1;

-- equal assuming: no ties
SELECT name FROM product WHERE price = (SELECT MAX(price) FROM product);
SELECT name FROM product WHERE price IS NOT NULL ORDER BY price DESC NULLS LAST LIMIT 1;

-- equal assuming: no ties
SELECT name FROM product WHERE kind = 2 AND id = (SELECT MAX(id) FROM product WHERE kind = 2);
SELECT name FROM product WHERE 2 = kind AND id >= (SELECT MAX(id) FROM product WHERE kind = 2);

-- equal assuming: no ties, not null
-- dialect: duckdb
SELECT name FROM product WHERE price >= ALL (SELECT price FROM product);
SELECT name FROM product WHERE price = (SELECT MAX(price) FROM product);

-- equal assuming: no ties
SELECT name FROM product p WHERE NOT EXISTS (SELECT 1 FROM product q WHERE q.kind > p.kind);
SELECT name FROM product WHERE kind = (SELECT MAX(kind) FROM product);

-- equal assuming: no ties
SELECT kind FROM product GROUP BY kind HAVING COUNT(*) = (
  SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM product GROUP BY kind) x);
SELECT kind FROM product GROUP BY kind ORDER BY COUNT(*) DESC NULLS LAST LIMIT 1;

-- equal assuming: no ties
-- dialect: duckdb
SELECT kind FROM product GROUP BY kind HAVING COUNT(*) >= ALL (SELECT COUNT(*) FROM product GROUP BY kind);
SELECT kind FROM product GROUP BY kind ORDER BY COUNT(*) DESC NULLS LAST LIMIT 1;

-- All of a tie, or one of it.
-- different assuming: primary key, not null, types
SELECT name FROM product WHERE kind = (SELECT MAX(kind) FROM product);
SELECT name FROM product ORDER BY kind DESC, id LIMIT 1;

-- SQLite's smallest value is NULL.
-- different assuming: primary key, no ties, types
-- dialect: sqlite
SELECT name FROM product WHERE price = (SELECT MIN(price) FROM product);
SELECT name FROM product ORDER BY price LIMIT 1;

-- The greatest of all, and the greatest of some.
-- different
SELECT name FROM product WHERE kind = 2 AND price = (SELECT MAX(price) FROM product);
SELECT name FROM product WHERE kind = 2 ORDER BY price DESC LIMIT 1;

-- different
SELECT name FROM product WHERE price = (SELECT MIN(price) FROM product);
SELECT name FROM product ORDER BY price DESC LIMIT 1;

-- different
SELECT name FROM product WHERE price <= (SELECT MAX(price) FROM product);
SELECT name FROM product ORDER BY price DESC LIMIT 1;
