-- Where a message of a messaging platform came from, by the session message, channel message or run that it became.
CREATE TABLE connector_contexts (
  namespace text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (namespace, subject)
);
CREATE INDEX connector_contexts_holder ON connector_contexts (namespace, holder, subject);
CREATE INDEX connector_contexts_oldest ON connector_contexts (created_at, namespace, subject);
