-- Addresses to which states of turns are sent. sealed is encrypted, body is the feature's JSON.
CREATE TABLE task_pushes (
  turn_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (turn_id, id)
);
CREATE INDEX task_pushes_session ON task_pushes (session_id, turn_id, id);
