-- Conversations that agents have with other agents from their sessions. body is the feature's JSON.
CREATE TABLE delegations (
  session_id text COLLATE "C" NOT NULL,
  alias text COLLATE "C" NOT NULL,
  child_session_id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (session_id, alias)
);
CREATE INDEX delegations_child ON delegations (child_session_id, session_id, alias);
