-- Pairs that give other rows on clean data.
SELECT id FROM boat WHERE length > 5 ||| SELECT id FROM boat WHERE length >= 5
SELECT id FROM boat WHERE name = 'Ara' ||| SELECT id FROM boat WHERE name = 'ara'
SELECT id FROM boat WHERE name = 'Ara' ||| SELECT id FROM boat WHERE name LIKE 'Ara'
SELECT id FROM boat WHERE name LIKE 'A%' ||| SELECT id FROM boat WHERE name LIKE '%A%'
SELECT id FROM boat WHERE name LIKE 'A_' ||| SELECT id FROM boat WHERE name LIKE 'A%'
SELECT id FROM boat WHERE year IN (1, 2) ||| SELECT id FROM boat WHERE year IN (1, 2, 3)
SELECT id FROM boat WHERE berth = 'a' AND year = 3 ||| SELECT id FROM boat WHERE berth = 'a' OR year = 3
SELECT berth FROM boat ||| SELECT DISTINCT berth FROM boat
SELECT name FROM boat UNION ALL SELECT name FROM owner ||| SELECT name FROM boat UNION SELECT name FROM owner
SELECT name FROM boat ||| SELECT name FROM owner
SELECT max(length) FROM boat ||| SELECT min(length) FROM boat
SELECT sum(year) FROM boat ||| SELECT avg(year) FROM boat
SELECT count(*) FROM boat ||| SELECT count(DISTINCT berth) FROM boat
SELECT name, year FROM boat ||| SELECT year, name FROM boat
SELECT name FROM boat ||| SELECT name, year FROM boat
SELECT berth FROM boat GROUP BY berth HAVING count(*) > 3 ||| SELECT berth FROM boat GROUP BY berth HAVING count(*) >= 3
SELECT berth FROM boat GROUP BY berth HAVING count(*) > 40 ||| SELECT berth FROM boat GROUP BY berth HAVING count(*) >= 40
SELECT name FROM boat ORDER BY year ||| SELECT name FROM boat ORDER BY year DESC
SELECT name FROM boat ORDER BY year ||| SELECT name FROM boat
SELECT name FROM boat ORDER BY year LIMIT 3 ||| SELECT name FROM boat ORDER BY year LIMIT 4
SELECT name FROM boat ORDER BY year LIMIT 30 ||| SELECT name FROM boat ORDER BY year LIMIT 31
SELECT name FROM boat ORDER BY year LIMIT 1 ||| SELECT name FROM boat LIMIT 1
SELECT name FROM boat ORDER BY year LIMIT 1 ||| SELECT name FROM boat WHERE year = (SELECT min(year) FROM boat)
SELECT b.name FROM boat b JOIN trip t ON t.boat_id = b.id ||| SELECT b.name FROM boat b LEFT JOIN trip t ON t.boat_id = b.id
SELECT b.name FROM boat b JOIN trip t ON t.boat_id = b.id ||| SELECT name FROM boat WHERE id IN (SELECT boat_id FROM trip)
SELECT o.town FROM owner o JOIN boat b ON b.owner_id = o.id WHERE b.berth = 'n' ||| SELECT o.town FROM owner o JOIN boat b ON b.id = o.id WHERE b.berth = 'n'
SELECT name FROM owner WHERE id NOT IN (SELECT owner_id FROM boat WHERE year > 2000) ||| SELECT name FROM owner WHERE id NOT IN (SELECT owner_id FROM boat WHERE year >= 2000)
SELECT boat_id FROM trip WHERE strftime('%Y', day) = '2014' ||| SELECT boat_id FROM trip WHERE strftime('%Y', day) >= '2014'
SELECT boat_id FROM trip WHERE day BETWEEN '2014-01-01' AND '2014-12-31' ||| SELECT boat_id FROM trip WHERE day >= '2014-01-01' AND day < '2014-12-31'
SELECT name FROM boat EXCEPT SELECT name FROM owner ||| SELECT name FROM boat INTERSECT SELECT name FROM owner
SELECT sum(CASE WHEN year > 3 THEN 1 ELSE 0 END) FROM boat ||| SELECT sum(CASE WHEN year > 4 THEN 1 ELSE 0 END) FROM boat
SELECT count(*) FROM owner WHERE id IN (SELECT owner_id FROM boat WHERE name = 'A') ||| SELECT count(*) FROM boat WHERE name = 'A'
