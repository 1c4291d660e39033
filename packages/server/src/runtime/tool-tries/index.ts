/**
 * runtime/tool-tries: one tool of an agent, called by a person without a model and outside of any session: the same list, checks, time-outs and
 * results as in a turn (steps/tool-batch). Writes nothing itself: who may try, quotas, audit and kept answers are the caller's. Made
 * with the runtime; app hands it to the feature with the operations.
 */
export { createToolTries } from './tool-tries.ts';
