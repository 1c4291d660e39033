import type { ApplyManifestsRequest, ApplyResourceRequest } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Secrets of a server: lists without values, reads with them when the caller may, an empty value keeps the stored one. */
class Server {
  readonly secrets = new Map<string, Record<string, string>>([
    ['db', { user: base64('ann'), password: base64('old') }],
  ]);
  mayRead = true;
  /** Keys whose values the server cannot decrypt. */
  lost: readonly string[] = [];
  reads = 0;
  version = 3;
  /** What a dry run answers. */
  faults: { field: string; description: string; reason: string }[] = [];
  /** What somebody else does before the next write arrives. */
  other: (() => void) | undefined;

  resource(name: string, isRevealed: boolean) {
    const data = this.secrets.get(name);
    if (data === undefined) throw new FakeFault('NOT_FOUND', 'SECRET_NOT_FOUND');
    const isShown = (key: string): boolean => isRevealed && !this.lost.includes(key);
    const shown = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, isShown(key) ? value : '']));
    const state = this.lost.length === 0 ? 'True' : 'False';
    const status = { kind: { case: 'secret', value: { conditions: [{ type: 'Decryptable', status: state }] } } };
    const metadata = { name, namespace: 'default', resourceVersion: String(this.version) };
    return { kind: 'Secret', metadata, spec: { kind: { case: 'secret', value: { type: '', data: shown } } }, status };
  }

  readonly handlers: FakeHandlers = {
    unary: {
      ListResources: () => ({ resources: [...this.secrets.keys()].map((name) => this.resource(name, false)) }),
      GetResource: ({ name }: { name: string }) => {
        this.reads += 1;
        return { resource: this.resource(name, this.mayRead) };
      },
      ApplyResource: ({ name, manifest, dryRun }: ApplyResourceRequest) => {
        if (dryRun) return { fieldErrors: this.faults };
        this.elsewhere();
        const { resourceVersion = '' } = manifest?.metadata ?? {};
        if (resourceVersion !== '' && resourceVersion !== String(this.version))
          throw new FakeFault('ABORTED', 'CONFLICT');
        if (manifest?.spec?.kind.case !== 'secret') throw new FakeFault('INTERNAL', 'INTERNAL');
        const former = this.secrets.get(name) ?? {};
        const given = Object.entries(manifest.spec.kind.value.data);
        const data = Object.fromEntries(given.map(([key, value]) => [key, value === '' ? (former[key] ?? '') : value]));
        const isSame = JSON.stringify(data) === JSON.stringify(former);
        this.set(name, data);
        return { outcome: isSame ? 3 : 2 };
      },
      ApplyManifests: ({ text }: ApplyManifestsRequest) => {
        this.elsewhere();
        const { metadata } = JSON.parse(text) as { metadata: { name: string } };
        const isNew = !this.secrets.has(metadata.name);
        if (isNew) this.set(metadata.name, {});
        return { results: [{ outcome: isNew ? 1 : 3, resource: this.resource(metadata.name, false) }] };
      },
      RotateSecretKey: () => ({ keyId: 'k2' }),
    },
  };

  run = async (words: readonly string[], options: FakeOptions = {}) => {
    const shell = fakeHost({ handlers: this.handlers, ...options });
    return { exit: await shell.run('secret', ...words), out: shell.out(), err: shell.err() };
  };

  set(name: string, data: Record<string, string>): void {
    this.version += 1;
    this.secrets.set(name, data);
  }

  elsewhere(): void {
    const { other } = this;
    this.other = undefined;
    other?.();
  }

  value(name: string, key: string): string | undefined {
    const value = this.secrets.get(name)?.[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
  }
}

let server: Server;
beforeEach(() => {
  server = new Server();
});

describe('svc secret set', () => {
  it.each([
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['two\nlines\n', 'two\nlines'],
    ['none', 'none'],
  ])('takes %j from standard input as %j, and reads no other value', async (piped, value) => {
    expect(await server.run(['set', 'db', 'password'], { piped })).toMatchObject({ out: 'secret/db changed\n' });
    expect([server.value('db', 'password'), server.value('db', 'user'), server.reads]).toEqual([value, 'ann', 0]);
  });

  it('writes no value that nobody gave', async () => {
    const shell = fakeHost({ piped: '' });
    expect(await shell.run('secret', 'set', 's', 'token')).toBe(exitCodes.refused);
    expect([shell.err(), shell.calls]).toEqual([expect.stringContaining('standard input is empty'), []]);
  });

  it('asks at a terminal without showing what is typed', async () => {
    const asked = await server.run(['set', 'new', 'key'], { hidden: 'typed' });
    expect(asked).toEqual({ exit: exitCodes.ok, out: 'secret/new created\n', err: 'value of new/key: ' });
    expect(server.value('new', 'key')).toBe('typed');
    expect(await server.run(['set', 'new', 'key'])).toMatchObject({ exit: exitCodes.interrupted });
  });

  it('takes bytes of files, removes keys and sets the type', async () => {
    const files = { '/work/server.crt': { text: 'cert\n', mode: 0o600 } };
    const words = ['set', 'db', '--from-file', 'tls.crt=server.crt', '--remove', 'user', '--type', 'tls'];
    expect((await server.run(words, { files })).out).toBe('secret/db changed\n');
    expect(Object.keys(server.secrets.get('db') ?? {}).sort()).toEqual(['password', 'tls.crt']);
    expect(server.value('db', 'tls.crt')).toBe('cert\n');
    expect((await server.run(['set', 'db', '--remove', 'none'])).out).toBe('secret/db unchanged\n');
  });

  it('keeps what somebody else writes at the same moment', async () => {
    server.other = () => server.set('db', { ...server.secrets.get('db'), user: base64('bea') });
    expect((await server.run(['set', 'db', 'password'], { piped: 'mine' })).exit).toBe(exitCodes.ok);
    expect([server.value('db', 'user'), server.value('db', 'password')]).toEqual(['bea', 'mine']);
    server.other = () => server.set('new', { theirs: base64('x') });
    expect((await server.run(['set', 'new', 'mine'], { piped: 'y' })).out).toBe('secret/new created\n');
    expect([server.value('new', 'theirs'), server.value('new', 'mine')]).toEqual(['x', 'y']);
  });

  it('with --if-version writes only over the version that was read', async () => {
    const set = (version: string, name = 'db') =>
      server.run(['set', name, 'password', '--if-version', version], { piped: version });
    expect(await set('2')).toMatchObject({
      exit: exitCodes.refused,
      err: expect.stringContaining('it has version 3, not 2\n  try: read it again'),
    });
    server.other = () => server.set('db', { password: base64('theirs') });
    expect((await set('3')).err).toContain('it has version 4, not 3');
    expect(server.value('db', 'password')).toBe('theirs');
    expect((await set('4')).out).toBe('secret/db changed\n');
    expect((await set('7', 'none')).exit).toBe(exitCodes.notFound);
    expect((await set('0')).err).toContain('secret db is there already');
    expect((await set('0', 'new')).out).toBe('secret/new created\n');
    server.other = () => server.set('late', {});
    expect((await set('0', 'late')).err).toContain('secret late is there already');
    expect((await set('new')).err).toContain('--if-version new is not a version');
    const { handlers } = server;
    const silent = { unary: { ...handlers.unary, ApplyManifests: () => ({}) } };
    expect((await server.run(['set', 'x', 'y', '--if-version', '0'], { piped: 'z', handlers: silent })).err).toContain(
      'the server answered nothing',
    );
  });

  it('leaves nothing behind of a new secret that is refused', async () => {
    const files = { '/work/large': { text: 'x'.repeat(1_048_576), mode: 0o600 } };
    const large = await server.run(['set', 'new', '--from-file', 'key=large'], { files });
    expect(large).toMatchObject({ exit: exitCodes.refused, err: 'svc: larger than 1048576 bytes (TOO_LARGE)\n' });
    server.faults = [{ field: 'spec.type', description: 'too long', reason: 'FIELD_INVALID' }];
    const typed = await server.run(['set', 'new', 'key', '--type', 'tttt'], { piped: 'x' });
    expect(typed).toMatchObject({ exit: exitCodes.refused, err: 'svc: spec.type: too long (FIELD_INVALID)\n' });
    expect([...server.secrets.keys()]).toEqual(['db']);
  });

  it.each([
    [['set', 'db', 'password', 'hunter2'], 'values are not taken from arguments'],
    [['set', 'db', 'password=hunter2'], 'values are not taken from arguments'],
    [['set', 'db'], 'which key?'],
    [['set', 'db', 'a key'], 'a key is not a key'],
    [['set', 'db', '--from-file', 'crt'], 'crt is not KEY=PATH'],
    [['set', 'db', '--from-file', 'crt=none'], 'there is no file none'],
    [['set', 'db', 'password'], 'the value of password is empty'],
    [['set', 'none', '--remove', 'a'], 'SECRET_NOT_FOUND'],
  ])('refuses %j without repeating a value', async (words, reason) => {
    const refused = await server.run(words, { piped: '\n' });
    expect(refused.exit).not.toBe(exitCodes.ok);
    expect(refused.err).toContain(reason);
    expect(refused.err).not.toContain('hunter2');
    expect(server.value('db', 'password')).toBe('old');
  });
});

describe('svc secret get and svc secret list', () => {
  it('show keys and read no value', async () => {
    expect((await server.run(['list'])).out).toMatch(/^NAME +TYPE +KEYS +AGE\ndb +- +password, user +-\n$/);
    const shown = await server.run(['get', 'db']);
    expect(shown.out).toBe('KEY        VALUE\npassword   (hidden)\nuser       (hidden)\n');
    expect(shown.err).toBe('--reveal shows the values\n');
    expect((await server.run(['get', 'db', 'user'])).out).not.toContain('password');
    expect(JSON.parse((await server.run(['list', '-o', 'json'])).out)).toMatchObject({ kind: 'List' });
    expect((await server.run(['list', '-o', 'wide'])).out).toMatch(/AGE +VERSION\ndb .* 3\n$/);
    expect(server.reads).toBe(0);
    expect(await server.run(['get', 'none'])).toMatchObject({ exit: exitCodes.notFound });
  });

  it('show values with --reveal, one of them as its bytes', async () => {
    server.secrets.set('db', { ...server.secrets.get('db'), bin: base64('a\0b') });
    expect((await server.run(['get', 'db', '--reveal'])).out).toBe(
      'KEY        VALUE\nbin        (3 bytes, no text)\npassword   old\nuser       ann\n',
    );
    expect((await server.run(['get', 'db', 'password', '--reveal'])).out).toBe('old');
    expect((await server.run(['get', 'db', 'password', '--reveal'], { isTerminal: true })).out).toBe('old\n');
    expect(JSON.parse((await server.run(['get', 'db', '--reveal', '-o', 'json'])).out)).toMatchObject({
      spec: { data: { password: base64('old') } },
    });
  });

  it('say what is missing: a key, the right to read, any secret', async () => {
    const missing = await server.run(['get', 'db', 'none', '--reveal']);
    expect([missing.exit, missing.err]).toEqual([exitCodes.notFound, expect.stringContaining('it has password, user')]);
    server.mayRead = false;
    expect(await server.run(['get', 'db', '--reveal'])).toMatchObject({ exit: exitCodes.connection, out: '' });
    server.secrets.clear();
    expect((await server.run(['list'])).err).toBe('no secrets in namespace default\n');
  });
});

describe('svc secret get --reveal of a secret whose key is missing', () => {
  it('says so, and not that the caller has no right to read it', async () => {
    server.lost = ['user', 'password'];
    const all = await server.run(['get', 'db', '--reveal']);
    expect([all.exit, all.out]).toEqual([exitCodes.refused, '']);
    expect(all.err).toContain('secret db cannot be decrypted: its key is missing');
    expect(all.err).toContain('svc doctor');
    expect(all.err).not.toContain('may not read');
  });

  it('still shows what can be decrypted, and prints no empty value for what cannot', async () => {
    server.lost = ['password'];
    expect((await server.run(['get', 'db', '--reveal'])).out).toBe(
      'KEY        VALUE\npassword   (cannot be decrypted: its key is missing)\nuser       ann\n',
    );
    const one = await server.run(['get', 'db', 'password', '--reveal']);
    expect(one).toMatchObject({ exit: exitCodes.refused, out: '' });
    expect(one.err).toContain('password of secret db cannot be decrypted: its key is missing');
    expect((await server.run(['get', 'db', 'user', '--reveal'])).out).toBe('ann');
  });
});

it('svc secret rotate-key tells the new key', async () => {
  expect(await server.run(['rotate-key'])).toMatchObject({ out: 'key k2 encrypts from now on\n' });
  expect(JSON.parse((await server.run(['rotate-key', '-o', 'json'])).out)).toEqual({ keyId: 'k2' });
});
