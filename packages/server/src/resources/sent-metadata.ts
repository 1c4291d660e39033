import type { FieldViolation } from '../base/index.ts';
import { refusal } from './labels.ts';
import type { RecordOwner, ResourceRecord } from './record.ts';
import { ownerRecord } from './resource-codec.ts';

/** Finalizers and owners as a body says them; undefined where it leaves them out. */
export interface SentHolders {
  readonly finalizers: readonly string[] | undefined;
  /** Uids. */
  readonly owners: readonly string[] | undefined;
}

/**
 * A body that was read and changed may send finalizers and owners back as they are stored; another value is refused, because the
 * operation would lose it in silence. Throws FIELD_INVALID.
 */
export const requireKept = (
  sent: SentHolders | undefined,
  current: Pick<ResourceRecord, 'finalizers' | 'owners'>,
  operation: string,
): void => {
  const owners = current.owners.map(({ uid }) => uid);
  const faults = [
    ...changed('finalizers', sent?.finalizers, current.finalizers),
    ...changed('ownerReferences', sent?.owners, owners),
  ].map((field): FieldViolation => {
    const description = `differs from what is stored, and ${operation} does not change it: ApplyResource with the resourceVersion does`;
    return { field: `metadata.${field}`, description, reason: 'FIELD_INVALID' };
  });
  if (faults.length > 0) throw refusal(faults);
};

const changed = (field: string, sent: readonly string[] | undefined, stored: readonly string[]): readonly string[] =>
  sent === undefined || isSameSet(new Set(sent), new Set(stored)) ? [] : [field];

const isSameSet = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  left.size === right.size && left.isSubsetOf(right);

/** What of owners and finalizers a write changes; absent parts stay as they are. */
export interface WantedHolders {
  readonly owners?: readonly RecordOwner[];
  readonly finalizers?: readonly string[];
}

/**
 * Owners and finalizers that a request with a whole resource wants. Those it names take the place of the stored ones, and an empty
 * list clears them; but a message reads one like a list that was left out, so that only the body can tell.
 */
export const wantedHolders = (
  metadata: { readonly ownerReferences: readonly RecordOwner[]; readonly finalizers: readonly string[] } | undefined,
  sent: SentHolders | undefined,
): WantedHolders => {
  const { ownerReferences = [], finalizers = [] } = metadata ?? {};
  const isSaid = (list: readonly unknown[], inBody: readonly string[] | undefined): boolean =>
    list.length > 0 || inBody !== undefined;
  return {
    ...(isSaid(ownerReferences, sent?.owners) ? { owners: ownerReferences.map(ownerRecord) } : {}),
    ...(isSaid(finalizers, sent?.finalizers) ? { finalizers } : {}),
  };
};
