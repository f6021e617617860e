-- schema: shop
-- rule: filter_below_distinct

-- equal
SELECT name FROM (SELECT DISTINCT name, kind FROM product) AS t WHERE kind > 2;
SELECT name FROM (SELECT DISTINCT name, kind FROM product WHERE kind > 2) AS t;

-- equal
-- rule:
SELECT DISTINCT city FROM customer WHERE age < 3 INTERSECT SELECT DISTINCT city FROM customer WHERE age > 1;
SELECT city FROM customer WHERE age < 3 INTERSECT SELECT city FROM customer WHERE age > 1;

-- different
SELECT name FROM (SELECT DISTINCT name, kind FROM product) AS t WHERE kind > 2;
SELECT DISTINCT name FROM product WHERE kind > 2;
