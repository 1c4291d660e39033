/** Test harness of features/sessions: operations on a real store, engine and demo model; used by tests of other features too. */
export * from './session-harness.ts';
