import { cutToWidth } from '../terminal/index.ts';
import type { World } from '../world.ts';

const TICK_MS = 1_000;

/**
 * Shows on a terminal that work is running, and for how long; the line is removed when the work ends. Silent
 * with --quiet.
 */
export const showingElapsed = async <T>(
  world: World,
  { label, quiet }: { readonly label: string; readonly quiet?: boolean | undefined },
  work: () => Promise<T>,
): Promise<T> => {
  if (!world.stderr.isTerminal || quiet === true) return work();
  const end = new AbortController();
  const started = world.nowMs();
  const draw = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const seconds = Math.floor((world.nowMs() - started) / 1_000);
      world.stderr.write(`\r${cutToWidth(`${label}  ${seconds} s`, world.stderr.columns - 1)}\u001b[K`);
      await world.sleep(TICK_MS, end.signal);
    }
  };
  const drawn = draw();
  try {
    return await work();
  } finally {
    end.abort();
    await drawn;
    world.stderr.write('\r\u001b[K');
  }
};
