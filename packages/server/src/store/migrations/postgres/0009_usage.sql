-- Money reserved for model calls under way, what model calls used (first by call, then by day), raises of limits,
-- and models without a price that limits of money met.
CREATE TABLE usage_holds (
  turn_id text COLLATE "C" PRIMARY KEY,
  held text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX usage_holds_age ON usage_holds (created_at, turn_id);
CREATE TABLE usage_records (
  id text COLLATE "C" PRIMARY KEY,
  namespace text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  requests bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  total_tokens bigint NOT NULL,
  cost_micros bigint NOT NULL,
  unpriced bigint NOT NULL
);
CREATE INDEX usage_records_namespace ON usage_records (namespace, id);
CREATE TABLE usage_days (
  namespace text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  requests bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  total_tokens bigint NOT NULL,
  cost_micros bigint NOT NULL,
  unpriced bigint NOT NULL,
  PRIMARY KEY (namespace, day, agent, provider, model, identity)
);
CREATE INDEX usage_days_age ON usage_days (day, namespace, agent, provider, model, identity);
CREATE TABLE usage_raises (
  id text COLLATE "C" PRIMARY KEY,
  counter text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  until bigint NOT NULL,
  decided_by text COLLATE "C" NOT NULL
);
CREATE INDEX usage_raises_counter ON usage_raises (counter, id);
CREATE INDEX usage_raises_age ON usage_raises (until, id);
CREATE TABLE usage_unpriced (
  policy_uid text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (policy_uid, provider, model)
);
CREATE INDEX usage_unpriced_age ON usage_unpriced (at, policy_uid, provider, model);
