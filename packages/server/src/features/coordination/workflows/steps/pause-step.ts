import type { StepType } from './step-contract.ts';

/** Waits for a person, whose value it answers. */
export const pauseStep: StepType = {
  begin: async ({ prompt }) => ({ end: 'later', status: 'SUSPENDED', facts: { prompt } }),
};
