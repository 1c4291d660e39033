import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { runTests } from '../checks/suites/vitest-run.ts';

const provider = fileURLToPath(new URL('process-coverage.ts', import.meta.url));

const FILES = {
  'sign.ts': `export const sign = (value: number): string => {
  if (value < 0) {
    return 'minus';
  }
  return 'plus';
};
export const unused = (): string => {
  return 'never';
};
`,
  'minus.test.ts': `import { expect, it } from 'vitest';
import { sign } from './sign.ts';
it('is minus', () => expect(sign(-1)).toBe('minus'));
`,
  'plus.test.ts': `import { expect, it } from 'vitest';
import { sign } from './sign.ts';
it('is plus', () => expect([sign(1), sign(2)]).toEqual(['plus', 'plus']));
`,
  'vitest.config.ts': `export default {
  test: {
    isolate: process.env.ISOLATE === 'true',
    coverage: {
      provider: 'custom',
      customProviderModule: ${JSON.stringify(provider)},
      include: ['sign.ts'],
      reporter: ['lcovonly'],
      thresholds: { lines: Number(process.env.FLOOR) },
    },
  },
};
`,
};

interface Run {
  readonly workers: number;
  readonly isolate: boolean;
  /** Percent of lines. */
  readonly floor: number;
}

const run = async ({ workers, isolate, floor }: Run) => {
  const root = mkdtempSync(join(tmpdir(), 'svc-coverage-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(root, 'node_modules'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  const outcome = await runTests(root, {
    report: 'coverage',
    parameters: ['--coverage', `--maxWorkers=${workers}`],
    isQuiet: true,
    environment: { ISOLATE: String(isolate), FLOOR: String(floor) },
  });
  const lines = readFileSync(join(root, 'coverage', 'lcov.info'), 'utf8').split('\n');
  return { outcome, counts: lines.filter((line) => line.startsWith('DA:')) };
};

/** Line and how often it ran: three calls, one with a value below 0. */
const counts = ['DA:1,1', 'DA:2,3', 'DA:3,1', 'DA:5,2', 'DA:7,1', 'DA:8,0'];

it('counts what all test files of one process ran', { timeout: 120_000 }, async () => {
  expect(await run({ workers: 1, isolate: false, floor: 80 })).toEqual({ outcome: { passed: 2, failed: 0 }, counts });
});

it.each([
  { title: 'that share files', isolate: false },
  { title: 'of one file each', isolate: true },
])('adds up what processes $title ran, and keeps the floor', { timeout: 120_000 }, async ({ isolate }) => {
  const { outcome, counts: found } = await run({ workers: 2, isolate, floor: 90 });
  expect(found.slice(1, 4)).toEqual(counts.slice(1, 4));
  expect(outcome).toMatchObject({
    passed: 2,
    failed: 1,
    failures: ['ERROR: Coverage for lines (83.33%) does not meet global threshold (90%)'],
  });
});
