import { expect, it } from 'vitest';
import { readFailures, readTotals } from './vitest-report.ts';

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

it('names failed tests with the beginning of what they say', () => {
  const failed = {
    status: 'failed',
    fullName: 'files are kept',
    failureMessages: [`expected 1 to be 2${'x'.repeat(900)}`],
  };
  const testResults = [{ status: 'failed', assertionResults: [{ status: 'passed', fullName: 'other' }, failed] }];
  expect(readFailures(JSON.stringify({ testResults }))).toEqual([
    `files are kept: expected 1 to be 2${'x'.repeat(582)}`,
  ]);
});

it('names a file that failed outside its tests', () => {
  const testResults = [{ status: 'failed', name: 'a.test.ts', message: 'no such module', assertionResults: [] }];
  expect(readFailures(JSON.stringify({ testResults }))).toEqual(['a.test.ts: no such module']);
});

it('refuses text that is no report', () => {
  expect(() => readTotals('{"numPassedTests": 3}')).toThrow('not a report');
});
