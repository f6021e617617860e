-- Pairs that only chance tells apart, where keys do not hold, too.
SELECT o.name, count(*) FROM boat b JOIN owner o ON b.owner_id = o.id GROUP BY o.id ||| SELECT o.name, count(*) FROM owner o JOIN boat b ON o.id = b.owner_id GROUP BY o.id
SELECT id FROM boat WHERE berth = (SELECT town FROM owner WHERE name = 'a' GROUP BY town) ||| SELECT id FROM boat WHERE berth = (SELECT town FROM owner WHERE name = 'a')
-- The row of the longest boat is that of several owners.
SELECT o.town, b.owner_id, max(b.length) FROM owner o JOIN boat b ON o.id = b.owner_id GROUP BY b.owner_id ||| SELECT t.t, t.i, t.l FROM (SELECT o.town AS t, b.owner_id AS i, max(b.length) AS l FROM boat b JOIN owner o ON o.id = b.owner_id GROUP BY b.owner_id) AS t
