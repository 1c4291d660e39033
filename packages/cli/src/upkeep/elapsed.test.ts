import { expect, it } from 'vitest';
import { fakeHost } from '../testing/fake-host.ts';
import { showingElapsed } from './elapsed.ts';

const E = '\u001b[K';

it('shows at a terminal what is being done and for how long, and takes the line away', async () => {
  const fake = fakeHost({ isErrorTerminal: true });
  let now = 0;
  const ticked = Promise.withResolvers<void>();
  const host = {
    ...fake.host,
    nowMs: () => now,
    sleep: async () => {
      now += 1_000;
      if (now === 2_000) ticked.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  expect(await showingElapsed(host, { label: 'making it' }, () => ticked.promise.then(() => 'made'))).toBe('made');
  expect(fake.err().split('\r').slice(0, 3)).toEqual(['', `making it  0 s${E}`, `making it  1 s${E}`]);
  expect(fake.err().endsWith('\r\u001b[K')).toBe(true);
});

it('is silent into a pipe, and with --quiet', async () => {
  const piped = fakeHost();
  await showingElapsed(piped.host, { label: 'x' }, async () => undefined);
  const quiet = fakeHost({ isErrorTerminal: true });
  await showingElapsed(quiet.host, { label: 'x', quiet: true }, async () => undefined);
  expect([piped.err(), quiet.err()]).toEqual(['', '']);
});
