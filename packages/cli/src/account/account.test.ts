import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';

const PATH = '/home/me/.config/svc/profiles.json';
const who = {
  subject: 'ann',
  mode: 'token',
  identity: 'token',
  serverVersion: '9.9',
  expiresAt: 1_700_000_000_000_000n,
  grants: [
    { role: 'admin', readSecrets: true },
    { role: 'viewer', namespace: 'acme', agent: 'h' },
  ],
};

const seeing = () => {
  const credentials: string[] = [];
  const handlers: FakeHandlers = {
    unary: {
      WhoAmI: (_request: unknown, headers: Headers) => {
        credentials.push(headers.get('authorization') ?? headers.get('x-api-key') ?? '');
        return who;
      },
    },
  };
  return { credentials, handlers };
};

const profileFile = (profiles: object, current = 'default', mode = 0o600): NonNullable<FakeOptions['files']> => ({
  [PATH]: { text: JSON.stringify({ current, profiles }), mode },
});

describe('svc whoami', () => {
  it('shows who one is and what one may do', async () => {
    const fake = fakeHost({ handlers: seeing().handlers });
    expect(await fake.run('whoami')).toBe(0);
    expect(fake.out()).toContain('server:       http://127.0.0.1:7420 (9.9)\nsubject:      ann\n');
    expect(fake.out()).toMatch(/admin {4}\* {8}yes\nviewer {3}acme\/h {3}no/);
    const json = fakeHost({ handlers: seeing().handlers });
    await json.run('whoami', '-o', 'json');
    expect(JSON.parse(json.out())).toMatchObject({ subject: 'ann', grants: [{ scope: '*' }, { scope: 'acme/h' }] });
  });
});

describe('svc login', () => {
  it('checks the credential from standard input and keeps it, mode 0600', async () => {
    const { credentials, handlers } = seeing();
    const fake = fakeHost({ handlers, piped: 'secret-token\n' });
    expect(await fake.run('login', 'svc.test:80', '-n', 'acme', '--profile', 'work')).toBe(0);
    expect(credentials).toEqual(['Bearer secret-token']);
    expect(fake.files.get(PATH)?.mode).toBe(0o600);
    expect(JSON.parse(fake.files.get(PATH)?.text ?? '')).toEqual({
      current: 'work',
      profiles: { work: { server: 'http://svc.test:80', namespace: 'acme', token: 'secret-token' } },
    });
  });

  it('asks at a terminal, for keys and passwords too', async () => {
    const { credentials, handlers } = seeing();
    const keyed = fakeHost({ handlers, hidden: 'key-1' });
    await keyed.run('login', '--api-key');
    await fakeHost({ handlers, hidden: 'pass' }).run('login', '--password');
    await fakeHost({ handlers, hidden: '' }).run('login');
    expect(credentials).toEqual(['key-1', `Basic ${Buffer.from('svc:pass').toString('base64')}`, '']);
    expect(keyed.err()).toContain('apiKey');
    expect(await fakeHost({ handlers }).run('login')).toBe(exitCodes.interrupted);
  });

  it('keeps nothing when the server refuses', async () => {
    const handlers = {
      unary: {
        WhoAmI: () => {
          throw new FakeFault('UNAUTHENTICATED', 'CREDENTIALS_INVALID');
        },
      },
    };
    const fake = fakeHost({ handlers, piped: 'wrong' });
    expect(await fake.run('login')).toBe(exitCodes.connection);
    expect(fake.files.has(PATH)).toBe(false);
  });
});

describe('profiles', () => {
  it('give server, credential and namespace; environment and flags win', async () => {
    const { credentials, handlers } = seeing();
    const files = profileFile({
      default: { server: 'http://a.test', token: 'ta' },
      b: { server: 'http://b.test', apiKey: 'kb' },
      c: { server: 'http://c.test', password: 'pc' },
    });
    const run = (words: string[], environment = {}) =>
      fakeHost({ handlers, files, environment }).run('whoami', ...words);
    await run([]);
    await run(['--profile', 'b']);
    await run([], { SVC_PROFILE: 'c' });
    await run([], { SVC_TOKEN: 'te' });
    await run(['--token', 'tf'], { SVC_TOKEN: 'te' });
    await run([], { SVC_API_KEY: 'ke' });
    expect(credentials).toEqual([
      'Bearer ta',
      'kb',
      `Basic ${Buffer.from('svc:pc').toString('base64')}`,
      'Bearer te',
      'Bearer tf',
      'ke',
    ]);
  });

  it('never send a credential to another server than their own', async () => {
    const { credentials, handlers } = seeing();
    const files = profileFile({ default: { server: 'http://a.test', token: 'ta' } });
    await fakeHost({ handlers, files }).run('whoami', '--server', 'http://evil.test');
    await fakeHost({ handlers, files, environment: { SVC_SERVER: 'evil.test' } }).run('whoami');
    await fakeHost({ handlers, files }).run('whoami', '--server', 'http://a.test/');
    expect(credentials).toEqual(['', '', 'Bearer ta']);
  });

  it('are refused when others may read them, or when they are no JSON', async () => {
    const open = fakeHost({ files: profileFile({}, 'default', 0o644) });
    expect(await open.run('whoami')).toBe(exitCodes.refused);
    expect(open.err()).toContain(`chmod 600 ${PATH}`);
    const broken = fakeHost({ files: { [PATH]: { text: '{', mode: 0o600 } } });
    await broken.run('whoami');
    expect(broken.err()).toContain('is not JSON');
  });

  it('can be listed, chosen, changed, left and deleted', async () => {
    const files = profileFile({ default: { server: 'http://a.test', token: 'ta' }, b: {} });
    const fake = fakeHost({ files });
    await fake.run('profile', 'use', 'b');
    await fake.run('profile', 'set', 'b', '--server', 'http://b.test', '-n', 'acme');
    await fake.run('logout', '--profile', 'default');
    await fake.run('profile', 'list');
    expect(fake.out()).toBe(
      '    NAME      SERVER          NAMESPACE   CREDENTIAL\n    default   http://a.test   default     -\n*   b         http://b.test   acme        -\n'.replace(
        /^ {4}NAME/,
        '    NAME',
      ),
    );
    await fake.run('profile', 'delete', 'b');
    expect(JSON.parse(fake.files.get(PATH)?.text ?? '')).toEqual({
      current: 'default',
      profiles: { default: { server: 'http://a.test' } },
    });
    expect(await fake.run('profile', 'use', 'b')).toBe(exitCodes.refused);
    expect(await fake.run('profile', 'delete', 'b')).toBe(exitCodes.refused);
    expect(await fake.run('whoami', '--profile', 'nope')).toBe(exitCodes.refused);
    expect(await fake.run('logout', '--profile', 'nope')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('there is no profile nope');
    const none = fakeHost();
    await none.run('profile', 'list');
    expect(none.err()).toContain('svc login');
  });

  it('refuse an address that is none', async () => {
    const fake = fakeHost();
    expect(await fake.run('whoami', '--server', 'http://')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('is not an address');
  });

  it.each([
    ['linux', {}, '/home/me/.config/svc/profiles.json'],
    ['linux', { XDG_CONFIG_HOME: '/x' }, '/x/svc/profiles.json'],
    ['darwin', {}, '/home/me/.config/svc/profiles.json'],
    ['win32', { APPDATA: '/app' }, '/app/svc/profiles.json'],
  ] as const)('live where %s keeps such files', async (platform, environment, expected) => {
    const { profilesPath } = await import('../profiles.ts');
    const { host } = fakeHost({ environment });
    expect(profilesPath({ ...host, platform })).toBe(expected);
  });
});

it('svc profile list -o json tells all but the credentials', async () => {
  const stored = {
    current: 'work',
    profiles: { work: { server: 'http://s', token: 'hush' }, home: { namespace: 'n' } },
  };
  const path = '/home/me/.config/svc/profiles.json';
  const fake = fakeHost({ files: { [path]: { text: JSON.stringify(stored), mode: 0o600 } } });
  expect(await fake.run('profile', 'list', '-o', 'json')).toBe(0);
  expect(fake.out()).not.toContain('hush');
  expect(JSON.parse(fake.out())).toEqual({
    items: [
      { name: 'work', server: 'http://s', namespace: 'default', isCurrent: true },
      { name: 'home', server: '', namespace: 'n', isCurrent: false },
    ],
  });
});
