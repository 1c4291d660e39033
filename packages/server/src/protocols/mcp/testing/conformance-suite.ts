import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The official conformance suite of the protocol, as a program. */
export const CONFORMANCE_SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** Which scenarios of servers the server at the URL passes, and which it fails; a scenario without checks passes. */
export const serverVerdicts = async (
  url: string,
): Promise<{ readonly passed: string[]; readonly failed: string[] }> => {
  const results = await mkdtemp(join(tmpdir(), 'svc-mcp-'));
  try {
    const args = [CONFORMANCE_SUITE, 'server', '--url', url, '--suite', 'all', '-o', results];
    const text = await new Promise<string>((resolve) => {
      // The program ends with 1 where a scenario fails; what it writes says which.
      execFile(process.execPath, args, { maxBuffer: 10_000_000 }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
    const lines = [...text.matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed/gm)];
    const named = (mark: string): string[] => lines.filter((line) => line[1] === mark).map((line) => line[2] ?? '');
    return { passed: named('✓'), failed: named('✗') };
  } finally {
    await rm(results, { recursive: true });
  }
};
