import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';
import { fakeServerModule } from '../testing/fake-server-module.ts';

const PASSPHRASE = 'a long passphrase';
const manifest = {
  ...{ svc: '1.0.0', engine: 'sqlite', schema: 4, created_at: '2026-03-01T12:00:00.000Z', files: [] },
  tables: { turns: 2, messages: 3 },
  objects: { count: 1, bytes: 9, sha256: 'x' },
  lost_objects: [] as readonly string[],
};
const step = (version: number, name = `step-${version}`) => ({ version, name });
const status = { applied: 3, known: 4, pending: [step(4)], undoable: [step(3), step(2)] };
const fault = (code: string, reason: string, message: string): Error =>
  Object.assign(new Error(message), { code, reason });

interface Facts {
  /** Where the server keeps its data. */
  readonly serverDir?: string;
  readonly hasStore?: boolean;
  readonly isInUse?: boolean;
  readonly hasKeys?: boolean;
  readonly lost?: readonly string[];
  readonly safety?: string;
  readonly fails?: Error;
  readonly moved?: readonly object[];
  /** Why the keys cannot be sealed. */
  readonly keysFail?: Error;
  /** Called in the middle of a backup. */
  readonly onWork?: () => void;
}

interface Fetching {
  readonly signal: AbortSignal;
  readonly write: () => Promise<{ readonly from: string; readonly sha256: string; readonly file: string }>;
}

/** The upkeep of the server package, with what it was asked for. */
const host = (facts: Facts = {}, options: FakeOptions = {}) => {
  const asked: [what: string, order: unknown][] = [];
  const opened: unknown[] = [];
  const { module } = fakeServerModule({ origins: ['dataDir'] });
  const found = { ...manifest, lost_objects: facts.lost ?? [] };
  const answer = async <T>(what: string, order: unknown, value: T): Promise<T> => {
    asked.push([what, order]);
    if (facts.fails !== undefined) throw facts.fails;
    return value;
  };
  const upkeep = {
    hasStore: () => facts.hasStore ?? true,
    isInUse: async () => facts.isInUse ?? false,
    backup: async ({ signal, ...order }: { readonly signal: AbortSignal }) => {
      facts.onWork?.();
      signal.throwIfAborted();
      return answer('backup', order, { sizeBytes: 7, sha256: 'hash', manifest: found });
    },
    fetch: async ({ signal, write, ...keys }: Fetching) => {
      if (facts.keysFail !== undefined) throw facts.keysFail;
      const archive = await write();
      facts.onWork?.();
      signal.throwIfAborted();
      return answer('fetch', { ...archive, ...keys }, { file: archive.file, sizeBytes: 8, sha256: 'taken' });
    },
    check: (file: string, passphrase?: string) =>
      answer('check', [file, passphrase], { manifest: found, hasKeys: facts.hasKeys ?? false }),
    restore: (order: object) =>
      answer('restore', order, { manifest: found, hasKeys: facts.hasKeys ?? false, safety: facts.safety }),
    moveSchema: (move: object) => answer('move', move, { moved: facts.moved ?? [], status }),
  };
  const openUpkeep = (config: { readonly dataDir: string }) => {
    opened.push(config.dataDir);
    return upkeep;
  };
  const server = { ...module, openUpkeep } as unknown as NonNullable<FakeOptions['server']>;
  const created = { path: '/data/backups/svc-1.tar.zst', sizeBytes: 5n, sha256: 'made' };
  const values = [{ key: 'dataDir', valueJson: JSON.stringify(facts.serverDir ?? '/work/svc-data') }];
  const handlers = { unary: { CreateBackup: () => created, GetConfiguration: () => ({ values }) } };
  return { ...fakeHost({ server, handlers, ...options }), asked, opened };
};
const profiles = { current: 'default', profiles: { default: { server: 'http://svc.test' } } };
const elsewhere = { '/home/me/.config/svc/profiles.json': { text: JSON.stringify(profiles), mode: 0o600 } };
const localFile = { '/data/backups/svc-1.tar.zst': { text: 'archive', mode: 0o600 } };

describe('svc backup', () => {
  it('reads a store that nobody has open, into a file named by the time', async () => {
    const fake = host({ lost: ['a', 'b'] });
    expect(await fake.run('backup')).toBe(0);
    expect(fake.asked).toEqual([['backup', { file: '/work/svc-20260301-120000.tar.zst' }]]);
    expect(fake.out()).toBe('/work/svc-20260301-120000.tar.zst\n');
    expect(fake.err()).toContain('warning: 2 objects were lost');
    expect(fake.calls).toEqual([]);
  });

  it('goes through the server when it runs, and when one is named', async () => {
    for (const fake of [
      host({ isInUse: true }),
      host({ hasStore: false }),
      host({}, { environment: { SVC_SERVER: 'http://127.0.0.1:7420' } }),
      host({}, { files: elsewhere }),
    ]) {
      expect(await fake.run('backup')).toBe(0);
      expect([fake.calls, fake.asked]).toEqual([['CreateBackup'], []]);
      expect(fake.out()).toBe('/data/backups/svc-1.tar.zst\n');
    }
    const named = host();
    expect(await named.run('backup', '--server', 'http://127.0.0.1:7420', '-o', 'json')).toBe(0);
    expect(JSON.parse(named.out())).toEqual({ path: '/data/backups/svc-1.tar.zst', sizeBytes: 5, sha256: 'made' });
    const chosen = host({}, { environment: { SVC_SERVER: 'http://127.0.0.1:7420' } });
    expect(await chosen.run('backup', 'a', '--data-dir', 'here')).toBe(0);
    expect(chosen.asked).toEqual([['backup', { file: '/work/a' }]]);
  });

  it('mistakes no store that was named for that of another server', async () => {
    const other = host({ isInUse: true, serverDir: '/elsewhere' });
    expect(await other.run('backup', '--data-dir', 'svc-data')).toBe(exitCodes.refused);
    expect(other.calls).toEqual(['GetConfiguration']);
    expect(other.err()).toContain(
      '/work/svc-data is in use by another server than http://127.0.0.1:7420, which has /elsewhere',
    );
    const same = host({ isInUse: true });
    expect(await same.run('backup', '--data-dir', 'svc-data')).toBe(0);
    expect(same.calls).toEqual(['GetConfiguration', 'CreateBackup']);
    const none = host({ hasStore: false });
    expect(await none.run('backup', 'a', '--data-dir', 'svc-data')).toBe(0);
    expect([none.calls, none.asked]).toEqual([[], [['backup', { file: '/work/a' }]]]);
  });

  it('takes over what a server on this machine wrote, with its keys on request', async () => {
    const plain = host({ isInUse: true }, { files: localFile });
    expect(await plain.run('backup', 'mine')).toBe(0);
    const from = { from: '/data/backups/svc-1.tar.zst', sha256: 'made' };
    expect(plain.asked).toEqual([['fetch', { ...from, file: '/work/mine' }]]);
    expect(plain.out()).toBe('/work/mine\n');
    const sealed = host({ isInUse: true }, { files: localFile, environment: { SVC_PASSPHRASE: PASSPHRASE } });
    expect(await sealed.run('backup', '--include-keys', '--quiet')).toBe(0);
    const file = '/data/backups/svc-1-keys.tar.zst';
    expect(sealed.asked).toEqual([['fetch', { ...from, file, passphrase: PASSPHRASE }]]);
    expect(sealed.err()).toBe('');
  });

  it('says where the backup is when that is another machine', async () => {
    const fake = host({ isInUse: true });
    expect(await fake.run('backup', 'mine')).toBe(exitCodes.partial);
    expect(fake.out()).toBe('/data/backups/svc-1.tar.zst\n');
    expect(fake.err()).toContain('on the machine of the server (http://127.0.0.1:7420)');
  });

  it('asks the server for nothing when the keys cannot be sealed', async () => {
    const keysFail = fault('INVALID_ARGUMENT', 'PASSPHRASE', 'the passphrase is too short');
    const options = { files: localFile, environment: { SVC_PASSPHRASE: 'short' } };
    const fake = host({ isInUse: true, keysFail }, options);
    expect(await fake.run('backup', '--include-keys')).toBe(1);
    expect(fake.err()).toContain('the passphrase is too short (PASSPHRASE)');
    expect(fake.calls).toEqual(['GetConfiguration']);
  });

  it('never seals the keys of another data directory than that of the server', async () => {
    const options = { files: localFile, environment: { SVC_PASSPHRASE: PASSPHRASE } };
    const fake = host({ hasStore: false, serverDir: '/data' }, options);
    expect(await fake.run('backup', 'mine', '--include-keys')).toBe(1);
    expect(fake.err()).toContain('the keys of http://127.0.0.1:7420 are in /data, not in /work/svc-data');
    expect(fake.err()).toContain('svc backup --include-keys --data-dir /data');
    expect([fake.calls, fake.asked]).toEqual([['GetConfiguration'], []]);
  });

  it('says where the backup of the server is when it could not be taken over', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    const fake = host({ isInUse: true, fails: full }, { files: localFile });
    expect(await fake.run('backup', 'mine')).toBe(1);
    expect(fake.err()).toContain('svc: the disk is full (ENOSPC)\n');
    expect(fake.err()).toContain('the backup that the server made is whole, in /data/backups/svc-1.tar.zst\n');
    const sealed = host(
      { isInUse: true, fails: full },
      { files: localFile, environment: { SVC_PASSPHRASE: PASSPHRASE } },
    );
    expect(await sealed.run('backup', '--include-keys')).toBe(1);
    expect(sealed.err()).not.toContain('is whole');
  });

  it.each([['backup'], ['backup', 'mine']])('is given up at Ctrl-C: svc %s', async (...words) => {
    for (const isInUse of [false, true]) {
      const fake: ReturnType<typeof host> = host(
        { isInUse, onWork: () => fake.interrupt() },
        { files: localFile, environment: { SVC_PASSPHRASE: PASSPHRASE } },
      );
      expect(await fake.run(...words, '--include-keys')).toBe(exitCodes.interrupted);
      expect(fake.err()).toContain('cancelling; Ctrl-C again ends at once\n');
      expect(fake.err()).toContain('nothing is left of it');
      expect(fake.asked).toEqual([]);
    }
  });

  it('never writes over a file, and asks for a passphrase twice', async () => {
    const taken = host({}, { files: { '/work/mine': { text: '', mode: 0o600 } } });
    expect(await taken.run('backup', 'mine')).toBe(1);
    expect(taken.err()).toContain('/work/mine exists already');
    const asking = (...hidden: (string | undefined)[]) => host({}, { hidden });
    const good = asking(PASSPHRASE, PASSPHRASE);
    expect(await good.run('backup', 'mine', '--include-keys')).toBe(0);
    expect(good.asked).toEqual([['backup', { file: '/work/mine', passphrase: PASSPHRASE }]]);
    const differing = asking(PASSPHRASE, 'another one');
    expect(await differing.run('backup', '--include-keys')).toBe(1);
    expect(differing.err()).toContain('the two passphrases differ');
    const none = asking(undefined);
    expect(await none.run('backup', '--include-keys')).toBe(1);
    expect(none.err()).toContain('nothing was entered');
    const piped = host({}, { piped: '' });
    expect(await piped.run('backup', '--include-keys')).toBe(1);
    expect(piped.err()).toContain('--passphrase-file');
  });

  it('reads the passphrase from a file, which must be there', async () => {
    const files = { '/work/pass': { text: `${PASSPHRASE}\n`, mode: 0o600 } };
    const fake = host({}, { files, piped: '' });
    expect(await fake.run('backup', 'mine', '--include-keys', '--passphrase-file', 'pass')).toBe(0);
    expect(fake.asked).toEqual([['backup', { file: '/work/mine', passphrase: PASSPHRASE }]]);
    const missing = host();
    expect(await missing.run('backup', '--include-keys', '--passphrase-file', 'nowhere')).toBe(1);
    expect(missing.err()).toContain('/work/nowhere does not exist');
  });

  it('only checks with --verify', async () => {
    const fake = host({ hasKeys: true, lost: ['a'] }, { environment: { SVC_PASSPHRASE: PASSPHRASE } });
    expect(await fake.run('backup', '--verify', 'a.tar.zst')).toBe(0);
    expect(fake.asked).toEqual([['check', ['/work/a.tar.zst', PASSPHRASE]]]);
    expect(fake.out()).toContain('/work/a.tar.zst: sound\n');
    expect(fake.out()).toContain('rows     5\n  objects  1 (9 bytes)\n  keys     sealed\n');
    expect(fake.err()).toContain('1 object was lost');
    const json = host();
    expect(await json.run('backup', '--verify', 'a', '-o', 'json')).toBe(0);
    expect(JSON.parse(json.out())).toMatchObject({ engine: 'sqlite', hasKeys: false });
    const plain = host();
    await plain.run('backup', '--verify', 'a');
    expect(plain.out()).toContain('keys     none');
    const nothing = host();
    expect(await nothing.run('backup', '--verify')).toBe(1);
    expect(nothing.err()).toContain('svc backup --verify FILE');
    const damaged = host({
      fails: fault('DATA_LOSS', 'ARCHIVE_DAMAGED', 'the archive is damaged: its end is missing'),
    });
    expect(await damaged.run('backup', '--verify', 'a')).toBe(1);
    expect(damaged.err()).toContain('its end is missing (ARCHIVE_DAMAGED)');
  });

  it('passes on what the server refuses', async () => {
    const refusing = () => {
      throw new FakeFault('PERMISSION_DENIED', 'ROLE');
    };
    const fake = host({ isInUse: true }, { handlers: { unary: { CreateBackup: refusing } } });
    expect(await fake.run('backup')).toBe(exitCodes.connection);
  });
});

describe('svc restore', () => {
  it('brings back an archive and says what was there and what is missing', async () => {
    const fake = host({ safety: '/data/before' });
    expect(await fake.run('restore', 'a.tar.zst', '--replace')).toBe(0);
    const order = { file: '/work/a.tar.zst', isReplacing: true, isWithoutKeys: false };
    expect(fake.asked.at(-1)).toEqual(['restore', order]);
    expect(fake.out()).toBe('/work/svc-data\n');
    expect(fake.err()).toContain('what was there before is in /data/before');
    expect(fake.err()).toContain('no keys were restored');
    const json = host({}, { piped: '' });
    expect(await json.run('restore', 'a', '-o', 'json', '--quiet')).toBe(0);
    expect(JSON.parse(json.out())).toEqual({
      ...{ dataDir: '/work/svc-data', safety: null, createdAt: '2026-03-01T12:00:00.000Z' },
    });
    expect(json.err()).toBe('');
  });

  it('asks for the passphrase of an archive with keys, unless they are left out', async () => {
    const fake = host({ hasKeys: true }, { hidden: [PASSPHRASE] });
    expect(await fake.run('restore', 'a')).toBe(0);
    expect(fake.asked.map(([what]) => what)).toEqual(['check', 'restore']);
    expect(fake.asked.at(-1)?.[1]).toMatchObject({ passphrase: PASSPHRASE });
    expect(fake.err()).not.toContain('no keys were restored');
    const without = host({ hasKeys: true });
    expect(await without.run('restore', 'a', '--without-keys')).toBe(0);
    expect(without.asked).toEqual([['restore', { file: '/work/a', isReplacing: false, isWithoutKeys: true }]]);
    expect(without.err()).toContain('no keys were restored');
  });

  it('shows at a terminal what it is at and for how long, unless told to be quiet', async () => {
    const terminal = { isErrorTerminal: true, hidden: [PASSPHRASE] };
    const fake = host({ hasKeys: true }, terminal);
    expect(await fake.run('restore', 'a')).toBe(0);
    for (const label of ['reading the archive', 'restoring the backup'])
      expect(fake.err()).toContain(`\r${label}  0 s\u001b[K`);
    expect(fake.err()).toContain('\r\u001b[Krestored the state of');
    const quiet = host({ hasKeys: true }, terminal);
    expect(await quiet.run('restore', 'a', '--quiet')).toBe(0);
    expect(quiet.err()).not.toContain(' 0 s');
    const failing = host(
      { fails: fault('DATA_LOSS', 'ARCHIVE_DAMAGED', 'its end is missing') },
      { ...terminal, piped: '' },
    );
    expect(await failing.run('restore', 'a')).toBe(1);
    const lines = ['', 'restoring the backup  0 s\u001b[K', expect.stringContaining('its end is missing')];
    expect(failing.err().split('\r')).toEqual(lines);
  });

  it('explains a refusal with what to do, and leaves mistakes of the program as they are', async () => {
    const inUse = host({ fails: fault('FAILED_PRECONDITION', 'DATA_DIR_IN_USE', 'in use') }, { piped: '' });
    expect(await inUse.run('restore', 'a')).toBe(1);
    expect(inUse.err()).toContain('stop the server first');
    const missing = host({ fails: fault('NOT_FOUND', 'STORE_MISSING', 'there is no store') }, { piped: '' });
    expect(await missing.run('restore', 'a')).toBe(exitCodes.notFound);
    const broken = host({ fails: new Error('a mistake') }, { piped: '' });
    expect(await broken.run('restore', 'a')).toBe(1);
    expect(broken.err()).toContain('this is a bug in svc itself');
  });

  it('means the data directory of svc up unless another one is chosen or holds a store', async () => {
    const { module } = fakeServerModule();
    const opened: unknown[] = [];
    const loaded: unknown[] = [];
    const server = {
      ...module,
      loadConfig: ({ flags }: { readonly flags: Readonly<Record<string, string | undefined>> }) => {
        loaded.push(flags['dataDir']);
        return { config: { dataDir: flags['dataDir'] ?? '/work/svc-data' }, origins: new Map(), warnings: [] };
      },
      openUpkeep: (config: { readonly dataDir: string }) => {
        opened.push(config.dataDir);
        return { moveSchema: async () => ({ moved: [], status }) };
      },
    } as unknown as NonNullable<FakeOptions['server']>;
    const run = (words: readonly string[], files: FakeOptions['files'] = {}) =>
      fakeHost({ server, files }).run('migrate', 'status', ...words);
    await run([]);
    await run([], { '/work/svc-data/svc.db': { text: '', mode: 0o600 } });
    await run(['--data-dir', 'mine', '--config', 'svc.yaml']);
    expect(opened).toEqual(['/home/me/.local/share/svc', '/work/svc-data', '/work/mine']);
    expect(loaded).toEqual([undefined, '/home/me/.local/share/svc', undefined, '/work/mine']);
  });
});

describe('svc migrate', () => {
  it('shows where the schema stands', async () => {
    const fake = host();
    expect(await fake.run('migrate', 'status')).toBe(0);
    expect(fake.asked).toEqual([['move', { to: 'status' }]]);
    expect(fake.out()).toMatch(/SCHEMA +KNOWN +PENDING +CAN BE UNDONE\n3 +4 +4 +3, 2\n/);
  });

  it('applies and undoes, naming each step', async () => {
    const up = host({ moved: [step(4, 'artifacts')] });
    expect(await up.run('migrate', 'up', '--yes')).toBe(0);
    expect(up.asked).toEqual([['move', { to: 'up', isAgreed: true }]]);
    expect(up.out()).toContain('applied  4  artifacts\n');
    const down = host({ moved: [step(3)] });
    expect(await down.run('migrate', 'down', '--to', '2', '-o', 'json')).toBe(0);
    expect(down.asked).toEqual([['move', { to: 'down', target: 2 }]]);
    expect(JSON.parse(down.out())).toMatchObject({ schema: 3, pending: [4], undoable: [3, 2], moved: [step(3)] });
    const one = host({ moved: [step(3)] });
    await one.run('migrate', 'down');
    expect([one.asked, one.out()]).toEqual([[['move', { to: 'down' }]], expect.stringContaining('undone   3')]);
    const none = host();
    await none.run('migrate', 'up');
    expect([none.asked, none.out()]).toEqual([
      [['move', { to: 'up', isAgreed: false }]],
      expect.stringContaining('nothing to do'),
    ]);
  });

  it('refuses a schema that is no number', async () => {
    const fake = host();
    expect(await fake.run('migrate', 'down', '--to', 'two')).toBe(1);
    expect(fake.err()).toContain('--to two is not the number of a schema');
    expect(fake.asked).toEqual([]);
  });
});
