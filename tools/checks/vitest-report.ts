/** Tests of one vitest run. `skipped` counts tests that were declared and did not run. */
export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface ReportedFile {
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

/**
 * Adds up a report of vitest's JSON reporter. A file that failed outside its tests (import, setup, hook) counts as one
 * failure, else a file that does not load would only lower the number of passed tests. Throws when it is no such report.
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

function isReport(value: unknown): value is { readonly testResults: readonly ReportedFile[] } {
  return typeof value === 'object' && value !== null && 'testResults' in value && Array.isArray(value.testResults);
}
