import { createHash } from 'node:crypto';
import { canonicalJson, type JsonData } from '../../../resources/index.ts';
import type { Ownership } from '../../../resources/manifest/index.ts';
import type { ReadTx, WriteTx } from '../../../store/contracts/index.ts';

/**
 * What managers own of a resource (PL-1.4), as a value of the instance under the resource's uid: beside the resource, because
 * owning a field is no change of it. Values are kept as digests that depend on uid and pointer: a database dump shows no value.
 */
const nameOf = (uid: string): string => `ownership/${uid}`;

const DIGEST_LENGTH = 24;

/** Digest of a value at a pointer of one resource; null is an absent value. */
export const fieldDigest =
  (uid: string) =>
  (pointer: string, value: JsonData): string =>
    createHash('sha256')
      .update(`${uid}\n${pointer}\n${canonicalJson(value)}`)
      .digest('base64url')
      .slice(0, DIGEST_LENGTH);

export const readOwnership = async (reads: Pick<ReadTx, 'instance'>, uid: string): Promise<Ownership> => {
  const text = await reads.instance.value(nameOf(uid));
  return text === undefined || text === '' ? {} : (JSON.parse(text) as Ownership);
};

/** Writes what managers own, when it differs from what is stored. */
export const saveOwnership = async (
  tx: WriteTx,
  uid: string,
  change: { readonly before: Ownership; readonly after: Ownership },
): Promise<void> => {
  const text = canonicalJson(change.after as unknown as JsonData);
  if (text !== canonicalJson(change.before as unknown as JsonData)) await tx.instance.setValue(nameOf(uid), text);
};
