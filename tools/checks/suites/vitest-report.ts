/** Tests of one vitest run. `skipped` counts tests that were declared and did not run. */
interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface ReportedFile {
  readonly status: string;
  readonly name?: string;
  /** Why the file failed outside its tests. */
  readonly message?: string;
  readonly assertionResults: readonly ReportedTest[];
}

interface ReportedTest {
  readonly status: string;
  readonly fullName?: string;
  readonly failureMessages?: readonly string[];
}

/** Failed tests that are named again at the end of a run, and characters of what each says. */
const NAMED = 20;
const MESSAGE_CHARS = 600;

/**
 * Adds up a report of vitest's JSON reporter. A file that failed outside its tests (import, setup, hook) counts as one
 * failure, else a file that does not load would only lower the number of passed tests. Throws when it is not such a report.
 */
export function readTotals(json: string): TestTotals {
  const report: unknown = JSON.parse(json);
  if (!isReport(report)) throw new Error('not a report of the vitest JSON reporter');
  const statuses = report.testResults.flatMap((file) => file.assertionResults.map((test) => test.status));
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed: failed + brokenFiles.length, skipped: statuses.length - passed - failed };
}

/** Each failed test, and each file that failed outside its tests, with the beginning of its message; up to 20, of a report that `readTotals` took. */
export function readFailures(json: string): readonly string[] {
  const { testResults } = JSON.parse(json) as { readonly testResults: readonly ReportedFile[] };
  const tests = testResults
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === 'failed' && test.fullName !== undefined)
    .map((test) => ({ name: test.fullName, message: (test.failureMessages ?? []).join('\n') }));
  const files = testResults.filter(({ status, message = '' }) => status === 'failed' && message !== '');
  return [...tests, ...files]
    .slice(0, NAMED)
    .map(({ name, message = '' }) => `${name}: ${message.slice(0, MESSAGE_CHARS)}`);
}

function isReport(value: unknown): value is { readonly testResults: readonly ReportedFile[] } {
  return typeof value === 'object' && value !== null && 'testResults' in value && Array.isArray(value.testResults);
}
