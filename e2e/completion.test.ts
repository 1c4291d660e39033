// @service zsh
// @service fish
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, Home } from './command-line/index.ts';
import { ServerProcess } from './server-process/index.ts';

let home: Home;
let server: ServerProcess;
beforeAll(async () => {
  home = new Home();
  server = await ServerProcess.start();
  const svc = async (...words: string[]) => home.run(words, { SVC_SERVER: server.url }).ended();
  await svc('create', 'namespace', 'acme:red', '--recursive');
  await svc('create', 'agent', 'helper', '-n', 'acme:red');
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** A shell that the machine has, in CI even must have. */
const found = (name: string): string | undefined => process.env[`SVC_SERVICE_${name.toUpperCase()}`] ?? which(name);

const which = (name: string): string | undefined => {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

const shells = [
  { name: 'bash', flags: '--norc --noprofile -i', setUp: 'source <(svc completion bash)' },
  { name: 'zsh', flags: '-f -i', setUp: 'autoload -Uz compinit; compinit -u -D; source <(svc completion zsh)' },
  { name: 'fish', flags: '--no-config -i', setUp: 'svc completion fish | source' },
];

/** Lines typed before completion counts as broken: names of a busy server may come later than a key press may wait. */
const TRIES = 10;
const TAB = '\t';
const CTRL_U = '\u0015';

/** Types a line that is only right when its tabulators complete it; the answer is what it printed. */
const runs = async (shell: Command, line: string, printed: RegExp): Promise<string> => {
  for (let attempt = 1; ; attempt++) {
    const from = (shell.stdout + shell.stderr).length;
    shell.write(`${line}\n`);
    const text = await shell.shows(new RegExp(`${printed.source}|svc:.*\n`), from);
    if (printed.test(text) || attempt === TRIES) return text;
  }
};

describe.each(shells)('completion in $name', ({ name, flags, setUp }) => {
  const path = found(name);

  it.skipIf(path === undefined && process.env['CI'] !== 'true')(
    'offers kinds, flags and the names of a running server (PL-18.50)',
    async () => {
      const shell = home.runShell(`${path} ${flags}`, { SVC_SERVER: server.url, TERM: 'xterm' });
      shell.write(
        `${setUp}; echo is-$((40 + 2))\n`.replace('$((40 + 2))', name === 'fish' ? '(math 40 + 2)' : '$((40 + 2))'),
      );
      await shell.shows('is-42');
      expect(await runs(shell, `svc get namesp${TAB}`, /acme:red +Ready/)).toContain('acme:red');
      expect(await runs(shell, `svc get agents -A --show-m${TAB}`, /MANAGED/)).toContain('helper');
      const from = (shell.stdout + shell.stderr).length;
      shell.write(`svc create ${TAB}${TAB}`);
      await shell.shows(/apikey[\s\S]*session|session[\s\S]*apikey/, from);
      shell.write(CTRL_U);
      expect(await runs(shell, `svc -n acme:r${TAB} get agents hel${TAB}`, /helper +Ready/)).toMatch(/helper +Ready/);
      shell.write('exit\n');
      await shell.ended();
    },
  );
});
