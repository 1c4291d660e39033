DROP TABLE workflow_tallies;
DROP TABLE workflow_events;
DROP TABLE workflow_values;
DROP TABLE workflow_steps;
DROP INDEX workflow_runs_workflow;
DROP INDEX workflow_runs_status;
DROP INDEX workflow_runs_namespace;
DROP TABLE workflow_runs;
