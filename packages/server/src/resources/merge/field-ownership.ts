import { hash } from 'node:crypto';
import { canonicalJson, isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';
import { withoutPrivate } from '../labels.ts';
import type { OwnedField, Ownership } from './field-merge.ts';

/**
 * What managers own of a resource, as a value of the instance under the resource's uid: next to the resource, because
 * owning a field does not change it. Values are kept as digests that depend on uid and pointer: a database dump shows no value.
 */
const nameOf = (uid: string): string => `ownership/${uid}`;

const DIGEST_LENGTH = 24;

/** The part of a store transaction in which ownership is. */
export interface OwnershipReads {
  readonly instance: { value(name: string): Promise<string | undefined> };
}

export interface OwnershipWrites {
  readonly instance: {
    setValue(name: string, value: string): Promise<void>;
    removeValue(name: string): Promise<void>;
  };
}

/** Digest of a value at a pointer of one resource; null is an absent value. */
export const fieldDigest =
  (uid: string) =>
  (pointer: string, value: JsonData): string =>
    hash('sha256', `${uid}\n${pointer}\n${canonicalJson(value)}`, 'base64url').slice(0, DIGEST_LENGTH);

/** Who owns which field of the resource; {} where no one owns any. */
export const readOwnership = async (reads: OwnershipReads, uid: string): Promise<Ownership> => {
  const text = await reads.instance.value(nameOf(uid));
  return text === undefined || text === '' ? {} : (JSON.parse(text) as Ownership);
};

/** Writes what managers own, when it differs from what is stored; where no one owns anything nothing is kept. */
export const saveOwnership = async (
  tx: OwnershipWrites,
  uid: string,
  change: { readonly before: Ownership; readonly after: Ownership },
): Promise<void> => {
  if (isSameOwnership(change.before, change.after)) return;
  const text = ownershipText(change.after);
  if (text === NOTHING_OWNED) await dropOwnership(tx, uid);
  else await tx.instance.setValue(nameOf(uid), text);
};

/** True when both have the same text. */
const isSameOwnership = (before: Ownership, after: Ownership): boolean =>
  isSameMap(before, after, (left, right) => isSameMap(left, right, isSameField));

const isSameField = (left: OwnedField, right: OwnedField): boolean =>
  left.said === right.said && left.stored === right.stored && left.isTaken === right.isTaken;

const isSameMap = <V>(
  left: Readonly<Record<string, V>>,
  right: Readonly<Record<string, V>>,
  isSame: (left: V, right: V) => boolean,
): boolean => {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const [before, after] = [left[name], right[name]];
    return before !== undefined && after !== undefined && isSame(before, after);
  });
};

/** Forgets who owned what of a resource that goes; harmless where nothing is kept. */
export const dropOwnership = (tx: OwnershipWrites, uid: string): Promise<void> => tx.instance.removeValue(nameOf(uid));

/** Equal ownership is equal text. */
export const ownershipText = (ownership: Ownership): string => canonicalJson(ownership as unknown as JsonData);

const NOTHING_OWNED = ownershipText({});

/** What managers write of a resource, as the merge sees it. */
export const managedForm = (
  metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  },
  spec: JsonMap,
): JsonMap => ({
  metadata: { labels: withoutPrivate(metadata.labels), annotations: withoutPrivate(metadata.annotations) },
  spec,
});

/** Labels, annotations and spec of such a form; what it lacks is empty. */
export const managedParts = (
  form: JsonMap,
): {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly spec: JsonMap;
} => {
  const { metadata, spec } = form;
  const part = (name: string): Record<string, string> =>
    (isJsonMap(metadata) ? (metadata[name] ?? {}) : {}) as Record<string, string>;
  return { labels: part('labels'), annotations: part('annotations'), spec: isJsonMap(spec) ? spec : {} };
};
