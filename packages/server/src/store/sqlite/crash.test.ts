import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { key } from '../conformance/index.ts';
import { makeTestStore } from './testing/test-store.ts';

/** Acknowledged writes after which the writer is killed: enough for several checkpoints of each kind. */
const WRITES = [1, 700, 3_000, 5_000];

/** Ends a writer that hangs. Thousands of synced writes take 20 s where other programs use the processors, and longer at a slow disk. */
const HANGS_MS = 180_000;

/** Starts a writer, kills it with SIGKILL after that many acknowledgements, answers all it had printed. */
const killAfter = (dataDir: string, prefix: string, count: number): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const writer = join(import.meta.dirname, 'testing', 'crash-writer.ts');
    const child = spawn(process.execPath, [writer, dataDir, prefix], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.split('\n').length > count) child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on('close', (code) => {
      if (code !== null) reject(new Error(`the writer ended by itself: ${errors}`));
      else resolve(printed.split('\n').slice(0, -1));
    });
  });

describe('a process killed while it writes and checkpoints', () => {
  it('leaves every acknowledged write in a database that is whole', { timeout: HANGS_MS }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-crash-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const acknowledged: string[] = [];
    for (const [round, count] of WRITES.entries()) {
      acknowledged.push(...(await killAfter(dataDir, `round${round}`, count)));
      const { store } = await makeTestStore({ dataDir });
      for (const name of acknowledged) {
        const found = await store.direct.resources.get(key(name));
        expect(found?.spec, name).toContain(name);
        expect(await store.direct.instance.value(name)).toBe(name);
      }
      const changes = await store.direct.resources.changes(0, 1_000_000);
      expect(changes.map((change) => change.version)).toEqual(changes.map((_, index) => index + 1));
      await store.close();
      const database = new DatabaseSync(join(dataDir, 'svc.db'));
      expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      database.close();
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(WRITES.reduce((sum, count) => sum + count, 0));
  });
});
