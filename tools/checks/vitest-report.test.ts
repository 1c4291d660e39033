import { expect, it } from 'vitest';
import { readTotals } from './vitest-report.ts';

const report = (...files: { status: string; tests: string[] }[]): string =>
  JSON.stringify({
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((test) => ({ status: test })),
    })),
  });

it('adds up the tests of all files', () => {
  const text = report(
    { status: 'failed', tests: ['passed', 'failed'] },
    { status: 'passed', tests: ['passed', 'skipped', 'todo'] },
  );
  expect(readTotals(text)).toEqual({ passed: 2, failed: 1, skipped: 2 });
});

it('counts a file that failed outside its tests as one failure', () => {
  expect(readTotals(report({ status: 'failed', tests: [] }))).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

it('refuses text that is no report', () => {
  expect(() => readTotals('{"numPassedTests": 3}')).toThrow('not a report');
});
