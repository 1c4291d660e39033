import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './install.mjs';
import { runShown } from './progress.mjs';

const E = '\u001b[K';
const speaking = ['-e', "console.log('one'); console.error('two'); process.exitCode = 3;"];

/** A terminal that keeps what was written to it. */
const terminalOf = (columns: number) => {
  const written: string[] = [];
  return { isTTY: true, columns, written, write: (piece: string) => written.push(piece) };
};

describe('a long step', () => {
  it('has a line on a terminal, with the output of the command above it, and takes the line away', async () => {
    const output = terminalOf(80);
    let now = 5_000;
    let writtenAtEnd = 0;
    const everySecond = (draw: () => void) => {
      now += 1_000;
      draw();
      return () => {
        writtenAtEnd = output.written.length;
      };
    };
    const shown = { label: 'working', output, everySecond, nowMs: () => now };
    expect(await runShown(process.execPath, speaking, shown)).toBe(3);
    expect(output.written.slice(0, 2)).toEqual([`\rworking  0 s${E}`, `\rworking  1 s${E}`]);
    for (const line of ['one', 'two']) expect(output.written.join('')).toContain(`\r${E}${line}\n\rworking  1 s${E}`);
    expect(output.written.slice(writtenAtEnd)).toEqual([`\r${E}`]);
  });

  it.each([
    [12, 'workin  0 s'],
    [0, 'working long  0 s'],
  ])(
    'keeps to one row of a terminal with %d columns, where 0 means unknown, and its time in sight',
    async (columns, line) => {
      const output = terminalOf(columns);
      await runShown(process.execPath, ['-e', ''], { label: 'working long', output, nowMs: () => 0 });
      expect(output.written[0]).toBe(`\r${line}${E}`);
    },
  );

  it('throws when its command is not there, and leaves no line', async () => {
    const output = terminalOf(80);
    await expect(runShown('no-such-command', [], { label: 'working', output })).rejects.toThrow('ENOENT');
    expect(output.written.at(-1)).toBe(`\r${E}`);
  });
});

describe('npm start in a new checkout', () => {
  const label = 'svc: installing npm packages (first start or a new package-lock.json)';
  let checkout = '';
  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'svc-first-start-'));
    cpSync(join(root, 'tools', 'bootstrap'), join(checkout, 'tools', 'bootstrap'), { recursive: true });
    for (const folder of ['packages/cli/bin', 'tools/build']) mkdirSync(join(checkout, folder), { recursive: true });
    const major = process.versions.node.split('.')[0];
    const files = {
      'package.json': JSON.stringify({ dependencies: { node: `${major}.0.0` } }),
      'package-lock.json': JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
      'tools/build/bundle.mjs': `console.log(${JSON.stringify(join(checkout, 'bundled.mjs'))});`,
      'bundled.mjs': "console.log('started', process.argv.slice(2).join());",
      'packages/cli/bin/svc.mjs': "console.log('started from sources', process.argv.slice(2).join());",
      'npm-cli.js': "console.error('npm warn a word of npm'); console.log('added 1 package in 3s');",
      'at-a-terminal.mjs': 'process.stderr.isTTY = true;',
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(checkout, name), content);
  });
  afterEach(() => rmSync(checkout, { recursive: true, force: true }));

  const start = async (...flags: string[]) => {
    const words = [...flags, join(checkout, 'tools', 'bootstrap', 'start.mjs'), '--no-open'];
    const child = spawn(process.execPath, words, {
      env: { ...process.env, npm_execpath: join(checkout, 'npm-cli.js') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { out, err };
  };

  it('says in one plain line that packages are installed', async () => {
    const { out, err } = await start();
    expect(out).toBe('started up,--no-open\n');
    expect(err.split('\n').toSorted()).toEqual(['', 'added 1 package in 3s', 'npm warn a word of npm', `${label} ...`]);
  });

  it('shows at a terminal for how long they are being installed', async () => {
    const { out, err } = await start('--import', pathToFileURL(join(checkout, 'at-a-terminal.mjs')).href);
    expect(out).toBe('started up,--no-open\n');
    expect(err.startsWith(`\r${label}  `)).toBe(true);
    expect(err).toContain(`\r${E}npm warn a word of npm\n`);
    expect(err.endsWith(`\r${E}`)).toBe(true);
  });

  it('runs the sources where the program cannot be bundled, and says so', async () => {
    writeFileSync(join(checkout, 'tools/build/bundle.mjs'), "console.error('no bundler here'); process.exitCode = 1;");
    const { out, err } = await start();
    expect(out).toBe('started from sources up,--no-open\n');
    expect(err).toContain('no bundler here\nsvc: the program could not be bundled (see above); running its sources');
  });

  it('ends with a sentence when npm fails', async () => {
    writeFileSync(join(checkout, 'npm-cli.js'), "console.error('npm error no network'); process.exitCode = 1;");
    const { out, err } = await start();
    expect(out).toBe('');
    expect(err).toBe(`${label} ...\nnpm error no network\nsvc: npm ci failed: see its messages above\n`);
  });
});
