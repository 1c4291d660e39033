-- Messages on their way to connector services.
CREATE TABLE deliveries (
  id text COLLATE "C" PRIMARY KEY,
  namespace text COLLATE "C" NOT NULL,
  connector text COLLATE "C" NOT NULL,
  class_uid text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  body text NOT NULL
);
CREATE INDEX deliveries_namespace ON deliveries (namespace, id);
CREATE INDEX deliveries_state ON deliveries (namespace, state, id);
CREATE INDEX deliveries_connector ON deliveries (namespace, connector, id);
CREATE INDEX deliveries_connector_state ON deliveries (namespace, connector, state, id);
CREATE INDEX deliveries_class ON deliveries (class_uid, state, id);
CREATE INDEX deliveries_lane ON deliveries (lane, state, id);
CREATE INDEX deliveries_subject ON deliveries (subject, id);
CREATE INDEX deliveries_oldest ON deliveries (expires_at, id);
