import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, NOW_MS } from '../testing/fake-host.ts';
import { fakeServerModule } from '../testing/fake-server-module.ts';

const DATA = '/home/me/.local/share/svc';
const directory = { text: '', mode: 0o700, isDirectory: true };
const key = { text: '{}', mode: 0o600 };
const healthy = { [DATA]: directory, [`${DATA}/keys/master.json`]: key };
const answering = (status = 200, date = new Date(NOW_MS)): NonNullable<FakeHandlers['plain']> => ({
  '/readyz': () => new Response('store: closed', { status, headers: { date: date.toUTCString() } }),
});
const inside: FakeHandlers['unary'] = {
  WhoAmI: () => ({ subject: 'ann', mode: 'token' }),
  RunDoctor: () => ({ checks: [{ name: 'migrations', result: 'ok', detail: 'all' }] }),
};

const doctor = async (options: FakeOptions & { readonly facts?: Parameters<typeof fakeServerModule>[0] } = {}) => {
  const { facts, ...rest } = options;
  const fake = fakeHost({
    server: fakeServerModule(facts).module,
    files: healthy,
    handlers: { plain: answering(), unary: inside },
    takenPorts: [7420],
    ...rest,
  });
  const exit = await fake.run('doctor', '-o', 'json');
  const { checks } = JSON.parse(fake.out()) as {
    checks: { name: string; result: string; detail: string; remedy: string }[];
  };
  return { exit, checks, problems: checks.filter((check) => check.result !== 'ok') };
};

describe('svc doctor', () => {
  it('finds nothing wrong with a healthy installation', async () => {
    const { exit, checks, problems } = await doctor();
    expect(problems).toEqual([]);
    expect(exit).toBe(0);
    expect(checks.map((check) => check.name)).toEqual([
      'node',
      'configuration',
      'data directory',
      'key file',
      'disk',
      'providers',
      'port',
      'server',
      'clock',
      'sign-in',
      'server migrations',
    ]);
  });

  it('opens the store while nobody else has it open', async () => {
    const found = async (upkeep: object): Promise<unknown> => {
      const { checks } = await doctor({
        facts: { upkeep: { hasStore: () => true, isInUse: async () => false, ...upkeep } },
      });
      return checks.find(({ name }) => name === 'store');
    };
    const schema = (applied: number, pending: readonly object[]) => ({
      moveSchema: async () => ({ status: { applied, known: 4, pending } }),
    });
    const failing = (reason: string) => ({
      moveSchema: async () => {
        throw Object.assign(new Error(reason.toLowerCase()), { reason });
      },
    });
    expect(await found(schema(4, []))).toMatchObject({ result: 'ok', detail: 'schema 4' });
    expect(await found(schema(3, [{}]))).toMatchObject({ result: 'warn', detail: 'schema 3, this release has 4' });
    expect(await found(failing('STORE_DAMAGED'))).toMatchObject({
      ...{ result: 'fail', detail: 'store_damaged', remedy: expect.stringContaining('svc restore') },
    });
    expect(await found(failing('STORAGE'))).toMatchObject({ result: 'fail', remedy: 'svc migrate status' });
    expect(await found({ isInUse: async () => true })).toBeUndefined();
    const mistake = { moveSchema: () => Promise.reject(new Error('a mistake')) };
    await expect(found(mistake)).rejects.toThrow();
  });

  it('asks for no key file where the keys are in the configuration', async () => {
    const files = { [DATA]: directory, [`${DATA}/svc.db`]: key };
    const { checks, problems } = await doctor({ files, facts: { secretKeys: [{ id: 'a' }] } });
    expect(problems).toEqual([]);
    expect(checks.map(({ name }) => name)).not.toContain('key file');
  });

  it('prints a line each, remedies below', async () => {
    const fake = fakeHost({ server: fakeServerModule().module, files: {}, handlers: {} });
    expect(await fake.run('doctor')).toBe(0);
    expect(fake.out()).toContain('ok    node            v26.1.0\n');
    expect(fake.out()).toContain(
      `warn  data directory  ${DATA} does not exist yet\n                      -> svc up makes it\n`,
    );
    expect(fake.out()).toContain('warn  server          no server answers');
  });

  const planted: readonly (readonly [string, Parameters<typeof doctor>[0], string, string])[] = [
    ['an old Node.js', { nodeVersion: 'v20.1.0' }, 'node', 'fail'],
    ['a wrong configuration', { facts: { configError: 'svc.yaml:1:1: a: wrong' } }, 'configuration', 'fail'],
    [
      'a misspelt key',
      { facts: { warnings: [{ label: 'svc.yaml:1:1', key: 'a', text: 'unknown key' }, {}] } },
      'configuration',
      'warn',
    ],
    ['a data directory that is a file', { files: { [DATA]: key } }, 'data directory', 'fail'],
    ['a data directory that cannot be written', { readOnly: [DATA] }, 'data directory', 'fail'],
    [
      'a data directory open to everyone',
      { files: { ...healthy, [DATA]: { ...directory, mode: 0o755 } } },
      'data directory',
      'warn',
    ],
    ['a key file that is still to be made', { files: { [DATA]: directory } }, 'key file', 'warn'],
    ['a lost key file', { files: { [DATA]: directory, [`${DATA}/svc.db`]: key } }, 'key file', 'fail'],
    [
      'a key file that others may read',
      { files: { ...healthy, [`${DATA}/keys/master.json`]: { ...key, mode: 0o644 } } },
      'key file',
      'fail',
    ],
    ['a full disk', { freeBytes: 1_000 }, 'disk', 'fail'],
    ['a disk that fills', { freeBytes: 500 * 1024 ** 2 }, 'disk', 'warn'],
    ['a provider without a key', { facts: { providers: { openai: { type: 'openai' } } } }, 'providers', 'warn'],
    ['a port taken by something else', { handlers: {} }, 'port', 'fail'],
    ['no server', { handlers: {}, takenPorts: [] }, 'server', 'warn'],
    ['a server that is not ready', { handlers: { plain: answering(503), unary: inside } }, 'server', 'fail'],
    ['something else in place of the server', { handlers: { plain: answering(404) } }, 'server', 'fail'],
    [
      'clocks that differ',
      { handlers: { plain: answering(200, new Date(NOW_MS - 60_000)), unary: inside } },
      'clock',
      'warn',
    ],
    [
      'a credential that is refused',
      {
        handlers: {
          plain: answering(),
          unary: {
            WhoAmI: () => {
              throw new FakeFault('UNAUTHENTICATED', 'CREDENTIALS_INVALID');
            },
          },
        },
      },
      'sign-in',
      'fail',
    ],
    [
      'a check of the server that fails',
      {
        handlers: {
          plain: answering(),
          unary: {
            ...inside,
            RunDoctor: () => ({ checks: [{ name: 'store', result: 'fail', detail: 'bad', remedy: 'repair' }] }),
          },
        },
      },
      'server store',
      'fail',
    ],
    [
      'checks of the server that break',
      {
        handlers: {
          plain: answering(),
          unary: {
            ...inside,
            RunDoctor: () => {
              throw new FakeFault('INTERNAL', 'INTERNAL');
            },
          },
        },
      },
      'server checks',
      'warn',
    ],
  ];
  it.each(planted)('names %s and a remedy', async (...[, host, name, result]) => {
    const { exit, problems } = await doctor(host);
    const found = problems.find((problem) => problem.name === name);
    expect(found).toMatchObject({ result });
    expect(found?.remedy).not.toBe('');
    const isFailed = problems.some((problem) => problem.result === 'fail');
    expect(exit).toBe(isFailed ? exitCodes.refused : exitCodes.ok);
  });

  it('is content with a server that lacks the newer operations', async () => {
    expect((await doctor({ handlers: { plain: answering() } })).problems).toEqual([]);
  });
});
