/**
 * runtime/step: one model call as parts: the call's chunks go into a writer that shows text in pieces and keeps parts whole.
 * It journals nothing and decides nothing about tries, profiles or what follows. Called by turn only.
 */
export { DeltaPressure } from './delta-pressure.ts';
export { runModelStep, type StepOutcome, usagePart } from './model-call.ts';
export { PartWriter } from './part-writer.ts';
