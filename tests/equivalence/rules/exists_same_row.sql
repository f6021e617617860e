-- schema: shop
-- rule: exists_same_row

-- equal assuming: primary key
SELECT age FROM customer WHERE id NOT IN (SELECT c.id FROM customer c JOIN orders o ON o.customer_id = c.id);
SELECT age FROM customer WHERE id NOT IN (SELECT customer_id FROM orders);

-- equal assuming: primary key
SELECT id, email FROM customer EXCEPT SELECT c.id, c.email FROM customer c JOIN orders o ON o.customer_id = c.id;
SELECT id, email FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE orders.customer_id = customer.id);

-- equal assuming: primary key
SELECT age FROM customer WHERE id NOT IN (
  SELECT c.id FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.city = 'a' AND o.total > 1);
SELECT age FROM customer x WHERE NOT EXISTS (
  SELECT 1 FROM orders WHERE orders.customer_id = x.id AND x.city = 'a' AND total > 1);

-- Not by its key, so it may be another row.
-- different
SELECT age FROM customer WHERE city NOT IN (SELECT c.city FROM customer c JOIN orders o ON o.customer_id = c.id);
SELECT age FROM customer WHERE id NOT IN (SELECT customer_id FROM orders);

-- different assuming: foreign key, not null, types
SELECT age FROM customer WHERE id NOT IN (SELECT c.id FROM customer c WHERE c.city = 'a');
SELECT age FROM customer WHERE city <> 'a';
