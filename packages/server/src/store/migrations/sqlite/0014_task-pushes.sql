-- Addresses to which states of turns are sent. sealed is encrypted, body is the feature's JSON.
CREATE TABLE task_pushes (
  turn_id TEXT NOT NULL,
  id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (turn_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_pushes_session ON task_pushes (session_id, turn_id, id);
