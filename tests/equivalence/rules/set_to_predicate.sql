-- schema: shop
-- rule: set_to_predicate

-- equal assuming: primary key
SELECT id, name FROM product WHERE price > 1 INTERSECT SELECT id, name FROM product WHERE kind = 2;
SELECT id, name FROM product WHERE price > 1 AND kind = 2;

-- equal assuming: primary key
SELECT id FROM product WHERE price > 1 EXCEPT SELECT id FROM product WHERE kind = 2;
SELECT id FROM product WHERE price > 1 AND kind <> 2;

-- A price of NULL is not 2, though it is not different from 2 either.
-- equal assuming: primary key
SELECT id FROM product EXCEPT SELECT id FROM product WHERE price = 2;
SELECT id FROM product WHERE price <> 2 OR price IS NULL;

-- equal assuming: primary key, not null
SELECT id FROM product EXCEPT SELECT id FROM product WHERE price = 2;
SELECT id FROM product WHERE price <> 2;

-- Conditions on what is put out need no key.
-- equal
-- schema: plain
SELECT a FROM t WHERE a > 1 INTERSECT SELECT a FROM t WHERE a < 5;
SELECT DISTINCT a FROM t WHERE a > 1 AND a < 5;

-- equal
-- schema: plain
SELECT a, c FROM t WHERE b = 1 EXCEPT SELECT a, c FROM t WHERE c = 'a' AND b = 1;
SELECT DISTINCT a, c FROM t WHERE b = 1 AND (c <> 'a' OR c IS NULL);

-- Two rows of one name.
-- different
-- witness: INSERT INTO product VALUES (1, 'a', 2, 1);
-- witness: INSERT INTO product VALUES (2, 'a', 1, 2);
-- witness: INSERT INTO customer VALUES (1, 'a', 'm', 'a', 1);
-- witness: INSERT INTO orders VALUES (1, 1, 1, '2020-01-01', 0.5);
-- witness: INSERT INTO item VALUES (1, 1, 1);
SELECT name FROM product WHERE price > 1 INTERSECT SELECT name FROM product WHERE kind = 2;
SELECT DISTINCT name FROM product WHERE price > 1 AND kind = 2;

-- different
SELECT name FROM product WHERE price > 1 EXCEPT SELECT name FROM product WHERE kind = 2;
SELECT DISTINCT name FROM product WHERE price > 1 AND kind <> 2;

-- different assuming: primary key
SELECT id FROM product EXCEPT SELECT id FROM product WHERE price = 2;
SELECT id FROM product WHERE price <> 2;

-- different assuming: not null, types
SELECT id FROM product WHERE price > 1 INTERSECT SELECT id FROM product WHERE kind = 2;
SELECT id FROM product WHERE price > 1 AND kind = 2;

-- different
-- schema: plain
SELECT a, c FROM t WHERE b = 1 EXCEPT SELECT a, c FROM t WHERE c = 'a' AND b = 2;
SELECT DISTINCT a, c FROM t WHERE b = 1 AND (c <> 'a' OR c IS NULL);
