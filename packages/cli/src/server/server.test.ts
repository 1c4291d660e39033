import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';
import { fakeServerModule } from '../testing/fake-server-module.ts';

const DATA = '/home/me/.local/share/svc';
const created = () => {
  const agents: { name: string; spec: unknown }[] = [];
  return {
    agents,
    handlers: {
      unary: {
        CreateAgent: (request: { name: string; spec: unknown }) => {
          if (agents.length > 0) throw new FakeFault('ALREADY_EXISTS', 'AGENT_EXISTS');
          agents.push(request);
          return {};
        },
      },
    },
  };
};

describe('svc up', () => {
  it('makes data directory and configuration, starts, creates the demo agent and says how to go on', async () => {
    const { module, started, events } = fakeServerModule();
    const { agents, handlers } = created();
    const fake = fakeHost({ server: module, handlers, isTerminal: true });
    expect(await fake.run('up')).toBe(0);
    expect(fake.files.get(`${DATA}/svc.yaml`)?.mode).toBe(0o600);
    expect(started[0]?.flags).toEqual({
      config: `${DATA}/svc.yaml`,
      dataDir: DATA,
      'server.listen': undefined,
      'telemetry.logLevel': 'warn',
    });
    expect(agents[0]).toMatchObject({ ns: 'default', name: 'demo' });
    expect(fake.err()).toContain('svc is up at http://127.0.0.1:7420');
    expect(fake.err()).toContain('\n  console http://127.0.0.1:7420/\n');
    expect(fake.err()).toContain('  svc chat ');
    expect(fake.opened).toEqual(['http://127.0.0.1:7420']);
    expect(events).toEqual([`hold ${DATA}`, 'release', 'start', 'serve']);
  });

  it('writes nothing into a directory that another server uses, and no key file into any', async () => {
    const holdError = Object.assign(new Error('the data directory is in use'), { reason: 'DATA_DIR_IN_USE' });
    const { module, events } = fakeServerModule({ holdError });
    const refused = fakeHost({ server: module });
    expect(await refused.run('up')).toBe(exitCodes.refused);
    expect(refused.err()).toContain('the data directory is in use (DATA_DIR_IN_USE)');
    expect(refused.err()).toContain('svc up --port 7421 --data-dir DIR');
    expect([[...refused.files.keys()], events]).toEqual([[], []]);
    const fresh = fakeHost({ server: fakeServerModule().module });
    expect(await fresh.run('up', '--no-demo')).toBe(0);
    expect([...fresh.files.keys()].filter((path) => path.includes('keys'))).toEqual([]);
  });

  it('changes nothing at a second start', async () => {
    const { handlers, agents } = created();
    const fake = fakeHost({ server: fakeServerModule().module, handlers });
    await fake.run('up', '--no-open');
    const before = new Map(fake.files);
    expect(await fake.run('up', '--no-open')).toBe(0);
    expect(fake.files).toEqual(before);
    expect(agents).toHaveLength(1);
  });

  it('takes port, data directory and configuration from flags', async () => {
    const { module, started } = fakeServerModule({ url: 'http://127.0.0.1:9' });
    const fake = fakeHost({ server: module, isTerminal: true });
    await fake.run('up', '--port', '9', '--data-dir', 'd', '--config', 'mine.yaml', '--no-demo', '--no-open');
    expect(started[0]?.flags).toMatchObject({
      config: 'mine.yaml',
      dataDir: '/work/d',
      'server.listen': '127.0.0.1:9',
    });
    expect(fake.files.has('/work/d/svc.yaml')).toBe(false);
    expect(fake.calls).toEqual([]);
    expect(fake.opened).toEqual([]);
    expect(fake.err()).not.toContain('demo agent');
    const mistyped = fakeHost({ server: module });
    expect(await mistyped.run('up', '--port', 'many')).toBe(exitCodes.refused);
    expect([...mistyped.files.keys()]).toEqual([]);
  });

  it.each([
    [{ '/work/svc.yaml': { text: '', mode: 0o644 } }, {}],
    [{ '/etc/svc/svc.yaml': { text: '', mode: 0o644 } }, {}],
    [{ '/home/me/.config/svc/svc.yaml': { text: '', mode: 0o644 } }, {}],
    [{}, { SVC_CONFIG: '/x.yaml' }],
    [{}, { SVC_CONFIG_INLINE: '{}' }],
  ] as const)('leaves the configuration that the person has in force: %o %o', async (files, environment) => {
    const { module, started } = fakeServerModule();
    const fake = fakeHost({ server: module, files, environment });
    await fake.run('up', '--no-demo');
    expect(started[0]?.flags).toMatchObject({ config: undefined });
    expect(fake.files.has(`${DATA}/svc.yaml`)).toBe(false);
  });

  it('leaves demo agents to the operator where a credential is asked for', async () => {
    const handlers = {
      unary: {
        CreateAgent: () => {
          throw new FakeFault('UNAUTHENTICATED', 'CREDENTIALS_MISSING');
        },
      },
    };
    expect(await fakeHost({ server: fakeServerModule().module, handlers }).run('up')).toBe(0);
    const broken = {
      unary: {
        CreateAgent: () => {
          throw new FakeFault('INTERNAL', 'INTERNAL');
        },
      },
    };
    expect(await fakeHost({ server: fakeServerModule().module, handlers: broken }).run('up')).toBe(exitCodes.refused);
  });

  it('says what to do when the port is taken, the configuration wrong or the store locked', async () => {
    const taken = fakeHost({
      server: fakeServerModule({ startError: Object.assign(new Error('x'), { code: 'EADDRINUSE', port: 7420 }) })
        .module,
    });
    expect(await taken.run('up')).toBe(exitCodes.connection);
    expect(taken.err()).toContain('the port 7420 is taken');
    expect(taken.err()).toContain('svc up --port 7421');
    const locked = fakeHost({
      server: fakeServerModule({ startError: Object.assign(new Error('in use'), { reason: 'DATA_DIR_IN_USE' }) })
        .module,
    });
    await locked.run('up');
    expect(locked.err()).toContain('in use (DATA_DIR_IN_USE)');
    expect(locked.err()).toContain('talk to it with `svc chat`');
    const wrong = Object.assign(new Error('svc.yaml:1:1: a: b\nsvc.yaml:2:1: c: d'), { name: 'ConfigError' });
    const refused = fakeHost({ server: fakeServerModule({ startError: wrong }).module });
    expect(await refused.run('up')).toBe(exitCodes.refused);
    expect(refused.err()).toContain('svc.yaml:1:1: a: b\nsvc.yaml:2:1: c: d');
    const denied = fakeHost({
      server: fakeServerModule({ startError: Object.assign(new Error('open /x'), { code: 'EACCES' }) }).module,
    });
    await denied.run('up');
    expect(denied.err()).toContain('not allowed: open /x');
  });
});

describe('svc serve', () => {
  it('takes the configuration as it is, writes nothing and tells warnings', async () => {
    const warnings = [{ severity: 'warning', label: 'svc.yaml:1:1', key: 'x', text: 'unknown key' }];
    const { module, started } = fakeServerModule({ warnings });
    const fake = fakeHost({ server: module });
    expect(await fake.run('serve', '--config', 'prod.yaml', '--roles', 'gateway')).toBe(0);
    expect(started[0]?.flags).toEqual({ config: 'prod.yaml', 'server.roles': 'gateway' });
    expect(fake.files.size).toBe(0);
    expect(fake.err()).toBe(
      'warning: svc.yaml:1:1: x: unknown key\nsvc listens on http://127.0.0.1:7420\nstopping: 2 answers hand over after the next step; 1 reader is asked to come back later. This takes 30 s at most; Ctrl-C again stops now.\n',
    );
  });

  it('says in its greeting which model answers, not which provider is configured', async () => {
    const greeting = async (facts: Parameters<typeof fakeServerModule>[0]): Promise<string> => {
      const fake = fakeHost({ server: fakeServerModule(facts).module });
      await fake.run('up', '--no-demo');
      return /^ {2}model +(.*)$/m.exec(fake.err())?.[1] ?? '';
    };
    const providers = { demo: { type: 'demo' }, local: { type: 'openai' } };
    expect(await greeting({ providers })).toBe(
      'demo/echo, which needs no key; to use local set models.default: local/MODEL',
    );
    expect(await greeting({ providers, defaultModel: { provider: 'local', model: 'm' } })).toBe('local/m');
    expect(await greeting({})).toBe('demo/echo, which needs no key');
  });
});

describe('svc config', () => {
  it('checks, strictly when asked', async () => {
    const warnings = [{ severity: 'warning', label: 'svc.yaml:1:1', key: 'x', text: 'unknown key' }];
    const fake = fakeHost({ server: fakeServerModule({ warnings }).module });
    expect(await fake.run('config', 'check')).toBe(0);
    expect(fake.out()).toBe('/work/svc.yaml: good\n');
    expect(await fake.run('config', 'check', '--strict')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('svc: svc.yaml:1:1: x: unknown key');
    const broken = fakeHost({ server: fakeServerModule({ configError: 'svc.yaml:2:1: a: wrong', warnings }).module });
    expect(await broken.run('config', 'check')).toBe(exitCodes.refused);
    expect(broken.err()).toBe('svc: svc.yaml:2:1: a: wrong\nwarning: svc.yaml:1:1: x: unknown key\n');
    expect(await broken.run('config', 'check', '--strict')).toBe(exitCodes.refused);
    expect(broken.err()).toMatch(/svc: svc\.yaml:2:1: a: wrong\nsvc\.yaml:1:1: x: unknown key\n$/);
  });

  it('shows what differs from the defaults, or everything, or JSON', async () => {
    const fake = fakeHost({ server: fakeServerModule().module });
    await fake.run('config', 'show');
    expect(fake.out()).toBe(
      'KEY             VALUE         FROM\nserver.listen   127.0.0.1:1   svc.yaml:1:2\nserver.roles    ["gateway"]   SVC_SERVER_ROLES\n',
    );
    const all = fakeHost({ server: fakeServerModule().module });
    await all.run('config', 'show', '--all');
    expect(all.out()).toContain('auth.token      -             default');
    const json = fakeHost({ server: fakeServerModule().module });
    await json.run('config', 'show', '-o', 'json');
    expect(JSON.parse(json.out()).items).toHaveLength(3);
  });

  it('means the file of svc up where there is no other', async () => {
    const fake = fakeHost({
      server: fakeServerModule().module,
      files: { [`${DATA}/svc.yaml`]: { text: '', mode: 0o600 } },
    });
    await fake.run('config', 'check');
    expect(fake.out()).toBe(`${DATA}/svc.yaml: good\n`);
  });

  it('writes a file to start from, never over another', async () => {
    const fake = fakeHost();
    expect(await fake.run('config', 'init')).toBe(0);
    expect(fake.files.get('/work/svc.yaml')?.text).toContain('# auth:');
    expect(await fake.run('config', 'init')).toBe(exitCodes.refused);
    expect(await fake.run('config', 'init', 'other.yaml')).toBe(0);
  });
});

describe('svc version', () => {
  it('tells both versions, or that no server answers', async () => {
    const plain = { '/version': () => Response.json({ version: '9.9' }) };
    const fake = fakeHost({ handlers: { plain } });
    await fake.run('version');
    expect(fake.out()).toBe('svc    0.1.0 (Node.js v26.1.0)\nserver 9.9 (http://127.0.0.1:7420)\n');
    const alone = fakeHost();
    await alone.run('version');
    expect(alone.out()).toContain('server does not answer');
    const json = fakeHost({ handlers: { plain: { '/version': () => new Response('<html>') } } });
    await json.run('version', '-o', 'json');
    expect(JSON.parse(json.out())).toMatchObject({ client: '0.1.0', server: null });
  });
});
