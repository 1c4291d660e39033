/**
 * runtime/steps/harness: the step that runs a turn in an external agent, a harness, in the place of model and tool steps. It records
 * what the harness does, asks people for it, counts it, and decides what a lost harness means for the turn. It starts no process and
 * speaks no protocol: those are behind `Harnesses`. Called by the step table.
 */
export { HarnessSlot } from './harness-slot.ts';
export { createHarnessStep, type HarnessPorts } from './harness-step.ts';
