-- Money reserved for model calls under way, what model calls used (first by call, then by day), raises of limits,
-- and models without a price that limits of money met.
CREATE TABLE usage_holds (
  turn_id TEXT PRIMARY KEY,
  held TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_holds_age ON usage_holds (created_at, turn_id);
CREATE TABLE usage_records (
  id TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  agent TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  identity TEXT NOT NULL,
  day INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  total_tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  unpriced INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_records_namespace ON usage_records (namespace, id);
CREATE TABLE usage_days (
  namespace TEXT NOT NULL,
  agent TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  identity TEXT NOT NULL,
  day INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  total_tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  PRIMARY KEY (namespace, day, agent, provider, model, identity)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_age ON usage_days (day, namespace, agent, provider, model, identity);
CREATE TABLE usage_raises (
  id TEXT PRIMARY KEY,
  counter TEXT NOT NULL,
  identity TEXT NOT NULL,
  amount INTEGER NOT NULL,
  until INTEGER NOT NULL,
  decided_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_raises_counter ON usage_raises (counter, id);
CREATE INDEX usage_raises_age ON usage_raises (until, id);
CREATE TABLE usage_unpriced (
  policy_uid TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (policy_uid, provider, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_unpriced_age ON usage_unpriced (at, policy_uid, provider, model);
