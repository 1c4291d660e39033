// @service node20
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../bin', import.meta.url));

/** A Node.js on the search path that is older than svc needs. */
const older = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((path) => existsSync(path))
  .map((path) => ({ path, version: spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1) }))
  .find(({ version }) => /^(?:1[4-9]|2[0-5])\./.test(version));

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'svc-node-version-'));
});
afterAll(() => rmSync(place, { recursive: true }));

/** The command, installed where no package `node` is. */
const alone = (): string => {
  const folder = join(mkdtempSync(join(place, 'svc-')), 'bin');
  cpSync(bin, folder, { recursive: true });
  return folder;
};

/** The command, installed together with a package `node` whose program is a script. */
const together = (script: string): string => {
  const folder = alone();
  const node = join(folder, '..', 'node_modules', 'node');
  mkdirSync(join(node, 'bin'), { recursive: true });
  writeFileSync(join(node, 'package.json'), '{"name":"node"}');
  writeFileSync(join(node, 'bin', 'node'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
};

const runOn = (node: string, folder: string) =>
  spawnSync(node, [join(folder, 'svc.mjs'), 'version', '-o', 'json'], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  });

describe.skipIf(older === undefined)('svc on a Node.js that is too old', () => {
  const { path = '', version = '' } = older ?? {};

  it('says in one sentence what it needs and what to do', () => {
    expect(runOn(path, alone())).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `svc needs Node.js 26 or newer; this is ${version}: install it, or run \`npm install node@26\` where svc is installed\n`,
    });
  });

  it('runs on the Node.js of the npm package, with the same words and exit code', () => {
    const folder = together('[ "$1" = --version ] && echo v26.1.0 && exit; shift; echo "ran $*"; exit 5');
    expect(runOn(path, folder)).toMatchObject({ status: 5, stdout: 'ran version -o json\n', stderr: '' });
  });

  it.each(['stdin', 'stdout', 'stderr'])(
    'leaves Ctrl-C to the terminal when %s is one, and forwards other signals',
    async (stream) => {
      const ends = 'process.on("SIGINT", () => process.exit(9)).on("SIGTERM", () => process.exit(8));';
      const script = `${ends} setInterval(() => {}, 1000); console.log("up");`;
      const folder = together(
        `[ "$1" = --version ] && echo v26.1.0 && exit; exec '${process.execPath}' -e '${script}'`,
      );
      const terminal = join(folder, 'terminal.cjs');
      writeFileSync(terminal, `process.${stream}.isTTY = true;`);
      const child = spawn(path, ['--require', terminal, join(folder, 'svc.mjs')], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: '/usr/bin:/bin' },
      });
      child.stdout.once('data', () => {
        child.kill('SIGINT');
        child.kill('SIGTERM');
      });
      expect(await once(child, 'exit')).toEqual([8, null]);
    },
  );

  it('does not take an npm package that is too old itself', () => {
    const outcome = runOn(path, together('echo v22.0.0'));
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toContain('svc needs Node.js 26');
  });

  it('runs in the checkout as it is', () => {
    const outcome = runOn(path, bin);
    expect(outcome.stderr).toBe('');
    expect(JSON.parse(outcome.stdout)).toMatchObject({ client: '0.1.0', node: expect.stringMatching(/^v?26\./) });
  });
});
