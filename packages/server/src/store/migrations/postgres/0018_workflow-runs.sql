-- Runs of workflows; body is the feature's JSON, as in the tables below.
CREATE TABLE workflow_runs (
  id text COLLATE "C" PRIMARY KEY,
  namespace text COLLATE "C" NOT NULL,
  workflow text COLLATE "C" NOT NULL,
  workflow_uid text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  body text NOT NULL
);
CREATE INDEX workflow_runs_namespace ON workflow_runs (namespace, id);
CREATE INDEX workflow_runs_status ON workflow_runs (namespace, status, id);
CREATE INDEX workflow_runs_workflow ON workflow_runs (workflow_uid, id);
CREATE TABLE workflow_steps (
  run_id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run_id, step_id)
);
-- Definitions, inputs and outputs of runs, which may be large.
CREATE TABLE workflow_values (
  run_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (run_id, name)
);
CREATE TABLE workflow_events (
  run_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run_id, sequence)
);
-- Unfinished runs of each namespace, in several rows.
CREATE TABLE workflow_tallies (
  namespace text COLLATE "C" NOT NULL,
  shard bigint NOT NULL,
  active bigint NOT NULL,
  PRIMARY KEY (namespace, shard)
);
