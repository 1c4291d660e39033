-- Where a message of a messaging platform came from, by the session message, channel message or run that it became.
CREATE TABLE connector_contexts (
  namespace text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (namespace, subject)
);
CREATE INDEX connector_contexts_holder ON connector_contexts (holder, subject, namespace);
CREATE INDEX connector_contexts_oldest ON connector_contexts (created_at, namespace, subject);
-- Secrets by which connector services call back, as hashes, by the id in their text.
CREATE TABLE connector_secrets (
  id text COLLATE "C" NOT NULL,
  class_uid text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  class_name text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  accepted_until bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX connector_secrets_class ON connector_secrets (class_uid, created_at, id);
-- Routes of connectors: an empty slot is the one holder, further ones wait for it or are off.
CREATE TABLE connector_routes (
  class_uid text COLLATE "C" NOT NULL,
  route_id text COLLATE "C" NOT NULL,
  slot text COLLATE "C" NOT NULL,
  connector_uid text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  connector text COLLATE "C" NOT NULL,
  PRIMARY KEY (class_uid, route_id, slot)
);
CREATE INDEX connector_routes_connector ON connector_routes (connector_uid, class_uid, route_id, slot);
-- Events that were accepted, so that a repeated one is known.
CREATE TABLE connector_events (
  class_uid text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (class_uid, event_id)
);
CREATE INDEX connector_events_oldest ON connector_events (expires_at, class_uid, event_id);
-- The session that a conversation of a platform continues in.
CREATE TABLE connector_pointers (
  connector_uid text COLLATE "C" NOT NULL,
  conversation text COLLATE "C" NOT NULL,
  class_uid text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (connector_uid, conversation)
);
CREATE INDEX connector_pointers_class ON connector_pointers (class_uid, connector_uid, conversation);
CREATE INDEX connector_pointers_oldest ON connector_pointers (used_at, connector_uid, conversation);
-- Attachments that a connector service sent ahead of the events that name them.
CREATE TABLE connector_uploads (
  class_uid text COLLATE "C" NOT NULL,
  object_key text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (class_uid, object_key)
);
CREATE INDEX connector_uploads_oldest ON connector_uploads (created_at, class_uid, object_key);
