import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be paused after each step; its result comes at the end. */
export type Steps<T> = Generator<void, T, void>;

/** Runs the work in one go. */
export const atOnce = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

/** Runs the work and yields to the event loop after every `perTurn` steps, so that long work of one caller does not block the others. */
export const inTurns = async <T>(steps: Steps<T>, perTurn: number): Promise<T> => {
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (count % perTurn === 0) await nextTurn();
  }
};
