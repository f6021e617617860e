-- Pairs that are equal on every database, whatever is left to chance.
SELECT id FROM boat WHERE year > 2 ||| SELECT id FROM boat WHERE year >= 3
SELECT id FROM boat WHERE NOT (year > 2) ||| SELECT id FROM boat WHERE year <= 2
SELECT DISTINCT berth FROM boat ||| SELECT berth FROM boat GROUP BY berth
SELECT name FROM boat ||| SELECT name FROM boat ORDER BY year
SELECT count(*) FROM boat ||| SELECT count(id) FROM boat
SELECT name FROM boat WHERE year = 1 OR year = 2 ||| SELECT name FROM boat WHERE year IN (2, 1)
SELECT b.name FROM boat b JOIN owner o ON b.owner_id = o.id ||| SELECT b.name FROM owner o, boat b WHERE o.id = b.owner_id
SELECT sum(length) FROM boat ||| SELECT sum(b.length) FROM (SELECT * FROM boat ORDER BY id DESC) b
SELECT avg(length * 0.1) FROM boat ||| SELECT avg(0.1 * length) FROM boat
-- Ties: every order inside of one, and every choice that a LIMIT makes among them, is right.
SELECT name FROM boat ORDER BY year ||| SELECT name FROM boat ORDER BY year, id DESC
SELECT name FROM boat ORDER BY year LIMIT 2 ||| SELECT name FROM boat ORDER BY year, name LIMIT 2
SELECT name FROM boat ORDER BY year LIMIT 2 ||| SELECT b.name FROM boat b ORDER BY b.year ASC LIMIT 2
SELECT berth FROM boat GROUP BY berth ORDER BY count(*) DESC LIMIT 1 ||| SELECT berth FROM boat GROUP BY berth ORDER BY count(id) DESC, berth LIMIT 1
SELECT count(*) FROM trip WHERE boat_id = (SELECT id FROM boat ORDER BY length LIMIT 1) ||| SELECT count(*) FROM trip WHERE boat_id = (SELECT id FROM boat ORDER BY length, id LIMIT 1)
-- Any rows.
SELECT name FROM boat LIMIT 3 ||| SELECT name FROM boat ORDER BY length LIMIT 3
SELECT name FROM boat LIMIT 3 ||| SELECT name FROM boat LIMIT 3
SELECT name FROM boat ORDER BY random() LIMIT 1 ||| SELECT name FROM boat ORDER BY random() LIMIT 1
SELECT random() FROM boat ||| SELECT random() FROM boat
-- A column that its group does not fix.
SELECT name, count(*) FROM boat GROUP BY berth ||| SELECT max(name), count(*) FROM boat GROUP BY berth
SELECT group_concat(name) FROM boat ||| SELECT group_concat(name) FROM (SELECT * FROM boat ORDER BY id)
SELECT o.name FROM owner o JOIN boat b ON b.owner_id = o.id GROUP BY o.name ORDER BY b.year ||| SELECT DISTINCT o.name FROM boat b JOIN owner o ON o.id = b.owner_id ORDER BY b.year
-- An order in which rows tie, and nobody sees it.
SELECT DISTINCT id FROM boat GROUP BY id ORDER BY length LIMIT 3 ||| SELECT id FROM boat ORDER BY length LIMIT 3
-- A value out of several rows.
SELECT id FROM boat WHERE berth = (SELECT town FROM owner WHERE name = 'a' GROUP BY town) ||| SELECT id FROM boat WHERE berth = (SELECT town FROM owner WHERE name = 'a')
-- A column that its group fixes.
SELECT o.name, count(*) FROM owner o JOIN boat b ON b.owner_id = o.id GROUP BY o.id ||| SELECT o.name, count(*) FROM owner o JOIN boat b ON b.owner_id = o.id GROUP BY o.id, o.name
-- Rows that tie in a window, beneath an order in which they do not.
SELECT berth, row_number() OVER (ORDER BY berth) FROM (SELECT DISTINCT berth, year FROM boat) ORDER BY year DESC ||| SELECT berth, row_number() OVER (ORDER BY berth) FROM (SELECT berth, year FROM boat GROUP BY berth, year) ORDER BY year DESC
-- A text that the other side of a set operation shows is none for a column of whole numbers.
SELECT CASE WHEN year * owner_id = year THEN 'ab' ELSE 'A' END FROM boat EXCEPT SELECT CASE WHEN year = owner_id THEN 'ab' ELSE 'A' END FROM boat WHERE year <= 3 ||| SELECT CASE WHEN year * owner_id = year THEN 'ab' ELSE 'A' END FROM boat EXCEPT SELECT CASE WHEN year = owner_id THEN 'ab' ELSE 'A' END FROM boat WHERE CAST(year AS INTEGER) <= 3
SELECT date('now') ||| SELECT date('now')
SELECT 1 ||| SELECT 1.0
