/**
 * call: one model call from its slot to its last chunk: tries, time-outs, breaker, queue. Knows no protocol;
 * drivers are handed in. Used by the registry only.
 */
export { Breaker } from './breaker.ts';
export { type CallParts, ModelCall } from './model-call.ts';
export { Slots } from './slots.ts';
