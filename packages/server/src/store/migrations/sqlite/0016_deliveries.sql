-- Messages on their way to connector services.
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  connector TEXT NOT NULL,
  class_uid TEXT NOT NULL,
  lane TEXT NOT NULL,
  subject TEXT NOT NULL,
  state TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_namespace ON deliveries (namespace, id);
CREATE INDEX deliveries_state ON deliveries (namespace, state, id);
CREATE INDEX deliveries_connector ON deliveries (namespace, connector, id);
CREATE INDEX deliveries_connector_state ON deliveries (namespace, connector, state, id);
CREATE INDEX deliveries_class ON deliveries (class_uid, state, id);
CREATE INDEX deliveries_lane ON deliveries (lane, state, id);
CREATE INDEX deliveries_subject ON deliveries (subject, id);
CREATE INDEX deliveries_oldest ON deliveries (expires_at, id);
