import { Fault } from '../../../base/index.ts';
import type { ValueHash } from '../../../resources/index.ts';
import { INSTANCE_SECRET_KEY, type Store, type WriteTx } from '../../../store/contracts/index.ts';
import type { KeyRing } from './key-ring.ts';
import { missingKeyId } from './lost-values.ts';

/** What is hashed: the hash tells keys apart that were given the same id, and says nothing about the key. */
const [PLACE, TEXT] = ['instance', 'the key that encrypts secrets'] as const;

/** Where the keys of this process belong, for the text of a refusal. */
interface KeyPlace {
  readonly dataDir: string;
}

/** Notes the newest key of this node as the one that encrypts. For the transaction that a rotation begins with. */
export const noteKey = (tx: Pick<WriteTx, 'instance'>, ring: ValueHash): Promise<void> =>
  tx.instance.setValue(INSTANCE_SECRET_KEY, ring.hash(PLACE, TEXT));

/**
 * Every process that uses a store must have the key that encrypts its values. The first one notes the key it has; one that has a
 * newer key as well notes that. Fault FAILED_PRECONDITION KEY_MISMATCH. With `acceptsLoss` the own key is noted in any case; answers
 * the id of the key that is given up.
 */
export const requireNotedKey = async (
  store: Pick<Store, 'direct' | 'write'>,
  ring: KeyRing,
  place: KeyPlace & { readonly acceptsLoss: boolean },
): Promise<string | undefined> => {
  const unnoted = (await store.direct.instance.value(INSTANCE_SECRET_KEY)) === undefined;
  const missing = unnoted ? await missingKeyId(store.direct, ring) : undefined;
  if (missing !== undefined && !place.acceptsLoss) throw mismatch(missing, place);
  return store.write(async (tx) => {
    const noted = await tx.instance.value(INSTANCE_SECRET_KEY);
    const isLost = noted !== undefined && !ring.isHashOf(noted, PLACE, TEXT);
    if (isLost && !place.acceptsLoss) throw mismatch(notedId(noted), place);
    if (noted !== ring.hash(PLACE, TEXT)) await noteKey(tx, ring);
    return isLost ? notedId(noted) : missing;
  });
};

/** Fault KEY_MISMATCH while this node lacks the key that others encrypt with, as after a rotation in a key file of their own. */
export const requireKnownKey = async (
  store: Pick<Store, 'direct'>,
  ring: ValueHash,
  place: KeyPlace,
): Promise<void> => {
  const noted = await store.direct.instance.value(INSTANCE_SECRET_KEY);
  if (noted !== undefined && !ring.isHashOf(noted, PLACE, TEXT)) throw mismatch(notedId(noted), place);
};

/** Fault KEY_MISMATCH for a process without any key, where values were sealed by one: a key made now would not open them. */
export const requireNoLostKey = async (store: Pick<Store, 'direct'>, place: KeyPlace): Promise<void> => {
  const noted = await store.direct.instance.value(INSTANCE_SECRET_KEY);
  const missing = noted === undefined ? await missingKeyId(store.direct) : notedId(noted);
  if (missing !== undefined) throw mismatch(missing, place);
};

const notedId = (noted: string): string => decodeURIComponent(noted.split(':').at(-2) ?? '');

const mismatch = (id: string, { dataDir }: KeyPlace): Fault =>
  new Fault(
    'FAILED_PRECONDITION',
    'KEY_MISMATCH',
    `the secrets in this database are encrypted with key ${id}, which this node does not have: put the keys/master.json that holds ` +
      `it into ${dataDir}, or list the key in secrets.keys, as every node of the database must. If the key is lost for good, start ` +
      'once with SVC_SECRETS_ACCEPT_LOST_KEYS=true: the secrets stay unreadable, everything else works',
    { metadata: { key_id: id } },
  );
