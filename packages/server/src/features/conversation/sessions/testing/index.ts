/** Test harness of features/conversation/sessions: operations on a real store, engine and demo model; used by tests of other features too. */
export * from './session-harness.ts';
