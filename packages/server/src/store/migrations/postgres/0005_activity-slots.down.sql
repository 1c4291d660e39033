INSERT INTO activity (uid, body) SELECT DISTINCT ON (uid) uid, body FROM activity_slots ORDER BY uid, number DESC
  ON CONFLICT (uid) DO UPDATE SET body = excluded.body;
DROP TABLE activity_slots;
DROP SEQUENCE activity_numbers;
