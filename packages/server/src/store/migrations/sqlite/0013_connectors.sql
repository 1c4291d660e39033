-- Where a message of a messaging platform came from, by the session message, channel message or run that it became.
CREATE TABLE connector_contexts (
  namespace TEXT NOT NULL,
  subject TEXT NOT NULL,
  holder TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (namespace, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_contexts_holder ON connector_contexts (namespace, holder, subject);
CREATE INDEX connector_contexts_oldest ON connector_contexts (created_at, namespace, subject);
