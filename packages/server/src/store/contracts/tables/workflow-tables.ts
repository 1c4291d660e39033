import { keyedTable } from './keyed-table.ts';

/** Runs of workflows. Rows stay small, because each step that moves writes its run again: texts of any size are in WORKFLOW_VALUES. */
export const WORKFLOW_RUNS = keyedTable({
  name: 'workflow_runs',
  // Ids are UUIDv7: their order is age.
  columns: { id: 'text', namespace: 'text', workflow: 'text', workflowUid: 'text', status: 'text', body: 'json' },
  key: ['id'],
  fixed: ['namespace', 'workflow', 'workflowUid'],
  queries: {
    ofNamespace: { equal: ['namespace'], order: ['id'], direction: 'descending' },
    ofStatus: { equal: ['namespace', 'status'], order: ['id'], direction: 'descending' },
    ofWorkflow: { equal: ['workflowUid'], order: ['id'], direction: 'descending' },
  },
});

/** Steps of runs that began or were skipped, one row for all attempts of a step. */
export const WORKFLOW_STEPS = keyedTable({
  name: 'workflow_steps',
  columns: { runId: 'text', stepId: 'text', status: 'text', body: 'json' },
  key: ['runId', 'stepId'],
  fixed: [],
  queries: { ofRun: { equal: ['runId'], order: ['stepId'], direction: 'ascending' } },
});

/** JSON texts of runs, each of which is written once or twice: the definition, inputs and outputs. */
export const WORKFLOW_VALUES = keyedTable({
  name: 'workflow_values',
  columns: { runId: 'text', name: 'text', value: 'text' },
  key: ['runId', 'name'],
  fixed: [],
  queries: { ofRun: { equal: ['runId'], order: ['name'], direction: 'ascending' } },
});

/** What happened in a run, numbered from 1 without holes. */
export const WORKFLOW_EVENTS = keyedTable({
  name: 'workflow_events',
  columns: { runId: 'text', sequence: 'integer', body: 'json' },
  key: ['runId', 'sequence'],
  fixed: [],
  queries: { ofRun: { equal: ['runId'], order: ['sequence'], direction: 'ascending' } },
});

/** Unfinished runs of a namespace, counted in several rows so that runs that begin at once do not wait for each other. */
export const WORKFLOW_TALLIES = keyedTable({
  name: 'workflow_tallies',
  columns: { namespace: 'text', shard: 'integer', active: 'integer' },
  key: ['namespace', 'shard'],
  fixed: [],
  queries: { ofNamespace: { equal: ['namespace'], order: ['shard'], direction: 'ascending' } },
});

/** Who holds the bytes of the files that a run was begun with; the reference goes with the run. */
export const runHolder = (runId: string): string => `run/${runId}`;
