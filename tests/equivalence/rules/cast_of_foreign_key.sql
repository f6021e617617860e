-- dialect: sqlite
CREATE TABLE stadium (id INTEGER PRIMARY KEY, name TEXT, size INTEGER);
CREATE TABLE concert (year INTEGER, stadium_id TEXT REFERENCES stadium (id), title TEXT);

-- equal assuming: foreign key
SELECT c.title, s.name FROM concert AS c JOIN stadium AS s ON s.id = CAST(c.stadium_id AS REAL);
SELECT c.title, s.name FROM concert AS c JOIN stadium AS s ON s.id = c.stadium_id;

-- equal assuming: foreign key
SELECT name FROM stadium WHERE EXISTS (SELECT 1 FROM concert WHERE CAST(stadium_id AS REAL) = id);
SELECT name FROM stadium WHERE EXISTS (SELECT 1 FROM concert WHERE stadium_id = id);

-- '1x' is 1 as a CAST.
-- different assuming: nothing
-- witness: INSERT INTO stadium VALUES (1, 'a', 1);
-- witness: INSERT INTO concert VALUES (2010, '1x', 't');
SELECT c.title, s.name FROM concert AS c JOIN stadium AS s ON s.id = CAST(c.stadium_id AS REAL);
SELECT c.title, s.name FROM concert AS c JOIN stadium AS s ON s.id = c.stadium_id;

-- A text that refers to nothing may be anything.
-- different assuming: primary key, foreign key, types
-- witness: INSERT INTO stadium VALUES (1, 'a', 1);
-- witness: INSERT INTO concert VALUES (2010, NULL, '1x');
SELECT s.name FROM concert AS c JOIN stadium AS s ON s.id = CAST(c.title AS REAL);
SELECT s.name FROM concert AS c JOIN stadium AS s ON s.id = c.title;
