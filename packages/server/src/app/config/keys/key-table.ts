import type { KeyRow } from './key-row.ts';
import { productLimitKeys, requestLimitKeys, timeKeys } from './limit-keys.ts';
import { modelKeys, runtimeKeys } from './runtime-keys.ts';
import { authKeys, integrationKeys, serverKeys, storageKeys, telemetryKeys } from './server-keys.ts';

/** Every setting by its key, in the order of the reference. Keys of parts that are not built yet are included, so that they validate. */
const keyTable = {
  ...serverKeys,
  ...authKeys,
  ...storageKeys,
  ...requestLimitKeys,
  ...productLimitKeys,
  ...timeKeys,
  ...runtimeKeys,
  ...modelKeys,
  ...integrationKeys,
  ...telemetryKeys,
} as const;

export type SettingKey = keyof typeof keyTable;

/** Value of every setting as written, in parsed units: durations in milliseconds, sizes in bytes, paths absolute. */
export type WrittenSettings = {
  readonly [K in SettingKey]: (typeof keyTable)[K] extends KeyRow<infer T> ? T : never;
};

/** Settings that are never absent once their default is derived. */
type DerivedKey =
  | 'server.publicUrl'
  | 'store.url'
  | 'backup.dir'
  | 'runtime.sweep'
  | 'runtime.concurrency'
  | 'limits.connections'
  | 'limits.connectionsPerAddress'
  | 'telemetry.logFormat'
  | 'connectors.envAllow';

/** Effective value of every setting. */
export type Settings = Omit<WrittenSettings, DerivedKey> & {
  readonly [K in DerivedKey]: Exclude<WrittenSettings[K], undefined>;
};

/** The table without the types of its values, for code that handles all keys alike. */
export const keyRows: ReadonlyMap<string, KeyRow<unknown>> = new Map(Object.entries<KeyRow<unknown>>(keyTable));

/** Parts in which an unknown key stops the start, because a typing error there would let callers in. */
export const strictSections: readonly string[] = ['auth', 'secrets', 'store', 'bus', 'objects'];
