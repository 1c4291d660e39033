import { onTestFinished } from 'vitest';

/** Waits until something is so, a turn of the event loop at a time; gives up with the test that asks, however that ends. */
export const until = async (condition: () => boolean): Promise<void> => {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!isOver && !condition()) await new Promise((resolve) => setImmediate(resolve));
};
