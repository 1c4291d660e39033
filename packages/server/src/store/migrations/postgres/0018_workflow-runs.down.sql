DROP TABLE workflow_tallies;
DROP TABLE workflow_events;
DROP TABLE workflow_values;
DROP TABLE workflow_steps;
DROP TABLE workflow_runs;
