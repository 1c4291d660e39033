import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ServerProcess } from './server-process/index.ts';

it('a server that is killed leaves the code that it compiled to the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-compiled-'));
  try {
    await using server = await ServerProcess.start({ environment: { NODE_COMPILE_CACHE: folder } });
    await server.kill();
    // A start loads 50 files; without the write at the start the folder holds one empty folder for this version of Node.js.
    expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(30);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
