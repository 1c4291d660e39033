import { join, resolve } from 'node:path';
import { DEFAULT_SERVER, resolveTarget } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { counted } from '../terminal/index.ts';
import { showingElapsed } from './elapsed.ts';
import { explained, type LocalStore, openLocalStore, type StoreOptions } from './local-store.ts';
import { givenPassphrase, type PassphraseOptions, readPassphrase } from './passphrase.ts';

export interface BackupOptions extends StoreOptions, PassphraseOptions {
  readonly includeKeys?: boolean;
  readonly verify?: boolean;
}

/** What is reported about a backup. */
interface Made {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/**
 * `svc backup [FILE]`: through the running server, or directly from the store when none is running. With --verify, FILE is read and
 * nothing is written.
 */
export const backup = async (host: Host, name: string | undefined, options: BackupOptions): Promise<void> => {
  const store = await openLocalStore(host, options);
  if (options.verify === true) return verify(host, store, { name, options });
  const file = name === undefined ? undefined : resolve(host.cwd, name);
  if (file !== undefined && host.files.facts(file) !== undefined)
    throw new CommandFailure(`${file} exists already`, { hint: 'choose another name' });
  const passphrase = options.includeKeys === true ? await readPassphrase(host, options, { isNew: true }) : undefined;
  const order = { file, passphrase };
  const isLocal = await isOffline(host, options, store);
  const made = isLocal
    ? await makeOffline(host, store, { order, quiet: options.quiet })
    : await makeOnline(host, options, { store, order });
  await tell(host, made, options);
};

interface Order {
  readonly file: string | undefined;
  readonly passphrase: string | undefined;
}

/** `--data-dir` and `--config` say which store is meant. */
const isStoreNamed = ({ dataDir, config }: BackupOptions): boolean => dataDir !== undefined || config !== undefined;

/**
 * A user who names a server, also by a profile, means that server; otherwise a store that no process has open is read here. If a store
 * is named and does not exist, that is reported here, too.
 */
const isOffline = async (host: Host, options: BackupOptions, { server, upkeep }: LocalStore): Promise<boolean> => {
  if (!upkeep.hasStore()) return isStoreNamed(options);
  if (await explained(server, () => upkeep.isInUse())) return false;
  const isSaid = options.server !== undefined || (host.environment['SVC_SERVER'] ?? '') !== '';
  const isServerNamed = isSaid || resolveTarget(host, options).server !== DEFAULT_SERVER;
  return isStoreNamed(options) || !isServerNamed;
};

/** A named store must not be mistaken for that of another server, nor its keys for those of another store. */
const requireStoreOf = async (
  { client, target }: CommandContext,
  options: BackupOptions,
  { order, dataDir }: { readonly order: Order; readonly dataDir: string },
): Promise<void> => {
  if (!isStoreNamed(options) && order.passphrase === undefined) return;
  const { values } = await client.admin.getConfiguration({});
  const there: unknown = JSON.parse(values.find(({ key }) => key === 'dataDir')?.valueJson ?? 'null');
  if (there === dataDir) return;
  if (isStoreNamed(options))
    throw new CommandFailure(
      `${dataDir} is in use by another server than ${target.server}, which has ${String(there)}`,
      { hint: 'name its server with --server' },
    );
  throw new CommandFailure(`the keys of ${target.server} are in ${String(there)}, not in ${dataDir}`, {
    hint: `on the machine of the server: svc backup --include-keys --data-dir ${String(there)}`,
  });
};

const MAKING = 'making the backup';

const makeOffline = async (
  host: Host,
  { server, upkeep }: LocalStore,
  { order, quiet }: { readonly order: Order; readonly quiet: boolean | undefined },
): Promise<Made> => {
  const file = order.file ?? join(host.cwd, defaultName(host));
  const keys = keysOf(order);
  const { sizeBytes, sha256, manifest } = await untilStopped(host, (signal) =>
    showingElapsed(host, { label: MAKING, quiet }, () =>
      explained(server, () => upkeep.backup({ file, signal, ...keys })),
    ),
  );
  warnOfLost(host, manifest.lost_objects.length);
  return { path: file, sizeBytes, sha256 };
};

const keysOf = ({ passphrase }: Order): { readonly passphrase?: string } =>
  passphrase === undefined ? {} : { passphrase };

/** Runs work that Ctrl-C, or the end of the session, cancels; nothing is left of it then. A second Ctrl-C does not wait for that. */
const untilStopped = async <T>(host: Host, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const abort = new AbortController();
  const release = host.onStop(() => {
    release();
    host.stderr.write('cancelling; Ctrl-C again ends at once\n');
    const ending = { exitCode: exitCodes.interrupted };
    abort.abort(new CommandFailure('the backup was cancelled: nothing is left of it', ending));
  });
  try {
    return await work(abort.signal);
  } finally {
    release();
  }
};

/** `svc-20260301-120000.tar.zst`, UTC. */
const defaultName = (host: Host): string =>
  `svc-${new Date(host.nowMs()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}.tar.zst`;

const makeOnline = async (
  host: Host,
  options: BackupOptions,
  { store, order }: { readonly store: LocalStore; readonly order: Order },
): Promise<Made> => {
  const context = await openContext(host, options);
  await requireStoreOf(context, options, { order, dataDir: store.dataDir });
  const create = async (): Promise<Made> => {
    const { quiet } = options;
    const { path, sizeBytes, sha256 } = await showingElapsed(host, { label: MAKING, quiet }, () =>
      context.client.admin.createBackup({}),
    );
    return { path, sizeBytes: Number(sizeBytes), sha256 };
  };
  if (order.file === undefined && order.passphrase === undefined) return create();
  return untilStopped(host, (signal) => takeOver(context, { store, order, create, signal }));
};

/** Has the server write the backup and moves it to where it is wanted, with the keys. */
const takeOver = async (
  { host, options, target, note }: CommandContext,
  given: {
    readonly store: LocalStore;
    readonly order: Order;
    readonly create: () => Promise<Made>;
    readonly signal: AbortSignal;
  },
): Promise<Made> => {
  const { order, signal } = given;
  const { server, upkeep } = given.store;
  let kept: string | undefined;
  const write = async () => {
    const made = await given.create();
    if (host.files.facts(made.path) === undefined) {
      await tell(host, made, options);
      throw new CommandFailure(`the backup is on the machine of the server (${target.server})`, {
        exitCode: exitCodes.partial,
        hint: 'copy it from there; keys are added only where they are: run svc backup --include-keys on that machine',
      });
    }
    note(`copying ${made.path}`);
    if (order.passphrase === undefined) kept = made.path;
    return {
      from: made.path,
      sha256: made.sha256,
      file: order.file ?? made.path.replace(/\.tar\.zst$/, '-keys.tar.zst'),
    };
  };
  try {
    const { file, sizeBytes, sha256 } = await explained(server, () =>
      upkeep.fetch({ write, signal, ...keysOf(order) }),
    );
    return { path: file, sizeBytes, sha256 };
  } catch (error) {
    if (kept !== undefined) note(`the backup that the server made is whole, in ${kept}`);
    throw error;
  }
};

const verify = async (
  host: Host,
  { server, upkeep }: LocalStore,
  { name, options }: { readonly name: string | undefined; readonly options: BackupOptions },
): Promise<void> => {
  if (name === undefined) throw new CommandFailure('which file?', { hint: 'svc backup --verify FILE' });
  const file = resolve(host.cwd, name);
  const { manifest, hasKeys } = await explained(server, () => upkeep.check(file, givenPassphrase(host, options)));
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, { ...manifest, hasKeys }, form);
  const rows = Object.values(manifest.tables).reduce((sum, count) => sum + count, 0);
  host.stdout.write(
    `${file}: sound\n  made     ${manifest.created_at} by svc ${manifest.svc} (${manifest.engine}, schema ${manifest.schema})\n` +
      `  rows     ${rows}\n  objects  ${manifest.objects.count} (${counted(manifest.objects.bytes, 'byte')})\n  keys     ${hasKeys ? 'sealed' : 'none'}\n`,
  );
  warnOfLost(host, manifest.lost_objects.length);
};

const warnOfLost = (host: Host, count: number): void => {
  if (count > 0)
    host.stderr.write(
      `warning: ${counted(count, 'object was', 'objects were')} lost or damaged before the backup was made\n`,
    );
};

const tell = async (host: Host, made: Made, options: BackupOptions): Promise<void> => {
  const form = outputForm(options.output);
  if (form.form === 'table' || form.form === 'wide') host.stdout.write(`${made.path}\n`);
  else await printValue(host, made, form);
};
