-- schema: shop
-- rule: key_of_children

-- equal assuming: primary key, foreign key
SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 1);
SELECT DISTINCT customer_id FROM orders WHERE total > 1;

-- equal assuming: primary key, foreign key
SELECT id FROM customer WHERE id IN (SELECT seller_id FROM orders);
SELECT DISTINCT seller_id FROM orders WHERE seller_id IS NOT NULL;

-- equal assuming: primary key, foreign key
SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders) AND id IN (SELECT seller_id FROM orders);
SELECT customer_id FROM orders INTERSECT SELECT seller_id FROM orders;

-- A NULL among the foreign keys.
-- different assuming: primary key, foreign key
SELECT id FROM customer WHERE id IN (SELECT seller_id FROM orders);
SELECT DISTINCT seller_id FROM orders;

-- different assuming: primary key, not null
SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders);
SELECT DISTINCT customer_id FROM orders;

-- different
SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders);
SELECT customer_id FROM orders;

-- More than the key is asked.
-- different
SELECT id FROM customer WHERE city = 'a' AND id IN (SELECT customer_id FROM orders);
SELECT DISTINCT customer_id FROM orders;
