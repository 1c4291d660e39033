import { describe, expect, it } from 'vitest';
import { readReasons } from './vitest-output.ts';

const errors = `
⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯

Vitest caught 2 unhandled errors during the test run.
This might cause false positive tests. Resolve unhandled errors to make sure your tests are not affected.

⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
Error: nobody waits
 ❯ a.test.ts:2:105

This error originated in "a.test.ts" test file.

⎯⎯⎯⎯⎯⎯ Uncaught Exception ⎯⎯⎯⎯⎯⎯
Error: late failure
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯

 Test Files  1 passed (1)
`;

describe('why a run failed although no test did', () => {
  it('is each floor that was not reached', () => {
    const output = [
      '=== Coverage summary ===',
      '\u001B[31mERROR: Coverage for lines (89.2%) does not meet global threshold (90%)\u001B[39m',
      'ERROR: Uncovered branches (3) exceed "packages/server/src/base/**" threshold (2)',
      'JSON report written to unit.json',
    ].join('\n');
    expect(readReasons(output)).toEqual([
      'ERROR: Coverage for lines (89.2%) does not meet global threshold (90%)',
      'ERROR: Uncovered branches (3) exceed "packages/server/src/base/**" threshold (2)',
    ]);
  });

  it('is each error outside the tests, with what is said of it', () => {
    expect(readReasons(errors)).toEqual([
      'Unhandled Rejection: Error: nobody waits\n ❯ a.test.ts:2:105\n\nThis error originated in "a.test.ts" test file.',
      'Uncaught Exception: Error: late failure',
    ]);
  });

  it('is the end of what it printed when it names no reason', () => {
    expect(readReasons(`${'x'.repeat(2000)}\nSegmentation fault\n`)).toEqual([
      `the output ends with: ${'x'.repeat(781)}\nSegmentation fault`,
    ]);
  });

  it('is cut to what a log has room for', () => {
    const many = Array.from({ length: 11 }, () => `ERROR: Uncovered ${'x'.repeat(1000)}`).join('\n');
    const reasons = readReasons(many);
    expect(reasons.map(({ length }) => length)).toEqual([800, 800, 800, 800, 800, 800, 800, 800, 800, 800]);
  });
});
