import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONFORMANCE_SUITE as SUITE } from './testing/conformance-suite.ts';

const CLIENT = fileURLToPath(new URL('./testing/conformance-client.ts', import.meta.url));
const SLOW = { timeout: 120_000 };

const PASSED = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'];
/** Scenarios that are not run, by the beginning of their names, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'auth/': 'svc does not sign in by OAuth: servers get the headers that were declared, or a token of a broker',
};

const run = promisify(execFile);
let results = '';

beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), 'svc-mcp-'));
});
afterAll(() => rm(results, { recursive: true }));

it('knows of every scenario of the suite whether it is run, and why not', SLOW, async () => {
  const { stdout } = await run(process.execPath, [SUITE, 'list', '--client']);
  const names = [...stdout.matchAll(/^\s+- (\S+)/gm)].map(([, name = '']) => name);
  const others = names.filter((name) => !Object.keys(LEFT_OUT).some((start) => name.startsWith(start)));
  expect(others).toEqual(PASSED);
});

it('passes the scenarios of clients that need no sign-in', SLOW, async () => {
  const verdicts = PASSED.map(async (scenario) => {
    const command = `${process.execPath} ${CLIENT}`;
    const { stdout, stderr } = await run(
      process.execPath,
      [SUITE, 'client', '--command', command, '--scenario', scenario, '-o', results, '--timeout', '100000'],
      { maxBuffer: 10_000_000 },
    );
    return `${scenario}: ${/OVERALL: (\w+)/.exec(stdout + stderr)?.[1]}`;
  });
  expect(await Promise.all(verdicts)).toEqual(PASSED.map((scenario) => `${scenario}: PASSED`));
});
