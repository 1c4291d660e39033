-- Artifacts of sessions; ids rise with time, so that id order is age. body is the feature's JSON.
CREATE TABLE artifacts (
  id text COLLATE "C" PRIMARY KEY,
  session_id text COLLATE "C" NOT NULL,
  body text NOT NULL
);
CREATE INDEX artifacts_session ON artifacts (session_id, id);
