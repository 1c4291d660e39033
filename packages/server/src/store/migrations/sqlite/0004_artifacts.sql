-- Artifacts of sessions; ids rise with time, so that id order is age. body is the feature's JSON.
CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX artifacts_session ON artifacts (session_id, id);
