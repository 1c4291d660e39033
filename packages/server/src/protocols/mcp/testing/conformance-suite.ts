import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The official conformance suites of the protocol: one for the revisions with sessions, one for 2026-07-28. */
export type Suite = '2025' | '2026';

const modules = createRequire(import.meta.url);
const MANIFESTS: Readonly<Record<Suite, string>> = {
  '2025': modules.resolve('@modelcontextprotocol/conformance/package.json'),
  '2026': modules.resolve('conformance-2026/package.json'),
};

/** What is run: everything the older suite has, and everything that the newer revision requires. */
const SELECTIONS: Readonly<Record<Suite, readonly string[]>> = {
  '2025': ['--suite', 'all'],
  '2026': ['--requirements', '2026-07-28'],
};

export interface Verdicts {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

const programOf = (suite: Suite): string => join(dirname(MANIFESTS[suite]), 'dist/index.js');

/** Which scenarios passed and which failed, in the order of the suite; a scenario without checks passes. */
const verdicts = async (suite: Suite, args: readonly string[]): Promise<Verdicts> => {
  const text = await outputOf(suite, [...args, ...SELECTIONS[suite]]);
  const lines = [...text.matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed/gm)];
  const named = (mark: string): string[] => lines.filter((line) => line[1] === mark).map((line) => line[2] ?? '');
  return { passed: named('✓'), failed: named('✗') };
};

/** What the suite writes. It ends with 1 where a scenario fails. */
const outputOf = async (suite: Suite, args: readonly string[]): Promise<string> => {
  const results = await mkdtemp(join(tmpdir(), 'svc-mcp-'));
  try {
    const all = [programOf(suite), ...args, '-o', results];
    return await new Promise<string>((resolve) => {
      execFile(process.execPath, all, { maxBuffer: 10_000_000 }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
  } finally {
    await rm(results, { recursive: true });
  }
};

/** Runs the scenarios of servers against the server at the URL. */
export const serverVerdicts = (url: string, suite: Suite): Promise<Verdicts> =>
  verdicts(suite, ['server', '--url', url]);

/** Runs the scenarios of clients; the command gets the address of the suite's server as its last argument. */
export const clientVerdicts = (command: string, suite: Suite): Promise<Verdicts> =>
  verdicts(suite, ['client', '--command', command, '--timeout', '200000']);

/** True if the client passes one scenario of the older suite that is run alone. */
export const clientPasses = async (command: string, scenario: string): Promise<boolean> =>
  /OVERALL: PASSED/.test(await outputOf('2025', ['client', '--command', command, '--scenario', scenario]));
