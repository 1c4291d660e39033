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

const PASSED = [
  ...['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  ...['auth/metadata-default', 'auth/metadata-var1', 'auth/metadata-var2', 'auth/metadata-var3', 'auth/basic-cimd'],
  ...['auth/scope-from-www-authenticate', 'auth/scope-from-scopes-supported', 'auth/scope-omitted-when-undefined'],
  ...['auth/scope-retry-limit', 'auth/token-endpoint-auth-basic', 'auth/token-endpoint-auth-post'],
  ...['auth/token-endpoint-auth-none', 'auth/resource-mismatch', 'auth/offline-access-scope'],
  'auth/offline-access-not-supported',
];
/** Scenarios that are not run, by the beginning of their names, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'auth/scope-step-up': 'a server that wants more scopes later is denied: the person signs in again by hand',
  'auth/pre-registration': 'clients are known by their metadata document or register themselves; none is declared',
  'auth/2025-03-26': 'authorization servers that do not say that they support PKCE are refused',
  'auth/client-credentials': 'an extension: svc has no credentials of its own at servers, people sign in',
  'auth/cross-app-access': 'an extension: identities are not exchanged between authorization servers',
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

it('passes the scenarios of clients', SLOW, async () => {
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
