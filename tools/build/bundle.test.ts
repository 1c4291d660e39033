import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundledProgram, noteUser } from './bundle.mjs';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-bundle-'));
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(root, 'node_modules'));
  write('packages/cli/bin/svc.mjs', "import { greeting } from './greeting.ts';\nconsole.log(greeting);\n");
  write('packages/cli/bin/greeting.ts', "export const greeting: string = 'hello';\n");
  write(
    'packages/server/src/store/a-worker.ts',
    "import { parentPort } from 'node:worker_threads';\nparentPort?.close();\n",
  );
  write('packages/server/src/runtime/turn-worker.ts', 'export class TurnWorker {}\n');
  write('packages/server/src/store/migrations/sqlite/0001_first.sql', 'SELECT 1;\n');
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string | Buffer): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

const said = (program: string): string => execFileSync(process.execPath, [program], { encoding: 'utf8' });

describe('the bundled program', () => {
  it('does what the sources do, from a folder of its own', async () => {
    const program = await bundledProgram(root);
    expect(program.startsWith(join(root, 'dist', 'bundles'))).toBe(true);
    expect(said(program)).toBe('hello\n');
  });

  it('brings the modules of threads by their names, and the migrations of each engine', async () => {
    const folder = dirname(await bundledProgram(root));
    expect(existsSync(join(folder, 'a-worker.mjs'))).toBe(true);
    expect(existsSync(join(folder, 'turn-worker.mjs'))).toBe(false);
    expect(existsSync(join(folder, 'sqlite', '0001_first.sql'))).toBe(true);
  });

  it('leaves compiled code of libraries out, which do without it', async () => {
    write('packages/cli/bin/native.node', Buffer.from([0x7f, 0x45, 0xff]));
    write(
      'packages/cli/bin/library.cjs',
      "try { require('./native.node'); } catch { module.exports = 'does without'; }\n",
    );
    write('packages/cli/bin/greeting.ts', "import library from './library.cjs';\nexport const greeting = library;\n");
    expect(said(await bundledProgram(root))).toBe('does without\n');
  });

  it('is text in ASCII that says the same', async () => {
    const source =
      "/* \u2026 */ export const greeting = ['\u{1f375}', `\u201c${1 + 1}\u201d`, /^\u2026[\u{1f375}]$/u.test('\u2026\u{1f375}'), '\u00e9'].join(' ');\n";
    expect(source).toMatch(/[^\0-\x7f]/);
    write('packages/cli/bin/greeting.ts', source);
    const program = await bundledProgram(root);
    expect(said(program)).toBe('\u{1f375} \u201c2\u201d true \u00e9\n');
    for (const file of readdirSync(dirname(program)).filter((name) => name.endsWith('.mjs')))
      expect(readFileSync(join(dirname(program), file), 'utf8')).not.toMatch(/[^\0-\x7f]/);
  });

  it('is built again when a source changed, and the former one stays', async () => {
    const former = await bundledProgram(root);
    const builds = vi.fn();
    expect(await bundledProgram(root, builds)).toBe(former);
    expect(builds).not.toHaveBeenCalled();
    write('packages/cli/bin/greeting.ts', "export const greeting: string = 'good morning';\n");
    const program = await bundledProgram(root, builds);
    expect(builds).toHaveBeenCalledOnce();
    expect([said(former), said(program)]).toEqual(['hello\n', 'good morning\n']);
  });

  it('is built again when a migration changed', async () => {
    const former = await bundledProgram(root);
    write('packages/server/src/store/migrations/sqlite/0001_first.sql', 'SELECT 1; SELECT 2;\n');
    expect(await bundledProgram(root)).not.toBe(former);
  });

  it('is built again when it is gone', async () => {
    const former = await bundledProgram(root);
    rmSync(dirname(former), { recursive: true });
    expect(said(await bundledProgram(root))).toBe('hello\n');
  });

  it('keeps the files of a process that is still running, however old they are', async () => {
    const former = await bundledProgram(root);
    noteUser(former, process.pid);
    utimesSync(dirname(former), 1, 1);
    write('packages/cli/bin/greeting.ts', "export const greeting: string = 'good morning';\n");
    await bundledProgram(root);
    expect(said(former)).toBe('hello\n');
  });

  it('leaves no unfinished files, and removes what was left for more than a day', async () => {
    const bundles = join(root, 'dist', 'bundles');
    for (const name of ['.unfinished-killed', '0123456789abcdef']) {
      mkdirSync(join(bundles, name), { recursive: true });
      utimesSync(join(bundles, name), 1, 1);
    }
    const program = await bundledProgram(root);
    expect(readdirSync(bundles).toSorted()).toEqual([dirname(program).slice(bundles.length + 1), 'newest.json']);
  });
});
