-- Conversations that agents have with other agents from their sessions. body is the feature's JSON.
CREATE TABLE delegations (
  session_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  child_session_id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (session_id, alias)
) STRICT, WITHOUT ROWID;
CREATE INDEX delegations_child ON delegations (child_session_id, session_id, alias);
