import { appendFileSync } from 'node:fs';
import process from 'node:process';
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';
import type { ProgressLine } from './test-progress.ts';

/** Names the file that the lines of test-progress.ts are added to. */
const PROGRESS_VARIABLE = 'SVC_TEST_PROGRESS';

/** Writes down at once what vitest's own reporters tell at the end, for a run that has no end of its own. */
// biome-ignore lint/style/noDefaultExport: vitest calls the default export of a reporter.
export default class ProgressReporter implements Reporter {
  onTestRunStart(specifications: readonly TestSpecification[]): void {
    write({ event: 'planned', files: specifications.length });
  }

  /** The file is about to be loaded by its worker. */
  onTestModuleQueued(module: TestModule): void {
    write({ event: 'begun', file: module.relativeModuleId });
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    write({ event: 'test', file: test.module.relativeModuleId, state, title: test.fullName });
  }

  onTestModuleEnd(module: TestModule): void {
    write({ event: 'ended', file: module.relativeModuleId, state: module.state() });
  }
}

function write(line: ProgressLine): void {
  const file = process.env[PROGRESS_VARIABLE];
  if (file === undefined) throw new Error(`${PROGRESS_VARIABLE} names no file`);
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
