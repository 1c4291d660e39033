-- Where a message of a messaging platform came from, by the session message, channel message or run that it became.
CREATE TABLE connector_contexts (
  namespace TEXT NOT NULL,
  subject TEXT NOT NULL,
  holder TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (namespace, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_contexts_holder ON connector_contexts (holder, subject, namespace);
CREATE INDEX connector_contexts_oldest ON connector_contexts (created_at, namespace, subject);
-- Secrets by which connector services call back, as hashes, by the id in their text.
CREATE TABLE connector_secrets (
  id TEXT NOT NULL,
  class_uid TEXT NOT NULL,
  namespace TEXT NOT NULL,
  class_name TEXT NOT NULL,
  hash TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  accepted_until INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_secrets_class ON connector_secrets (class_uid, created_at, id);
-- Routes of connectors: an empty slot is the one holder, further ones wait for it or are off.
CREATE TABLE connector_routes (
  class_uid TEXT NOT NULL,
  route_id TEXT NOT NULL,
  slot TEXT NOT NULL,
  connector_uid TEXT NOT NULL,
  namespace TEXT NOT NULL,
  connector TEXT NOT NULL,
  PRIMARY KEY (class_uid, route_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_routes_connector ON connector_routes (connector_uid, class_uid, route_id, slot);
-- Events that were accepted, so that a repeated one is known.
CREATE TABLE connector_events (
  class_uid TEXT NOT NULL,
  event_id TEXT NOT NULL,
  body TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (class_uid, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_events_oldest ON connector_events (expires_at, class_uid, event_id);
-- The session that a conversation of a platform continues in.
CREATE TABLE connector_pointers (
  connector_uid TEXT NOT NULL,
  conversation TEXT NOT NULL,
  class_uid TEXT NOT NULL,
  session_id TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (connector_uid, conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_pointers_class ON connector_pointers (class_uid, connector_uid, conversation);
CREATE INDEX connector_pointers_oldest ON connector_pointers (used_at, connector_uid, conversation);
-- Attachments that a connector service sent ahead of the events that name them.
CREATE TABLE connector_uploads (
  class_uid TEXT NOT NULL,
  object_key TEXT NOT NULL,
  namespace TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (class_uid, object_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_uploads_oldest ON connector_uploads (created_at, class_uid, object_key);
