/**
 * runtime/steps/answer: what a model call brings: its outcome, and the writer that shows its text in pieces and keeps its parts
 * whole. It journals nothing. Used by the steps and, through their index, by the attempt.
 */
export { DeltaPressure } from './delta-pressure.ts';
export type { AskedCall, CallOutcome, ModelAnswer, RequestedCall } from './model-answer.ts';
export { PartWriter, type WriterPorts } from './part-writer.ts';
