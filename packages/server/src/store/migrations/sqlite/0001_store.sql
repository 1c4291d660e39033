-- Facts the instance keeps about itself: epoch, clock high-water mark, signing key ids.
CREATE TABLE instance (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One generic table for every kind. Times are micros; deletion_at 0 = not deleting.
CREATE TABLE resources (
  row INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  namespace TEXT NOT NULL,
  parent TEXT NOT NULL,
  name TEXT NOT NULL,
  api_version TEXT NOT NULL,
  uid TEXT NOT NULL,
  generation INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deletion_at INTEGER NOT NULL,
  labels TEXT NOT NULL,
  annotations TEXT NOT NULL,
  owners TEXT NOT NULL,
  finalizers TEXT NOT NULL,
  spec TEXT NOT NULL,
  status TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX resources_key ON resources (kind, namespace, parent, name);

-- Only labelled resources have rows here; the key order lets a selective label page in the order of lists.
CREATE TABLE resource_labels (
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  value TEXT NOT NULL,
  namespace TEXT NOT NULL,
  parent TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (kind, label, value, namespace, parent, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE resource_owners (
  owner_uid TEXT NOT NULL,
  resource INTEGER NOT NULL,
  PRIMARY KEY (owner_uid, resource)
) STRICT, WITHOUT ROWID;

-- The change log. The newest row is never trimmed: its version is the store-wide counter.
CREATE TABLE changes (
  version INTEGER PRIMARY KEY,
  change TEXT NOT NULL,
  sections TEXT NOT NULL,
  kind TEXT NOT NULL,
  namespace TEXT NOT NULL,
  parent TEXT NOT NULL,
  name TEXT NOT NULL,
  api_version TEXT NOT NULL,
  uid TEXT NOT NULL,
  generation INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deletion_at INTEGER NOT NULL,
  labels TEXT NOT NULL,
  annotations TEXT NOT NULL,
  owners TEXT NOT NULL,
  finalizers TEXT NOT NULL,
  spec TEXT NOT NULL,
  status TEXT NOT NULL
) STRICT;

CREATE TABLE activity (
  uid TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  namespace TEXT NOT NULL,
  agent TEXT NOT NULL,
  state TEXT NOT NULL,
  fence INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_active INTEGER NOT NULL,
  open_turns INTEGER NOT NULL,
  active_turn_id TEXT NOT NULL,
  admission REAL NOT NULL,
  last_message_id TEXT NOT NULL,
  last_sequence INTEGER NOT NULL,
  labels TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_activity ON sessions (namespace, agent, last_active, id);
CREATE INDEX sessions_busy ON sessions (id) WHERE state <> 'IDLE';

CREATE TABLE session_labels (
  namespace TEXT NOT NULL,
  agent TEXT NOT NULL,
  label TEXT NOT NULL,
  value TEXT NOT NULL,
  session_id TEXT NOT NULL,
  PRIMARY KEY (namespace, agent, label, value, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  row INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  id TEXT NOT NULL,
  role INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  labels TEXT NOT NULL,
  parts TEXT NOT NULL,
  UNIQUE (session_id, id)
) STRICT;

-- The expiry of a claim is in `claims`, so that renewing thousands of claims does not rewrite turns.
CREATE TABLE turns (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  agent TEXT NOT NULL,
  admission REAL NOT NULL,
  state TEXT NOT NULL,
  ready INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  worker TEXT NOT NULL,
  stop_requested INTEGER NOT NULL,
  wake_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  user_message_id TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX turns_session ON turns (session_id, id);
CREATE INDEX turns_fence ON turns (session_id, fence) WHERE fence > 0;
CREATE INDEX turns_open ON turns (session_id, admission) WHERE state IN ('QUEUED', 'RUNNING', 'WAITING');
CREATE INDEX turns_ready ON turns (namespace, created_at, id) WHERE ready = 1;
CREATE INDEX turns_parked ON turns (wake_at) WHERE wake_at > 0;
CREATE INDEX turns_stopping ON turns (worker) WHERE stop_requested = 1;

CREATE TABLE claims (
  worker TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  fence INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (worker, turn_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  row INTEGER PRIMARY KEY,
  turn_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (turn_id, position)
) STRICT;
CREATE INDEX journal_at ON journal (at);

CREATE TABLE steers (
  session_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (session_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX steers_turn ON steers (turn_id);

CREATE TABLE permissions (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  namespace TEXT NOT NULL,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  open INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX permissions_turn ON permissions (turn_id);
CREATE INDEX permissions_session ON permissions (session_id);
CREATE INDEX permissions_open ON permissions (namespace, id) WHERE open = 1;

-- Outbox rows and timers. An empty token = not taken.
CREATE TABLE queue (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  token TEXT NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX queue_due ON queue (kind, due_at);

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  scope TEXT PRIMARY KEY,
  request_hash TEXT NOT NULL,
  answer TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);

-- `position` is commit order. Hashes are apart, so that closing the chain does not rewrite rows.
CREATE TABLE audit (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  identity TEXT NOT NULL,
  operation TEXT NOT NULL,
  target TEXT NOT NULL,
  namespace TEXT NOT NULL,
  outcome TEXT NOT NULL,
  resource_version TEXT NOT NULL
) STRICT;
CREATE TABLE audit_chain (
  position INTEGER PRIMARY KEY,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE counters (
  key TEXT NOT NULL,
  bucket_start INTEGER NOT NULL,
  bucket_end INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (key, bucket_start, bucket_end)
) STRICT, WITHOUT ROWID;
CREATE INDEX counters_end ON counters (bucket_end);

-- unreferenced_at 0 = somebody refers to the object.
CREATE TABLE objects (
  sha256 TEXT PRIMARY KEY,
  size_bytes INTEGER NOT NULL,
  unreferenced_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX objects_unreferenced ON objects (unreferenced_at) WHERE unreferenced_at > 0;
CREATE TABLE object_references (
  holder TEXT NOT NULL,
  namespace TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (holder, namespace, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_references_object ON object_references (sha256, namespace);
