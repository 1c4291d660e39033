import type { Host } from '../host.ts';
import { cutToWidth } from '../terminal/index.ts';

const TICK_MS = 1_000;

/**
 * Shows on a terminal that work is running, and for how long; the line is removed when the work ends. Silent
 * with --quiet.
 */
export const showingElapsed = async <T>(
  host: Host,
  { label, quiet }: { readonly label: string; readonly quiet?: boolean | undefined },
  work: () => Promise<T>,
): Promise<T> => {
  if (!host.stderr.isTerminal || quiet === true) return work();
  const end = new AbortController();
  const started = host.nowMs();
  const draw = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const seconds = Math.floor((host.nowMs() - started) / 1_000);
      host.stderr.write(`\r${cutToWidth(`${label}  ${seconds} s`, host.stderr.columns - 1)}\u001b[K`);
      await host.sleep(TICK_MS, end.signal);
    }
  };
  const drawn = draw();
  try {
    return await work();
  } finally {
    end.abort();
    await drawn;
    host.stderr.write('\r\u001b[K');
  }
};
