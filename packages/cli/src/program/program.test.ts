import type { ClientOptions } from '@svc/client';
import { createPlainClient } from '@svc/client/plain';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { kindOf, kinds } from '../kinds/index.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

describe('the command line', () => {
  it('lists all commands with --help, on standard output', async () => {
    const fake = fakeHost();
    expect(await fake.run('--help')).toBe(0);
    for (const command of [
      'up',
      'serve',
      'chat',
      'get',
      'create',
      'delete',
      'describe',
      'send',
      'session',
      'whoami',
      'config',
      'doctor',
      'version',
      'completion',
    ]) {
      expect(fake.out()).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
  });

  it('lists all commands in their groups, without a command too', async () => {
    const fake = fakeHost();
    expect(await fake.run()).toBe(0);
    expect([...fake.out().matchAll(/^(\w.*):$/gm)].map(([, heading]) => heading)).toEqual([
      ...['Options', 'Servers', 'Backups and migrations', 'You and where you are', 'Manifests'],
      ...['Any kind of resource', 'Conversations', 'What agents read and make', 'What runs', 'Commands'],
    ]);
    const group = fakeHost();
    expect([await group.run('session'), group.out()]).toEqual([exitCodes.refused, '']);
    expect(group.err()).toMatch(/^Usage: svc session [\s\S]*\n {2}help \[command\] .*\n$/);
  });

  it('lists the words for kinds, all that there are', async () => {
    const fake = fakeHost();
    await fake.run('describe', '--help');
    const [, listed = ''] = /^Kinds: ([\s\S]*);/m.exec(fake.out()) ?? [];
    const words = listed.replace(/[()]/g, ' ').split(/[\s,]+/);
    expect(words.filter((word) => kindOf(word).words.includes(word))).toEqual(words);
    expect(new Set(words.map((word) => kindOf(word).name)).size).toBe(kinds.length);
  });

  it('suggests the command that was meant', async () => {
    const fake = fakeHost();
    expect(await fake.run('caht')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('Did you mean chat?');
  });

  it('tells its version without a server, wherever it is asked', async () => {
    for (const words of [['--version'], ['-V'], ['get', '--version']]) {
      const fake = fakeHost();
      expect([await fake.run(...words), fake.out(), fake.calls]).toEqual([0, 'svc 0.1.0\n', []]);
    }
  });

  it('offers -f where a file stands without it', async () => {
    const fake = fakeHost();
    expect(await fake.run('apply', 'team.yaml')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('try: svc apply -f team.yaml\n');
    const other = fakeHost();
    await other.run('version', 'now');
    expect(other.err()).toContain('try: svc version --help\n');
  });

  it('says what to do when no server is there', async () => {
    const fake = fakeHost();
    const fetch: typeof globalThis.fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }));
    const host = {
      ...fake.host,
      createPlainClient: (options: ClientOptions) =>
        Promise.resolve(createPlainClient({ ...options, fetch, retry: { tries: 1 } })),
    };
    const { runCommandLine } = await import('./program.ts');
    expect(await runCommandLine(['get', 'agents'], host)).toBe(exitCodes.connection);
    expect(fake.err()).toBe(
      'svc: cannot reach http://127.0.0.1:7420 (ECONNREFUSED)\n  try: start a server with `svc up`, or name another one with --server or `svc login`\n',
    );
  });

  it.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'that server speaks http, not https'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS=FILE'],
    ['ECONNRESET', 'the server may be restarting'],
  ])('says what to do when a connection fails with %s', async (code, advice) => {
    const fake = fakeHost();
    const fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) }));
    const createOne = (options: ClientOptions) =>
      Promise.resolve(createPlainClient({ ...options, fetch, retry: { tries: 1 } }));
    const { runCommandLine } = await import('./program.ts');
    const host = { ...fake.host, createPlainClient: createOne };
    expect(await runCommandLine(['get', 'agents'], host)).toBe(exitCodes.connection);
    expect(fake.err()).toContain(`(${code})\n  try: ${advice}`);
  });

  it.each([
    ['ROUTE_UNKNOWN', [], 'write the address without a path'],
    ['FIELD_INVALID', ['kind'], '`svc get --help` lists the kinds'],
  ])('says what to do after %s of %j', async (reason, fields, advice) => {
    const refused = (): never => {
      throw new FakeFault(fields.length === 0 ? 'NOT_FOUND' : 'INVALID_ARGUMENT', reason, { fields });
    };
    const fake = fakeHost({ handlers: { unary: { ListResources: refused } } });
    expect(await fake.run('get', 'Agnt')).toBe(exitCodes.refused);
    expect(fake.err()).toContain(`\n  try: ${advice}`);
  });

  it('ends with the numbers that scripts know (PL-13)', () => {
    expect(exitCodes).toEqual({
      ok: 0,
      refused: 1,
      partial: 2,
      connection: 3,
      notFound: 4,
      timeout: 5,
      interrupted: 130,
    });
  });

  it.each([
    ['NOT_FOUND', 'AGENT_NOT_FOUND', exitCodes.notFound],
    ['UNAUTHENTICATED', 'CREDENTIALS_MISSING', exitCodes.connection],
    ['PERMISSION_DENIED', 'ROLE', exitCodes.connection],
    ['DEADLINE_EXCEEDED', 'DEADLINE', exitCodes.timeout],
    ['INVALID_ARGUMENT', 'FIELD_INVALID', exitCodes.refused],
    ['INTERNAL', 'INTERNAL', exitCodes.refused],
  ] as const)('ends with the exit code of %s', async (code, reason, exit) => {
    const fake = fakeHost({
      handlers: {
        unary: {
          GetAgent: () => {
            throw new FakeFault(code, reason);
          },
        },
      },
    });
    expect(await fake.run('get', 'agent', 'x')).toBe(exit);
    expect(fake.err()).toContain(reason);
  });

  it('lists every refused field, and names a single one by its own word', async () => {
    const refusing = (fields: readonly string[]) =>
      fakeHost({
        handlers: {
          unary: {
            CreateAgent: () => {
              throw new FakeFault('INVALID_ARGUMENT', 'FIELD_INVALID', { fields: [...fields] });
            },
          },
        },
      });
    const many = refusing(['a', 'b']);
    expect(await many.run('create', 'agent', 'x')).toBe(exitCodes.refused);
    expect(many.err()).toBe(
      'svc: 2 fields are refused (FIELD_INVALID)\n  a: is wrong (WRONG)\n  b: is wrong (WRONG)\n',
    );
    const one = refusing(['a']);
    expect(await one.run('create', 'agent', 'x')).toBe(exitCodes.refused);
    expect(one.err()).toMatch(/^svc: .* \(WRONG\)\n$/);
  });

  it('shows the request id of what only the log can explain', async () => {
    const fake = fakeHost({
      handlers: {
        unary: {
          GetAgent: () => {
            throw new FakeFault('INTERNAL', 'INTERNAL');
          },
        },
      },
    });
    await fake.run('get', 'agent', 'x');
    expect(fake.err()).toContain('  request req-1\n');
  });

  it('waits no longer than --timeout, which is exit code 5', async () => {
    const { runCommandLine } = await import('./program.ts');
    const fake = fakeHost();
    const limits: (number | undefined)[] = [];
    const clock = {
      nowMs: () => 0,
      after: (_delayMs: number, fire: () => void) => {
        const timer = setImmediate(fire);
        return () => clearImmediate(timer);
      },
    };
    const fetch: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
      );
    const host = {
      ...fake.host,
      createPlainClient: (options: ClientOptions) => {
        limits.push(options.timeoutMs);
        return Promise.resolve(createPlainClient({ ...options, fetch, clock }));
      },
    };
    expect(await runCommandLine(['get', 'agents', '--timeout', '2s'], host)).toBe(exitCodes.timeout);
    expect(limits).toEqual([2_000]);
    expect(await runCommandLine(['get', 'agents', '--timeout', 'soon'], host)).toBe(exitCodes.refused);
  });

  it('admits its own mistakes', async () => {
    const fake = fakeHost({
      handlers: {
        unary: {
          GetAgent: () => {
            throw new RangeError('bug');
          },
        },
      },
    });
    const { runCommandLine } = await import('./program.ts');
    const host = { ...fake.host, createPlainClient: () => Promise.reject(new RangeError('bug')) };
    expect(await runCommandLine(['get', 'agents'], host)).toBe(exitCodes.refused);
    expect(fake.err()).toContain('this is a bug in svc itself');
  });
});

describe('a slip of the pen', () => {
  const run = async (...words: string[]) => {
    const fake = fakeHost();
    return { exit: await fake.run(...words), out: fake.out(), err: fake.err() };
  };

  it.each([
    [['get'], "svc: missing required argument 'kind'\n  try: svc get --help\n"],
    [['channel', 'tail', '--foo'], "svc: unknown option '--foo'\n  try: svc channel tail --help\n"],
    [['apply', '-f'], "svc: option '-f, --filename <path...>' argument missing\n  try: svc apply --help\n"],
    [['help', 'nothing'], "svc: unknown command 'nothing'\n  try: svc --help\n"],
    [['help', 'channel', 'tial'], "svc: unknown command 'tial'\n(Did you mean tail?)\n  try: svc channel --help\n"],
    [['get', 'agnts'], 'svc: there is no kind agnts, did you mean agents\n  try: `svc get --help` lists the kinds'],
    [['get', 'agents', '--server', 'ftp://x'], 'svc: ftp://x is not an address\n  try: write it as http://host:port\n'],
    [['profile', 'list', '-o', 'what'], 'svc: there is no output form what'],
  ])('is answered with what to do: svc %j', async (words, text) => {
    const { exit, out, err } = await run(...words);
    expect([exit, out]).toEqual([exitCodes.refused, '']);
    expect(err.slice(0, text.length)).toBe(text);
  });

  it('help goes as deep as its words', async () => {
    expect((await run('help', 'channel', 'tail')).out).toMatch(/^Usage: svc channel tail \[options\] <channel>\n/);
    expect((await run('help', 'create', 'ns')).out).toContain('Usage: svc create namespace|ns');
    expect((await run('help')).out).toMatch(/^Usage: svc \[options\] \[command\]\n/);
  });

  it('help runs no command, whatever stands behind its name', async () => {
    const deleted: string[] = [];
    const unary = { DeleteAgent: ({ name }: { name: string }) => ({ name: deleted.push(name) }) };
    const fake = fakeHost({ handlers: { unary: { ...unary, DeleteResource: unary.DeleteAgent } } });
    expect(await fake.run('help', 'delete', 'agent', 'helper', '--yes')).toBe(exitCodes.ok);
    expect([fake.out().slice(0, 18), deleted, fake.calls]).toEqual(['Usage: svc delete ', [], []]);
  });
});

describe('a file of this machine', () => {
  const failing = async (error: object): Promise<{ exit: number; err: string }> => {
    const fake = fakeHost();
    const { runCommandLine } = await import('./program.ts');
    const files = {
      ...fake.host.files,
      facts: () => {
        throw Object.assign(new Error('open'), error);
      },
    };
    return { exit: await runCommandLine(['apply', '-f', 'a.yaml'], { ...fake.host, files }), err: fake.err() };
  };

  it('that the system refuses is named with the reason', async () => {
    expect(await failing({ code: 'EACCES', path: '/work/a.yaml' })).toEqual({
      exit: exitCodes.refused,
      err: 'svc: /work/a.yaml: you may not read or write it (EACCES)\n',
    });
    expect((await failing({ code: 'EWHAT', path: '/work/a.yaml' })).err).toContain('a bug in svc itself');
    expect((await failing({})).err).toContain('a bug in svc itself');
  });
});

it('what is missing is answered with what lists those that exist', async () => {
  const missing =
    (code: string, reason: string, fields: readonly string[] = []) =>
    () => {
      throw new FakeFault(code, reason, { fields });
    };
  const lines: [string, string, string, (readonly string[])?][] = [
    ['NOT_FOUND', 'SKILL_NOT_FOUND', ''],
    ['NOT_FOUND', 'CHANNEL_NOT_FOUND', '  try: `svc get channels` lists those that exist; -n chooses the namespace\n'],
    [
      'INVALID_ARGUMENT',
      'FIELD_INVALID',
      '  try: write -l as key=value,other!=value or key (key exists)\n',
      ['labelSelector'],
    ],
  ];
  for (const [code, reason, hint, fields] of lines) {
    const fake = fakeHost({ handlers: { unary: { ListResources: missing(code, reason, fields) } } });
    await fake.run('get', 'tasks');
    expect(fake.err().split('\n').slice(1).join('\n')).toBe(hint);
  }
});
