import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadSources } from './source-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = loadSources(root);

/** Longest wait that a test may ask a server for: a quarter of the least time that vitest.config.ts gives the test itself. */
const LIMIT_SECONDS = 30;
/** The least time that a suite of vitest.config.ts gives a test, in milliseconds. */
const LEAST_MS = 120_000;

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

/** Limits that a source sets for its tests or hooks, in milliseconds: behind their function, or as options by value or by name. */
const limitsOf = (text: string): readonly number[] =>
  [
    /^ *\}, (\d+_000)\);$/gm,
    /[(,] \{\s*timeout: (\d+_000),?\s*\}, (?:async )?\(/g,
    /^const (?:SLOW|LONG) = (?:\{ timeout: )?(\d+_000)/gm,
  ]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, digits = '']) => Number(digits.replaceAll('_', '')));

it.each([
  ["it('a', async () => {\n  await b();\n}, 60_000);", [60_000]],
  ["it('a', { timeout: 30_000 }, async () => {", [30_000]],
  ["describe('a', { timeout: 60_000 }, () => {", [60_000]],
  ["it('a', {\n  timeout: 90_000,\n}, async () => {", [90_000]],
  ['const SLOW = { timeout: 60_000 };', [60_000]],
  ['const LONG = 280_000;', [280_000]],
  ['await vi.waitFor(() => expect(a).toBe(1), { timeout: 60_000 });', []],
])('limits of tests are found in %j', (text, limits) => {
  expect(limitsOf(text)).toEqual(limits);
});

it('sets no limit below that of its suite, which a slow machine would turn into a failure', () => {
  const limits = sources
    .filter(({ path }) => path.endsWith('.test.ts') && path !== 'tools/checks/waits.test.ts')
    .flatMap(({ path, text }) => limitsOf(text).map((ms) => ({ path, ms })));
  expect(limits.length).toBeGreaterThan(5);
  expect(limits.filter(({ ms }) => ms < LEAST_MS)).toEqual([]);
});
