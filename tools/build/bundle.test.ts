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
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
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

const consoleOf = (program: string): string => join(dirname(program), 'console');

/** The one script of the console. */
const scriptOf = (program: string): string => {
  const assets = join(consoleOf(program), 'assets');
  const [name = ''] = readdirSync(assets).filter((file) => file.endsWith('.js'));
  return readFileSync(join(assets, name), 'utf8');
};

const writeConsole = (greeting: string): void => {
  write('packages/console/package.json', '{ "name": "@svc/console", "type": "module" }');
  write('packages/console/tsconfig.json', '{ "compilerOptions": { "jsx": "react-jsx" } }');
  write(
    'packages/console/vite.config.ts',
    'export default { build: { assetsInlineLimit: 0, modulePreload: false } };\n',
  );
  write(
    'packages/console/index.html',
    '<!doctype html><title>svc</title><div id="root"></div><script type="module" src="./src/main.tsx"></script>\n',
  );
  write(
    'packages/console/src/main.tsx',
    `const texts: Record<string, { text: string }> = import.meta.glob('./texts/*.ts', { eager: true });
     document.title = [${JSON.stringify(greeting)}, ...Object.values(texts).map(({ text }) => text)].join();
     document.body.dataset['mode'] = process.env.NODE_ENV;\n`,
  );
};

describe('the console in the bundled program', () => {
  it('is not there where the checkout has none, and comes and goes with its sources', async () => {
    const without = await bundledProgram(root);
    expect(existsSync(consoleOf(without))).toBe(false);
    writeConsole('hello');
    const program = await bundledProgram(root);
    expect(readFileSync(join(consoleOf(program), 'index.html'), 'utf8')).toMatch(/ src="\/assets\/index-[\w-]+\.js"/);
    expect(scriptOf(program)).toContain('hello');
    rmSync(join(root, 'packages/console'), { recursive: true });
    expect(await bundledProgram(root)).toBe(without);
  });

  it('is made for production, whatever the process that builds it is for', async () => {
    writeConsole('hello');
    expect(process.env['NODE_ENV']).toBe('test');
    expect(scriptOf(await bundledProgram(root))).toMatch(/mode=[`"']production/);
  });

  it('is built again when one of its sources changed or a new one came, and only then', async () => {
    writeConsole('hello');
    const former = await bundledProgram(root);
    const builds = vi.fn();
    expect(await bundledProgram(root, builds)).toBe(former);
    expect(builds).not.toHaveBeenCalled();
    writeConsole('good morning');
    const second = await bundledProgram(root);
    expect([scriptOf(former), scriptOf(second)]).toEqual([
      expect.stringContaining('hello'),
      expect.stringContaining('good morning'),
    ]);
    write('packages/console/src/texts/more.ts', "export const text = 'how are you';\n");
    expect(scriptOf(await bundledProgram(root))).toContain('how are you');
  });

  it('is taken from the last bundle when only the program changed', async () => {
    writeConsole('hello');
    const former = await bundledProgram(root);
    writeFileSync(join(consoleOf(former), 'mark'), '');
    write('packages/cli/bin/greeting.ts', "export const greeting: string = 'good morning';\n");
    const program = await bundledProgram(root);
    expect([program === former, existsSync(join(consoleOf(program), 'mark'))]).toEqual([false, true]);
  });

  it('has packed forms of what packs well', async () => {
    writeConsole('hello '.repeat(1_000));
    const program = await bundledProgram(root);
    const script = scriptOf(program);
    const assets = join(consoleOf(program), 'assets');
    const bytesOf = (end: string): Buffer =>
      readFileSync(join(assets, readdirSync(assets).find((name) => name.endsWith(end)) ?? ''));
    expect([brotliDecompressSync(bytesOf('.js.br')).toString(), gunzipSync(bytesOf('.js.gz')).toString()]).toEqual([
      script,
      script,
    ]);
  });

  it('says what is wrong with its sources', async () => {
    writeConsole('hello');
    write('packages/console/src/main.tsx', "import './missing.ts';\n");
    await expect(bundledProgram(root)).rejects.toThrow(/the console could not be built: [\s\S]*missing\.ts/);
  });
});

describe('the chat widget in the bundled program', () => {
  it('is made from its sources, packed, and again when one of them changed', async () => {
    const widgetOf = (program: string): string => join(dirname(program), 'widget', 'svc-chat.js');
    expect(existsSync(widgetOf(await bundledProgram(root)))).toBe(false);
    const lines = Array.from({ length: 200 }, (_, at) => `console.log(text, ${at});`).join('\n');
    write('packages/widget/src/svc-chat.ts', `import { text } from './texts.ts';\n${lines}\n`);
    write('packages/widget/src/texts.ts', "export const text: string = 'may I help?';\n");
    // A program that was built before does not know of it.
    write('packages/cli/bin/greeting.ts', "export const greeting: string = 'hello again';\n");
    const first = await bundledProgram(root);
    expect(readFileSync(widgetOf(first), 'utf8')).toContain('may I help?');
    expect(gunzipSync(readFileSync(`${widgetOf(first)}.gz`)).toString()).toContain('may I help?');
    expect(brotliDecompressSync(readFileSync(`${widgetOf(first)}.br`)).toString()).toContain('may I help?');
    write('packages/widget/src/texts.ts', "export const text: string = 'how are you today?';\n");
    expect(readFileSync(widgetOf(await bundledProgram(root)), 'utf8')).toContain('how are you today?');
  });
});

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
