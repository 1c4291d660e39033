import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TestProgress } from './test-progress.ts';
import { judgeRun, runTests } from './vitest-run.ts';

const nothing: TestProgress = { passed: 0, failed: 0, skipped: 0, planned: 0, begun: 0, open: [] };
const report = (...statuses: string[]): string =>
  JSON.stringify({ testResults: [{ status: 'passed', assertionResults: statuses.map((status) => ({ status })) }] });

describe('what a run comes to', () => {
  it('is what its report says', () => {
    expect(judgeRun({ exitCode: 0, output: '' }, nothing, report('passed', 'passed'))).toEqual({
      passed: 2,
      failed: 0,
    });
    expect(judgeRun({ exitCode: 1, output: '' }, nothing, report('passed', 'failed', 'skipped'))).toEqual({
      ...{ passed: 1, failed: 1, note: '1 skipped' },
    });
  });

  it('is one failure more when the report does not explain the exit code', () => {
    const reason = 'ERROR: Coverage for lines (89%) does not meet global threshold (90%)';
    expect(judgeRun({ exitCode: 1, output: `below\n${reason}\n` }, nothing, report('passed'))).toEqual({
      passed: 1,
      failed: 1,
      note: 'an error outside the tests, or coverage below its floor',
      failures: [reason],
    });
    const killed = judgeRun(
      { exitCode: 1, output: '', killed: 'stopped at its time limit' },
      nothing,
      report('passed'),
    );
    expect(killed).toEqual({ passed: 1, failed: 1, note: 'stopped at its time limit' });
  });

  it('is, without a report, what had ended, and a failure for each file that had not', () => {
    const open = [
      { file: 'a.test.ts', tests: 3, newest: 'is kept' },
      { file: 'b.test.ts', tests: 0 },
    ];
    const progress = { ...nothing, passed: 40, failed: 1, planned: 9, begun: 5, open };
    expect(judgeRun({ exitCode: 1, output: '', killed: 'stopped at its time limit' }, progress, undefined)).toEqual({
      passed: 40,
      failed: 3,
      note: 'stopped at its time limit; 4 of 9 files not begun; not ended: a.test.ts, b.test.ts',
      output: [
        'a.test.ts began and did not end; 3 of its tests did, the last: is kept',
        'b.test.ts began and did not end; none of its tests did',
      ].join('\n'),
    });
  });

  it('is a failure, without a report, also when every file ended', () => {
    expect(judgeRun({ exitCode: 0, output: '' }, { ...nothing, passed: 7 }, undefined)).toEqual({
      ...{ passed: 7, failed: 1, note: 'vitest ended without a report' },
    });
  });
});

describe('vitest', () => {
  const run = async (source: string, patience: number) => {
    const root = mkdtempSync(join(tmpdir(), 'svc-checks-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(root, 'node_modules'));
    writeFileSync(join(root, 'only.test.ts'), `import { expect, it } from 'vitest';\n${source}`);
    const limits = { limitMs: 60_000, lookMs: 10, patience };
    return runTests(root, { report: 'only', parameters: ['--maxWorkers=1'], isQuiet: true }, limits);
  };

  it('is stopped when a test holds its process, and the file is named', async () => {
    const spin = 'it("ends", () => {});\nit("spins", async () => { for (;;) await Promise.resolve(); });';
    const outcome = await run(spin, 10);
    expect(outcome).toMatchObject({
      failed: 1,
      note: 'stopped: no test ended for 0.1 s; not ended: only.test.ts',
      output: expect.stringContaining('only.test.ts began and did not end'),
    });
  });

  it('names the file whose process died', async () => {
    const outcome = await run('it("dies", () => { process.kill(process.pid, "SIGKILL"); });', 6_000);
    expect(outcome).toMatchObject({ passed: 0, failed: 1, note: expect.stringContaining('not ended: only.test.ts') });
  });

  it('says which error outside the tests it was', async () => {
    const late =
      'setTimeout(() => { throw new Error("late failure"); }, 1); await new Promise((r) => setTimeout(r, 20));';
    const outcome = await run(`it("ends", async () => { ${late} });`, 6_000);
    const failures = [expect.stringMatching(/^Uncaught Exception: Error: late failure\n/)];
    expect(outcome).toMatchObject({ passed: 1, failed: 1, failures });
  });

  it('counts the tests that ended, by its report', async () => {
    const outcome = await run('it("ends", () => {});\nit("fails", () => { expect(1).toBe(2); });', 6_000);
    const failures = [expect.stringMatching(/^fails: AssertionError: expected 1 to be 2/)];
    expect(outcome).toEqual({ passed: 1, failed: 1, failures });
  });
});
