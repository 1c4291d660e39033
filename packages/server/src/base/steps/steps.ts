import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be put aside after each step; what it answers comes at its end. */
export type Steps<T> = Generator<void, T, void>;

/** Runs the work in one go. */
export const atOnce = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

/** Runs the work and lets everybody else have a turn after every `perTurn` steps: long work of one must not hold up all. */
export const inTurns = async <T>(steps: Steps<T>, perTurn: number): Promise<T> => {
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (count % perTurn === 0) await nextTurn();
  }
};
