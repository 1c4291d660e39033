import type { JsonMap } from '../canonical-json.ts';
import { changeLeaves } from './sealed-fields.ts';
import { isShown } from './sensitive-fields.ts';

/**
 * Keyed hashes of sensitive values, for records that must recognise a value but never tell it (a replica's
 * last_rendered_json). A place names the value: the same value has another hash at another place.
 */
export interface ValueHash {
  /** Hash by the newest key. */
  hash(place: string, plain: string): string;
  /** True when the text is the hash of the value at that place, by whatever key it was made. */
  isHashOf(hashed: string, place: string, plain: string): boolean;
}

/** What every hashed text begins with; the rest is the hash's own. */
export const HASHED_PREFIX = 'hashed:v1:';

/**
 * The spec with every sensitive value of classes A and C hashed; references to secrets stay. Values that `like` holds the hash
 * of keep that text, so that equal values are equal texts across a rotation of keys; also where it was made for the `former` place.
 */
export const hashSpec = (
  of: { readonly kind: string; readonly place: string; readonly former?: string },
  spec: JsonMap,
  by: { readonly hash: ValueHash; readonly like?: JsonMap | undefined },
): JsonMap => {
  const part = { kind: of.kind, section: 'spec' } as const;
  const before = new Map<string, string>();
  changeLeaves(part, by.like ?? {}, (leaf, pointer) => {
    before.set(pointer, leaf);
    return leaf;
  });
  return changeLeaves(part, spec, (leaf, pointer, field) => {
    if (leaf === '' || isShown(field, leaf)) return leaf;
    const places = [of.place, ...(of.former === undefined ? [] : [of.former])].map((place) => `${place}${pointer}`);
    const kept = before.get(pointer);
    const isKept = kept !== undefined && places.some((place) => by.hash.isHashOf(kept, place, leaf));
    return isKept ? kept : by.hash.hash(`${of.place}${pointer}`, leaf);
  });
};
