-- Runs of workflows; body is the feature's JSON, as in the tables below.
CREATE TABLE workflow_runs (
  id TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  workflow TEXT NOT NULL,
  workflow_uid TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_runs_namespace ON workflow_runs (namespace, id);
CREATE INDEX workflow_runs_status ON workflow_runs (namespace, status, id);
CREATE INDEX workflow_runs_workflow ON workflow_runs (workflow_uid, id);
CREATE TABLE workflow_steps (
  run_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (run_id, step_id)
) STRICT, WITHOUT ROWID;
-- Definitions, inputs and outputs of runs, which may be large.
CREATE TABLE workflow_values (
  run_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run_id, name)
) STRICT;
CREATE TABLE workflow_events (
  run_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;
-- Unfinished runs of each namespace, in several rows.
CREATE TABLE workflow_tallies (
  namespace TEXT NOT NULL,
  shard INTEGER NOT NULL,
  active INTEGER NOT NULL,
  PRIMARY KEY (namespace, shard)
) STRICT, WITHOUT ROWID;
