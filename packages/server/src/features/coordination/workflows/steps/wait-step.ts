import { armTimer, STEP_DATE } from '../record/index.ts';
import { stepSeconds } from '../step-rules.ts';
import type { StepType } from './step-contract.ts';

const MICROS = 1_000_000;
/** The latest time that the store can read again, in the year 2255. */
const LATEST = Number.MAX_SAFE_INTEGER;

/** What a wait answers when its time came. */
export const firedOutput = (nowMicros: number) => ({ firedAt: new Date(Math.floor(nowMicros / 1_000)).toISOString() });

/** Waits for a time, or for a person if one is sooner. */
export const waitStep: StepType = {
  begin: async ({ open, step, state, prompt }) => {
    const { tx, run } = open;
    const timer = { runId: run.id, stepId: step.id, attempt: state.attempt, purpose: 'wait' } as const;
    const facts = { prompt };
    if (step.waitUntil !== '') {
      const until = Math.min(LATEST, Date.parse(step.waitUntil.toUpperCase()) * 1_000);
      if (until <= tx.now()) return { end: 'completed', output: firedOutput(tx.now()) };
      await armTimer(tx, { ...timer, dueAt: until }, STEP_DATE);
      return { end: 'later', status: 'SUSPENDED', facts: { ...facts, waitUntilAt: until } };
    }
    if (step.waitDuration === '') return { end: 'later', status: 'SUSPENDED', facts };
    const micros = (stepSeconds(step.waitDuration) ?? 0) * MICROS;
    await armTimer(tx, { ...timer, dueAt: tx.steadyNow() + micros });
    return { end: 'later', status: 'SUSPENDED', facts: { ...facts, waitUntilAt: tx.now() + micros } };
  },
};
