import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadSources } from './source-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = loadSources(root);

/** Longest wait that a test may ask a server for: half of the time that vitest.config.ts gives the test itself. */
const LIMIT_SECONDS = 30;

/** Files where the number is no wait of a test on a server that works: what fakes, codecs and manual clocks are given. */
const noRealWait = ['packages/cli/', 'packages/client/', 'packages/server/src/transport/'];

it('asks for no wait that lasts as long as the test, so that the answer says what did not happen', () => {
  const waits = sources
    .filter(({ path }) => path.endsWith('.test.ts') || path.startsWith('e2e/'))
    .filter(({ path }) => !noRealWait.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/waitSeconds: (\d+)/g)].map(([, seconds]) => ({ path, seconds: Number(seconds) })),
    )
    .filter(({ path }) => path !== 'e2e/transports/callers/call-deadline.test.ts');
  expect(waits.length).toBeGreaterThan(30);
  expect(waits.filter(({ seconds }) => seconds > LIMIT_SECONDS)).toEqual([]);
});
