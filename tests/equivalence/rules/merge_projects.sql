-- schema: shop
-- rule: merge_projects

-- equal
SELECT x + 1 FROM (SELECT price * 2 AS x FROM product) AS t ORDER BY x;
SELECT price * 2 + 1 FROM product ORDER BY price * 2;

-- equal
SELECT y, COUNT(*) FROM (SELECT kind + 1 AS y FROM product) AS t GROUP BY y;
SELECT kind + 1, COUNT(*) FROM product GROUP BY kind + 1;

-- equal
SELECT n FROM (SELECT name AS n, price AS p FROM product) AS t WHERE p > 3;
SELECT name FROM product WHERE price > 3;

-- equal
WITH t AS (SELECT id, name FROM customer) SELECT name FROM t LIMIT 3;
SELECT name FROM customer LIMIT 3;

-- different
SELECT x FROM (SELECT price AS x, kind AS y FROM product) AS t;
SELECT y FROM (SELECT price AS x, kind AS y FROM product) AS t;
