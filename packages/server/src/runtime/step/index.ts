/**
 * runtime/step: one model call as parts: the call's chunks go into a writer that shows text in pieces and keeps parts whole
 * (RT-2.6, R16, R36). It journals nothing and decides nothing about tries, profiles or what follows. Called by turn only.
 */
export { runModelStep, type StepOutcome, usagePart } from './model-step.ts';
export { PartWriter } from './part-writer.ts';
