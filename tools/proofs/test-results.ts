import { posix } from 'node:path';

/** How one test of a run ended. `file` is relative to the checkout. */
export interface TestResult {
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

interface ReportedFile {
  readonly name: string;
  readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
}

/** Tests of a report of vitest's JSON reporter; skipped ones too, with their status. */
export function readResults(json: string, root: string): readonly TestResult[] {
  const { testResults } = JSON.parse(json) as { readonly testResults: readonly ReportedFile[] };
  return testResults.flatMap(({ name, assertionResults }) => {
    const file = posix.relative(root.replaceAll('\\', '/'), name.replaceAll('\\', '/'));
    return assertionResults.map(({ title, status }) => ({ file, title, status }));
  });
}
