import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { leftBehind } from './left-behind.ts';

/** Programs that tests start find what others before them compiled, as on a machine where svc ran before; gone with the checkout. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/**
 * Each test file has a temporary folder of its own. Its hook runs after those of the file: what they left there is a failure,
 * and goes all the same. Other users may pass through the folder, as servers do that refuse to run as root.
 */
const outer = tmpdir();
const folder = mkdtempSync(join(outer, 'svc-tests-'));
chmodSync(folder, 0o755);
process.env['TMPDIR'] = folder;
// Where a program goes that serves several test files.
process.env['SVC_TEST_OUTER'] = outer;
process.env['NODE_COMPILE_CACHE'] = compileCache;
// Vitest sets it where coverage is counted, for its own processes; programs that tests start are not counted.
delete process.env['NODE_DISABLE_COMPILE_CACHE'];

afterAll(() => {
  const left = leftBehind(folder);
  process.env['TMPDIR'] = outer;
  rmSync(folder, { recursive: true, force: true });
  if (left.length > 0) throw new Error(`the tests of this file left behind: ${left.join(', ')}`);
});
