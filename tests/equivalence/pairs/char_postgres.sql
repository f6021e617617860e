-- CHAR(n) in PostgreSQL: blanks at the end count in its length, and not where it is compared.
-- postgres
CREATE TABLE t (c CHAR(3), v VARCHAR(3), d CHAR(5), x TEXT, k INTEGER);
SELECT c FROM t WHERE c = v =/= SELECT v FROM t WHERE c = v
SELECT c FROM t WHERE c = d =/= SELECT d FROM t WHERE c = d
SELECT v FROM t WHERE v = x === SELECT x FROM t WHERE x = v
SELECT k FROM t WHERE c = v === SELECT k FROM t WHERE v = c
SELECT k FROM t WHERE c = d === SELECT k FROM t WHERE d = c
SELECT c FROM t WHERE c = 'a' =/= SELECT 'a' FROM t WHERE c = 'a'
SELECT v FROM t WHERE v = 'a' === SELECT 'a' FROM t WHERE v = 'a'
SELECT x FROM t WHERE x = 'a' === SELECT 'a' FROM t WHERE x = 'a'
SELECT k FROM t WHERE c = 'a' === SELECT k FROM t WHERE c = 'a  '
SELECT k FROM t WHERE v = 'a' =/= SELECT k FROM t WHERE v = 'a '
SELECT octet_length(c) FROM t WHERE c = 'a' =/= SELECT octet_length('a') FROM t WHERE c = 'a'
SELECT octet_length(c) FROM t WHERE c = v =/= SELECT octet_length(v) FROM t WHERE c = v
SELECT c FROM t UNION SELECT v FROM t =/= SELECT v FROM t UNION SELECT c FROM t
SELECT c FROM t UNION ALL SELECT v FROM t =/= SELECT v FROM t UNION ALL SELECT c FROM t
SELECT c FROM t UNION SELECT d FROM t =/= SELECT d FROM t UNION SELECT c FROM t
SELECT v FROM t UNION SELECT x FROM t === SELECT x FROM t UNION SELECT v FROM t
SELECT c FROM t INTERSECT SELECT d FROM t =/= SELECT d FROM t INTERSECT SELECT c FROM t
SELECT v FROM t INTERSECT SELECT x FROM t === SELECT x FROM t INTERSECT SELECT v FROM t
SELECT COUNT(DISTINCT c) FROM t === SELECT COUNT(DISTINCT t.c) FROM t
SELECT COUNT(DISTINCT v) FROM t =/= SELECT COUNT(DISTINCT v::CHAR(3)) FROM t
SELECT c::TEXT FROM t =/= SELECT c FROM t
SELECT v::TEXT FROM t === SELECT v FROM t
SELECT k FROM t WHERE c::TEXT = v =/= SELECT k FROM t WHERE c = v
SELECT k FROM t WHERE c LIKE 'a' =/= SELECT k FROM t WHERE c = 'a'
SELECT k FROM t WHERE v LIKE 'a' === SELECT k FROM t WHERE v = 'a'
SELECT CASE WHEN c = v THEN c::TEXT ELSE '' END FROM t =/= SELECT CASE WHEN c = v THEN v ELSE ' ' END FROM t
SELECT COALESCE(c, v) FROM t =/= SELECT COALESCE(v, c) FROM t
SELECT k FROM t WHERE c IN ('a', 'b') === SELECT k FROM t WHERE c = 'a' OR c = 'b'
SELECT k FROM t WHERE c BETWEEN 'a' AND 'b' === SELECT k FROM t WHERE c >= 'a' AND c <= 'b'
SELECT k FROM t WHERE c = 'a' AND c = 'b' === SELECT k FROM t WHERE FALSE
SELECT k FROM t WHERE v = 'a' AND v = 'a ' === SELECT k FROM t WHERE FALSE
SELECT k FROM t WHERE c = 'a' AND c = 'a ' =/= SELECT k FROM t WHERE FALSE
SELECT a.c FROM t a JOIN t b ON a.c = b.v =/= SELECT b.v FROM t a JOIN t b ON a.c = b.v
SELECT a.c FROM t a JOIN t b ON a.c = b.c === SELECT b.c FROM t a JOIN t b ON a.c = b.c
SELECT a.v FROM t a JOIN t b ON a.v = b.x === SELECT b.x FROM t a JOIN t b ON a.v = b.x
SELECT k FROM t WHERE c IN (SELECT v FROM t) === SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t s WHERE s.v = t.c)
SELECT c || 'x' FROM t WHERE c = v =/= SELECT v || 'x' FROM t WHERE v = c
SELECT MAX(c) FROM t =/= SELECT MAX(v) FROM t
SELECT k FROM t WHERE c = 'a' === SELECT t.k FROM t WHERE 'a' = t.c
SELECT c, COUNT(*) FROM t GROUP BY c === SELECT t.c, COUNT(*) FROM t GROUP BY t.c
SELECT DISTINCT c FROM t WHERE k = 1 === SELECT c FROM t WHERE k = 1 GROUP BY c
SELECT k FROM t WHERE c <> v === SELECT k FROM t WHERE NOT c = v
SELECT length(c) FROM t WHERE c = v =/= SELECT length(v) FROM t WHERE v = c
