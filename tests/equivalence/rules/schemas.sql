-- Schemas that fixtures share. A file that needs another one writes its own CREATE TABLE.

-- schema: plain
-- Nothing is declared: no keys, everything may be NULL.
CREATE TABLE t (a INTEGER, b INTEGER, c TEXT, d REAL);
CREATE TABLE u (a INTEGER, b INTEGER, c TEXT, d REAL);
CREATE TABLE v (a INTEGER, b INTEGER, c TEXT, d REAL);

-- schema: shop
-- Keys, foreign keys (one of them may be NULL), a unique column, columns that are NOT NULL.
CREATE TABLE customer (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, city TEXT, age INTEGER
);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, kind INTEGER NOT NULL);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id),
  seller_id INTEGER REFERENCES customer (id), day DATE, total REAL
);
CREATE TABLE item (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL REFERENCES product (id),
  number INTEGER, PRIMARY KEY (order_id, product_id)
);

-- schema: concert
-- As in Spider: a key of text, keys that are not declared NOT NULL, a link table.
CREATE TABLE singer (singer_id INT PRIMARY KEY, name TEXT, country TEXT, age INT);
CREATE TABLE stadium (stadium_id TEXT PRIMARY KEY, name TEXT, capacity INT);
CREATE TABLE concert (
  concert_id INT PRIMARY KEY, theme TEXT, stadium_id TEXT REFERENCES stadium (stadium_id), year INT
);
CREATE TABLE singer_in_concert (
  concert_id INT, singer_id INT, PRIMARY KEY (concert_id, singer_id),
  FOREIGN KEY (concert_id) REFERENCES concert (concert_id),
  FOREIGN KEY (singer_id) REFERENCES singer (singer_id)
);

-- schema: staff
-- A foreign key into the same table.
CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT NOT NULL, budget REAL);
CREATE TABLE employee (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, boss_id INTEGER REFERENCES employee (id),
  department_id INTEGER NOT NULL REFERENCES department (id), salary INTEGER, hired DATE
);
