import { Fault, type Log, type Random } from '../../../base/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import { KeyFile } from './key-file.ts';
import { freshKey, KeyRing, keyFromText, type SealingKey } from './key-ring.ts';
import { findLostValues, type LostValues } from './lost-values.ts';
import { requireKnownKey, requireNoLostKey, requireNotedKey } from './noted-key.ts';

/** Lease of the node that adds a key to the file. */
const ADDING = 'secrets.key-file';
/** Far longer than it takes to write the file; a node that was killed holds it as long. */
const ADDING_MICROS = 60_000_000;

interface SecretKeysOptions {
  readonly dataDir: string;
  /** `secrets.keys`, newest last; empty = the key file. */
  readonly configured: readonly { readonly id: string; readonly key: string }[];
  readonly random: Pick<Random, 'fill'>;
  /** Whose values the keys encrypt; the data directory is locked by then. */
  readonly store: Pick<Store, 'direct' | 'write'>;
  /** True where other nodes may use the store too: they must have the same keys. */
  readonly isShared: boolean;
  /** `secrets.acceptLostKeys`: start without the key that stored values need. */
  readonly acceptsLoss: boolean;
  readonly log: Pick<Log, 'warn'>;
}

/** The key ring of a process and where its keys come from. */
export interface SecretKeys {
  readonly ring: KeyRing;
  /** Makes a new key the newest one; with configured keys the newest of them stays. Resolves once it is on disk. */
  addKey(): Promise<string>;
  /** Fault KEY_MISMATCH while other nodes of the store encrypt with a key that this one cannot find. */
  requireKnown(): Promise<void>;
  /** Stored values that cannot be decrypted, because their keys are not here. Reads every resource that may hold such values. */
  lostValues(): Promise<LostValues>;
}

/**
 * Opens the configured keys or the key file, which is made at the first start. Throws KEY_FILE, KEY_TOO_SHORT, and KEY_MISMATCH
 * where stored values are encrypted with a key that is not there: a key file that was lost is never replaced silently.
 */
export const openSecretKeys = async (options: SecretKeysOptions): Promise<SecretKeys> => {
  const { store, acceptsLoss, log, dataDir } = options;
  const keys = await openKeys(options);
  const givenUp = await requireNotedKey(store, keys.ring, { dataDir, acceptsLoss });
  if (givenUp !== undefined)
    log.warn('started without the key of stored secrets: they cannot be decrypted', { key_id: givenUp });
  return {
    ...keys,
    requireKnown: () => requireKnownKey(store, keys.ring, { dataDir }),
    lostValues: () => findLostValues(store.direct, keys.ring),
  };
};

type OpenedKeys = Pick<SecretKeys, 'ring' | 'addKey'>;

const openKeys = async (options: SecretKeysOptions): Promise<OpenedKeys> => {
  const { dataDir, configured, random, store, isShared, acceptsLoss } = options;
  if (configured.length > 0) {
    const ring = new KeyRing(
      configured.map(({ id, key }) => keyFromText(id, key)),
      random,
    );
    return { ring, addKey: () => Promise.resolve(ring.newestId) };
  }
  const file = new KeyFile(dataDir);
  const present = await file.read();
  if (present === undefined && !acceptsLoss) await requireNoLostKey(store, { dataDir });
  const ring = new KeyRing(present ?? (await file.create(freshKey(random))), random, () => file.changed());
  let adding: Promise<string> = Promise.resolve(ring.newestId);
  const add = (): Promise<string> => {
    const key = freshKey(random);
    return isShared ? alone(store, key.id, () => append(key)) : append(key);
  };
  const append = async (key: SealingKey): Promise<string> => {
    const present: readonly SealingKey[] | undefined = await file.read();
    if (present === undefined)
      throw new Fault('FAILED_PRECONDITION', 'KEY_FILE', 'the key file is gone: restore it before adding a key');
    await file.write([...present, key]);
    ring.add(key);
    return key.id;
  };
  return {
    ring,
    addKey: () => {
      adding = adding.then(add, add);
      return adding;
    },
  };
};

/** One node at a time adds to a file that several have: each writes what it read, with a key of its own. */
const alone = async <T>(shared: Pick<Store, 'write'>, owner: string, work: () => Promise<T>): Promise<T> => {
  if (!(await shared.write((tx) => tx.leases.acquire(ADDING, owner, tx.steadyNow(), ADDING_MICROS))))
    throw new Fault('ABORTED', 'CONFLICT', 'another node is adding a key just now: try again');
  try {
    return await work();
  } finally {
    await shared.write((tx) => tx.leases.release(ADDING, owner));
  }
};
