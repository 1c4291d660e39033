import { afterEach, beforeEach, expect } from 'vitest';
import { findProblems } from './invariants.ts';
import { Machine, type MachineOptions, type ProcessOptions } from './machine.ts';

/** A fresh machine for each test of a block; afterwards every invariant must hold. */
export const useMachine = (
  options: MachineOptions = {},
  process: ProcessOptions = {},
): { readonly machine: Machine } => {
  const holder: { machine: Machine } = { machine: undefined as unknown as Machine };
  beforeEach(async () => {
    holder.machine = new Machine(options);
    await holder.machine.start(process);
  });
  afterEach(async () => {
    const { machine } = holder;
    try {
      await machine.runToEnd();
      expect(await findProblems(machine)).toEqual([]);
    } finally {
      await machine.dispose();
    }
  });
  return holder;
};
