import { Fault } from '../../base/index.ts';
import type { ValueHash } from '../../resources/index.ts';
import { INSTANCE_SECRET_KEY, type Store, type WriteTx } from '../../store/contracts/index.ts';

/** What is hashed: the hash tells keys apart that were given the same id, and says nothing about the key. */
const [PLACE, TEXT] = ['instance', 'the key that encrypts secrets'] as const;

/** Notes the newest key of this node as the one that encrypts. For the transaction that a rotation begins with. */
export const noteKey = (tx: Pick<WriteTx, 'instance'>, ring: ValueHash): Promise<void> =>
  tx.instance.setValue(INSTANCE_SECRET_KEY, ring.hash(PLACE, TEXT));

/**
 * The nodes of one store encrypt with the key noted there, so each has to have it; the first node notes its own, and one
 * that has a newer one besides moves on to that. Fault FAILED_PRECONDITION KEY_MISMATCH.
 */
export const requireNotedKey = (store: Pick<Store, 'write'>, ring: ValueHash): Promise<void> =>
  store.write(async (tx) => {
    const noted = await tx.instance.value(INSTANCE_SECRET_KEY);
    if (noted !== undefined && !ring.isHashOf(noted, PLACE, TEXT)) throw mismatch(noted);
    if (noted !== ring.hash(PLACE, TEXT)) await noteKey(tx, ring);
  });

/** Fault KEY_MISMATCH while this node lacks the key that others encrypt with, as after a rotation in a key file of their own. */
export const requireKnownKey = async (store: Pick<Store, 'direct'>, ring: ValueHash): Promise<void> => {
  const noted = await store.direct.instance.value(INSTANCE_SECRET_KEY);
  if (noted !== undefined && !ring.isHashOf(noted, PLACE, TEXT)) throw mismatch(noted);
};

/** Fault KEY_MISMATCH where other nodes have a key already: for one that has none at all. */
export const requireNoNotedKey = async (store: Pick<Store, 'direct'>): Promise<void> => {
  const noted = await store.direct.instance.value(INSTANCE_SECRET_KEY);
  if (noted !== undefined) throw mismatch(noted);
};

const mismatch = (noted: string): Fault => {
  const id = decodeURIComponent(noted.split(':').at(-2) ?? '');
  return new Fault(
    'FAILED_PRECONDITION',
    'KEY_MISMATCH',
    `the secrets in this database are encrypted with key ${id}, which this node does not have: give every node the same ` +
      'secrets.keys, or the data directory of a node that has it (its keys/master.json)',
    { metadata: { key_id: id } },
  );
};
